"""The third half of the service: everything by hand, and what concerns all kinds of records."""

from typing import Unpack

from memu_py.errors import InvalidInput, NotFound
from memu_py.records.change import Change
from memu_py.records.link import IN_CATEGORY, OWN_KINDS, Link
from memu_py.records.page import Direction
from memu_py.service.arguments import checks_arguments
from memu_py.service.categories import CategoriesMixin
from memu_py.service.granting import to_read, to_write
from memu_py.service.items import ItemsMixin
from memu_py.service.resources import ResourcesMixin
from memu_py.service.scopes import ScopeKeys


@checks_arguments
class CRUDMixin(ItemsMixin, CategoriesMixin, ResourcesMixin):
    """Create, read, update, delete, link; and clear."""

    async def link(
        self,
        source_id: str,
        target_id: str,
        *,
        kind: str = IN_CATEGORY,
        score: float = 1.0,
        **keys: Unpack[ScopeKeys],
    ) -> None:
        """Link an item to a category, or (with another kind) to an item; an existing link gets the new score.

        Args:
            source_id: an item.
            target_id: a category for the kind `category`, else an item.
            kind: `category`, `similar`, or a word of your own; `supersedes`, `summarizes` and `derived_from`
                are never written by hand.
            score: in [0, 1].
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: one end is not in the scope.
            InvalidInput: the kind or the score is not usable.
        """
        scope = self._scopes.make(**keys)
        if kind in OWN_KINDS or not kind.strip():
            msg = f"a link of the kind {kind!r} cannot be made by hand"
            raise InvalidInput(msg)
        if not 0 <= score <= 1:
            msg = f"a link's score is in [0, 1], not {score}"
            raise InvalidInput(msg)
        scope = await to_write(self._runtime, scope)
        wanted = Link(source_id=source_id, target_id=target_id, kind=kind, score=score)
        await self._runtime.store.link(scope, [wanted])

    async def unlink(
        self, source_id: str, target_id: str, *, kind: str = IN_CATEGORY, **keys: Unpack[ScopeKeys]
    ) -> None:
        """Remove a link.

        Raises:
            NotFound: there is no such link in the scope.
        """
        scope = self._scopes.make(**keys)
        scope = await to_write(self._runtime, scope)
        link = Link(source_id=source_id, target_id=target_id, kind=kind)
        if not await self._runtime.store.unlink(scope, [link]):
            msg = f"no link {source_id!r} > {target_id!r} of the kind {kind!r} in this scope"
            raise NotFound(msg)

    async def list_links(
        self,
        record_id: str,
        *,
        kind: str | None = None,
        direction: Direction = "out",
        **keys: Unpack[ScopeKeys],
    ) -> list[Link]:
        """Return the links from a record (`out`) or to it (`in`)."""
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        return await self._runtime.store.links(scope, [record_id], kind=kind, direction=direction)

    async def history(self, record_id: str, **keys: Unpack[ScopeKeys]) -> list[Change]:
        """Return what happened to a record, oldest first, also after its deletion.

        Raises:
            NotFound: the scope never held it.
        """
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        changes = await self._runtime.store.history(scope, record_id)
        if not changes:
            msg = f"no history of {record_id!r} in this scope"
            raise NotFound(msg)
        return changes

    async def clear(self, **keys: Unpack[ScopeKeys]) -> None:
        """Erase what a scope holds: all of a user's memory, or with agent, session or custom keys only theirs.

        The originals go too, the jobs, and the content of the history of a whole partition. With all of a user's
        memory go the keys to the server that are for this user; with all of an agent's own those that are for it.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        await self._runtime.accesses.flush()
        async with self._runtime.workers.paused(scope, "it is erased"), self._runtime.originals.of(scope):
            # First, so that nothing is memorized of them any more.
            if self._runtime.talks is not None:
                await self._runtime.talks.clear(scope)
            unused = await self._runtime.store.clear(scope)
            self._runtime.index.drop(scope)
            await self._runtime.blobs.delete(unused)
