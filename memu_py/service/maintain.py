"""Forgetting, and taking it back."""

from typing import Unpack

from memu_py.errors import NotFound
from memu_py.records.forgotten import Maintained
from memu_py.records.item import Item
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.maintaining import maintain
from memu_py.service.retry import edited
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class MaintainMixin(ServiceBase):
    """Put away what nobody needs any more."""

    async def maintain(self, *, dry_run: bool = False, **keys: Unpack[ScopeKeys]) -> Maintained:
        """Put away what has expired, and what is neither active nor important any more.

        Groups of it leave one item behind that says shortly what they say. What is put away is found no more and not
        listed; it is in the history, `restore` brings it back, and so does saying it again.

        Args:
            dry_run: only say what would be put away, and why; nothing is written, and no model is asked.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            BudgetExceeded: a model was to compress, and would cost more than is left.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await maintain(self._runtime, scope, dry_run=dry_run)

    async def restore(self, item_id: str, **keys: Unpack[ScopeKeys]) -> Item:
        """Bring an item back that was put away or has expired: it is found again, and does not fade at once.

        Args:
            item_id: the item; one that is not put away stays as it is.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            The item as it is now; an `expires_at` that has passed is gone.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        item = await edited(lambda: self._put_away(scope, item_id), lambda item: self._back(scope, item))
        # That somebody wants it counts as a read.
        await self._runtime.accesses.count(scope, [item_id])
        return item

    async def _put_away(self, scope: Scope, item_id: str) -> Item:
        found = await self._runtime.store.items.get(scope, [item_id])
        if item_id not in found:
            msg = f"no item {item_id!r} in this scope"
            raise NotFound(msg)
        return found[item_id]

    async def _back(self, scope: Scope, item: Item) -> Item:
        now = self._runtime.clock()
        if not item.away(now):
            return item
        expired = item.expires_at is not None and item.expires_at <= now
        back = item.evolve(
            archived_at=None,
            archived_because=None,
            expires_at=None if expired else item.expires_at,
            last_reinforced_at=now,
        )
        return await self._runtime.store.update_item(scope, back)
