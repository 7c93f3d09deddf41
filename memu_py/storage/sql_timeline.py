"""When things were, over a database."""

from datetime import datetime

from sqlalchemy import BigInteger, Connection, case, func, select, true, type_coerce

from memu_py.records.page import Where
from memu_py.records.scope import Scope
from memu_py.storage.fields import ITEM_FIELDS
from memu_py.storage.filters import compile_filter
from memu_py.storage.item_rows import live as counting
from memu_py.storage.plain import from_micros
from memu_py.storage.schema import items
from memu_py.storage.scoping import within
from memu_py.storage.units import Units

SLOT = 900_000_000
"""A quarter of an hour in microseconds: the offsets of all zones are multiples of it, since 1972."""
EVEN_FROM = 63_072_000_000_000
"""1972 in microseconds. Liberia was the last to go by minutes of its own."""


class SqlTimeline(Units):
    """`Timeline` over a database; made as `Units` is."""

    async def slots(
        self, scope: Scope, where: Where | None = None, *, live: bool = True
    ) -> list[tuple[datetime, int]]:
        """See `Timeline.slots`."""
        wanted = compile_filter(where, ITEM_FIELDS)
        at = type_coerce(ITEM_FIELDS["at"].column, BigInteger)
        inner = (
            select(case((at >= EVEN_FROM, at - at % SLOT), else_=at).label("slot"))
            .where(within(items, scope), wanted, counting() if live else true())
            .subquery()
        )
        statement = select(inner.c.slot, func.count()).group_by(inner.c.slot).order_by(inner.c.slot)

        def read(connection: Connection) -> list[tuple[datetime, int]]:
            return [(from_micros(slot), count) for slot, count in connection.execute(statement)]

        return await self.read_for(scope, read)
