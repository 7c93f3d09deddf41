"""Reflection by hand."""

from typing import Unpack

from memu_py.records.insight import Reflected
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.reflecting import reflect
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class ReflectMixin(ServiceBase):
    """Look at memories together."""

    async def reflect(self, **keys: Unpack[ScopeKeys]) -> Reflected:
        """Look at all new items together, and store what is seen as items of the type `insight`.

        Each cites the items that it rests on by links `derived_from`, and ends when none of them holds any more. A
        model says what it sees where one is configured; without one, it is what was said again and again.

        Args:
            **keys: whose memory: `user`, `agent`, `session`, `custom`; the last three do not narrow it.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            ModelError: the model failed; what was looked at before is stored, the rest waits.
            BudgetExceeded: the model would cost more than is left.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await reflect(self._runtime, scope)
