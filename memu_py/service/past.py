"""What was: recent changes, and memory put back to a moment."""

from datetime import datetime
from typing import Unpack, get_args

from memu_py.errors import InvalidInput, InvalidScope
from memu_py.nearest import unknown
from memu_py.records.change import Change, RecordKind
from memu_py.records.page import MAX_PAGE, Page
from memu_py.records.rollback import Moment, Rollback
from memu_py.service.arguments import checks_arguments, utc
from memu_py.service.base import ServiceBase
from memu_py.service.granting import to_read
from memu_py.service.retrieve import whole
from memu_py.service.retry import settled
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.stored import stored_items

KINDS = get_args(RecordKind)
MOST_DIGITS = 18
"""Of a position in the log."""


@checks_arguments
class PastMixin(ServiceBase):
    """Look at the change log, and go back in it."""

    async def changes(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        kind: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Change]:
        """Return one page of what happened in a scope, newest first.

        Args:
            limit: changes a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            kind: only of records of this kind: `item`, `category`, `resource`, `link`, `block`,
                `relation`, `grant`.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: there is no such kind, or the cursor is of another list.
        """
        scope = self._scopes.make(**keys)
        whole("limit", limit, MAX_PAGE)
        if kind is not None and kind not in KINDS:
            raise InvalidInput(unknown("kind of record", str(kind), KINDS))
        before = None if cursor is None else _position(cursor)
        scope = await to_read(self._runtime, scope)
        found: RecordKind | None = kind  # type: ignore[assignment] # checked above
        return await self._runtime.store.past.changes(scope, limit=limit, before=before, kind=found)

    async def rollback(self, to: Moment, *, dry_run: bool = False, **keys: Unpack[ScopeKeys]) -> Rollback:
        """Put somebody's memory back to as it was, in one transaction.

        Items, categories and links are as they were then, deleted ones included; of resources only titles, addresses
        and metadata go back, since they are what came in. It is a change like others, by the actor `rollback`: rolling
        back to its `from_seq` undoes it. See docs/history.md for what does not come back.

        Args:
            to: a moment, aware, or a position of the log (`Change.seq`): what came after it is undone.
            dry_run: only tell what it would do.
            **keys: whose memory: a user, or an agent or a session without a user; nothing narrower.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidScope: the scope is only a part of somebody's memory.
            InvalidInput: the moment has no time zone, or the position is not one of the log.
            HistoryGone: the log does not reach back that far, or what it said has been erased.
        """
        scope = self._scopes.make(**keys)
        if scope.attributes:
            msg = f"a whole memory is rolled back, not a part of it: leave out {', '.join(scope.attributes)}"
            raise InvalidScope(msg)
        target = checked_moment("to", to)
        await self._runtime.open()

        async def once() -> Rollback:
            planned, wanted = await self._runtime.store.past.rehearse(scope, target)
            if dry_run or not planned.undone:
                return planned
            resources = self._runtime.resources(scope)
            vectors = await resources.embed_passages([item.text for item in wanted]) if wanted else ()
            stored = {one.item.id: one for one in stored_items(list(wanted), list(vectors))}
            # Of all that names something: what an item names may have changed while its text stayed.
            found = await self._runtime.store.past.known(scope, planned.to_seq)
            names = await resources.embed_names(item.entities for item in found.values() if item)
            await self._runtime.settle(resources)
            return await self._runtime.store.past.rollback(scope, planned.to_seq, stored, names)

        return await settled(once)


def checked_moment(name: str, moment: Moment) -> Moment:
    """Return a moment, or a position of the log, as it is.

    Raises:
        InvalidInput: it is neither, or has no time zone.
    """
    if isinstance(moment, datetime):
        return utc(name, moment)
    if isinstance(moment, bool) or not isinstance(moment, int):
        msg = f"`{name}` is a moment or a position of the log, not {moment!r}"
        raise InvalidInput(msg)
    return moment


def _position(cursor: str) -> int:
    if not cursor.isdecimal() or len(cursor) > MOST_DIGITS:
        msg = f"{cursor!r} is no cursor of this list"
        raise InvalidInput(msg)
    return int(cursor)
