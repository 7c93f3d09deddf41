"""What the mixins share: the runtime, and how a call's scope is made."""

from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeMaker


class ServiceBase:
    """Holds the runtime; the mixins add the verbs."""

    _runtime: Runtime
    _scopes: ScopeMaker
