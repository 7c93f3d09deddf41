"""What was, over a database."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from memu_py.records.batch import StoredItem, Vector
from memu_py.records.change import Change, RecordKind
from memu_py.records.item import Item
from memu_py.records.page import Page
from memu_py.records.rollback import Moment, Rollback
from memu_py.records.scope import Scope
from memu_py.storage import rolling_back, undoing
from memu_py.storage.units import Units

ROLLBACK = "rollback"


class SqlPast(Units):
    """`Past` over a database; made as `Units` is."""

    async def changes(
        self, scope: Scope, *, limit: int, before: int | None = None, kind: RecordKind | None = None
    ) -> Page[Change]:
        """See `Past.changes`."""
        found = await self.read_for(
            scope, lambda c: undoing.page(c, scope, limit=limit + 1, before=before, kind=kind)
        )
        shown = tuple(found[:limit])
        return Page(records=shown, next_cursor=str(shown[-1].seq) if len(found) > limit else None)

    async def known(
        self, scope: Scope, to: Moment, ids: Sequence[str] | None = None
    ) -> Mapping[str, Item | None]:
        """See `Past.known`."""

        def work(connection: Connection) -> Mapping[str, Item | None]:
            seq = undoing.position(connection, scope, to)
            found = undoing.undone(connection, scope, seq, kind="item", ids=ids)
            return undoing.seen(scope, undoing.items_then(connection, scope, found))

        return await self.read_for(scope, work)

    async def rehearse(self, scope: Scope, to: Moment) -> tuple[Rollback, Sequence[Item]]:
        """See `Past.rehearse`."""
        return await self.read_for(scope, lambda c: rolling_back.rehearse(c, scope, to))

    async def rollback(
        self, scope: Scope, to: int, stored: Mapping[str, StoredItem], names: Mapping[str, Vector]
    ) -> Rollback:
        """See `Past.rollback`."""
        return await self.write(scope, ROLLBACK, lambda unit: rolling_back.rollback(unit, to, stored, names))
