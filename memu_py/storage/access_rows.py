"""When items were retrieved: how often in all, and the newest moments."""

import heapq
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, RowMapping, and_, bindparam, case, delete, select, update

from memu_py.records.presented import KEPT_MOMENTS, Presented
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.schema import items
from memu_py.storage.schema_accesses import accesses
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit, chunks


def touch(unit: Unit, reads: Mapping[str, Sequence[datetime]]) -> None:
    """Note when items of the scope were read; not a change, and not in the log."""
    for part in chunks([item_id for item_id, moments in reads.items() if moments]):
        known = {row["id"]: row["moments"] or () for row in _rows(unit.connection, unit.scope, part)}
        if known:
            _count(unit, {item_id: reads[item_id] for item_id in known})
            _keep(unit, {item_id: _newest((*before, *reads[item_id])) for item_id, before in known.items()})


def presented(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Presented]:
    """Return when items of a scope came up; see `Store.presented`."""
    return {row["id"]: _presented(row) for part in chunks(ids) for row in _rows(connection, scope, part)}


def _rows(connection: Connection, scope: Scope, ids: Sequence[str]) -> Sequence[RowMapping]:
    statement = (
        select(
            items.c.id,
            items.c.said_at,
            items.c.created_at,
            items.c.last_reinforced_at,
            items.c.mentions,
            items.c.access_count,
            accesses.c.moments,
        )
        .outerjoin(accesses, and_(beside(accesses, items), accesses.c.item_id == items.c.id))
        .where(within(items, scope), items.c.id.in_(ids))
    )
    return connection.execute(statement).mappings().all()


def _presented(row: RowMapping) -> Presented:
    first = min(row["said_at"] or row["created_at"], row["created_at"])
    again = [row["last_reinforced_at"]] if row["mentions"] > 1 and row["last_reinforced_at"] else []
    moments = _newest((*(row["moments"] or ()), *again, first))
    return Presented(first=first, count=row["mentions"] + row["access_count"], moments=moments)


def _newest(moments: Sequence[datetime]) -> tuple[datetime, ...]:
    return tuple(heapq.nlargest(KEPT_MOMENTS, moments))


def _count(unit: Unit, reads: Mapping[str, Sequence[datetime]]) -> None:
    last = items.c.last_accessed_at
    moment = bindparam("moment", type_=last.type)
    statement = (
        update(items)
        .where(within(items, unit.scope), items.c.id == bindparam("row_id"))
        .values(
            access_count=items.c.access_count + bindparam("reads"),
            last_accessed_at=case((last > moment, last), else_=moment),
        )
    )
    rows = [
        {"row_id": item_id, "reads": len(moments), "moment": max(moments)}
        for item_id, moments in reads.items()
    ]
    unit.connection.execute(statement, rows)


def _keep(unit: Unit, newest: Mapping[str, tuple[datetime, ...]]) -> None:
    mine = and_(within(accesses, unit.scope.owner), accesses.c.item_id.in_(list(newest)))
    unit.connection.execute(delete(accesses).where(mine))
    owner = partition_values(unit.scope)
    rows = [{**owner, "item_id": item_id, "moments": moments} for item_id, moments in newest.items()]
    insert_rows(unit.connection, accesses, rows)
