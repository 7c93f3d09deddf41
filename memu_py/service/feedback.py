"""What callers say of the memories that they were given."""

from typing import Any, Unpack

from memu_py.errors import InvalidInput
from memu_py.records.feedback import Feedback
from memu_py.records.hit import Hit
from memu_py.records.ids import new_id
from memu_py.records.item import Item
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.granting import item_to_write, to_write
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class FeedbackMixin(ServiceBase):
    """Learn from what became of hits."""

    async def feedback(
        self,
        item: Hit[Item] | Item | str,
        *,
        used: bool | None = None,
        helpful: bool | None = None,
        run_id: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> bool:
        """Say what became of a memory that was retrieved.

        It feeds the factor `access` of scoring, as reads do: used adds 1, helpful adds 2, not helpful takes 4 away; the
        factor stays in [0, 1]. So it moves a score by the weight of `access` in the profile at most, and hides
        nothing. `usage(…).memories` counts it.

        Args:
            item: a hit, an item, or an id.
            used: whether it was used.
            helpful: whether it helped.
            run_id: the retrieve that returned it (`result.trace.run_id`). Said again of the same run and item, it
                takes the place of what was said before; without it, each call counts.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            False when that was known already.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            NotFound: the item is not in the scope.
            OutsideScope: the item is another agent's, which this one may only read.
            InvalidInput: nothing is said, or the run's id is empty.
        """
        scope = self._scopes.make(**keys)
        if used is None and helpful is None:
            msg = "feedback says whether the item was `used` or `helpful`"
            raise InvalidInput(msg)
        if run_id is not None and not run_id.strip():
            msg = "a run's id cannot be empty"
            raise InvalidInput(msg, hint="take `result.trace.run_id`, or leave it out")
        said = Feedback(item_id=_id_of(item), run_id=run_id or new_id(), used=used, helpful=helpful)
        scope = await to_write(self._runtime, scope)
        await item_to_write(self._runtime, scope, said.item_id)
        # What was read is written first, so that feedback counts on top of it.
        await self._runtime.accesses.flush()
        return await self._runtime.store.foresight.judge(scope, said)


def _id_of(item: Hit[Item] | Item | str) -> str:
    if isinstance(item, Hit):
        return item.record.id
    given: Any = item.id if isinstance(item, Item) else item
    if not isinstance(given, str):
        msg = f"`item` is a hit, an item or an id, not {given!r}"
        raise InvalidInput(msg)
    return given
