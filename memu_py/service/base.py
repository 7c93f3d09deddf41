"""What the mixins share: the runtime, and how a call's scope is made."""

from collections.abc import Sequence

from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeMaker
from memu_py.steps.memorize.refresh import unsay


class ServiceBase:
    """Holds the runtime; the mixins add the verbs."""

    _runtime: Runtime
    _scopes: ScopeMaker

    async def _forget(self, scope: Scope, items: Sequence[Item]) -> None:
        """Take items, as they were, out of the summaries that say them."""
        resources = self._runtime.resources(scope)
        try:
            await unsay(scope, items, resources)
        finally:
            await self._runtime.settle(resources)
