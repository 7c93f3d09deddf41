"""Occasions: what they follow from, noted once, told once."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from memu_py.records.job import Lease
from memu_py.records.occasion import Dated, Due, Occasion
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import live, load_items
from memu_py.storage.job_writes import require_lease
from memu_py.storage.schema import items
from memu_py.storage.schema_foresight import occasions
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit, chunks

KEY = ("partition_hash", "item_id", "kind", "day")


def dated(connection: Connection, scope: Scope) -> list[Dated]:
    """Return the live items with a date; see `Foresight.dated`."""
    said_at = func.coalesce(items.c.said_at, items.c.created_at, type_=items.c.created_at.type)
    statement = (
        select(
            items.c.id.label("item_id"),
            items.c.type,
            items.c.happened_at.label("start"),
            func.coalesce(items.c.happened_until, items.c.happened_at, type_=items.c.happened_at.type).label(
                "until"
            ),
            items.c.precision,
            said_at.label("said_at"),
        )
        .where(within(items, scope), live(), items.c.happened_at.is_not(None))
        .order_by(items.c.id)
    )
    return [Dated(**row) for row in connection.execute(statement).mappings()]


def note(unit: Unit, found: Sequence[Occasion], lease: Lease | None) -> int:
    """Note occasions; see `Foresight.note`."""
    if lease is not None:
        require_lease(unit, lease)
    holding = _starts(unit, [one.item_id for one in found])
    rows = [_row(unit, one) for one in found if holding.get(one.item_id) == one.start]
    if not rows:
        return 0
    before = _count(unit)
    dialect = sqlite if unit.connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(occasions)
    moved = {"due_at": statement.excluded.due_at, "start": statement.excluded.start}
    unit.connection.execute(statement.on_conflict_do_update(index_elements=KEY, set_=moved), rows)
    return _count(unit) - before


def _starts(unit: Unit, ids: Sequence[str]) -> dict[str, Any]:
    """Return the dates of those items that are still live, by id."""
    found: dict[str, Any] = {}
    for part in chunks(list(dict.fromkeys(ids))):
        statement = select(items.c.id, items.c.happened_at).where(
            within(items, unit.scope), live(), items.c.id.in_(part)
        )
        found.update((row.id, row.happened_at) for row in unit.connection.execute(statement))
    return found


def _row(unit: Unit, one: Occasion) -> dict[str, Any]:
    return {
        **partition_values(unit.scope),
        "item_id": one.item_id,
        "kind": one.kind,
        "day": one.day.isoformat(),
        "due_at": one.due_at,
        "start": one.start,
        "years": one.years,
        "found_at": unit.now,
        "told_at": None,
    }


def _count(unit: Unit) -> int:
    statement = select(func.count()).select_from(occasions).where(within(occasions, unit.scope))
    return unit.connection.scalar(statement) or 0


def due(
    connection: Connection, scope: Scope, first: date | None, last: date | None, *, told: bool
) -> list[Due]:
    """Return noted occasions; see `Foresight.due`."""
    statement = _select(scope, first, last)
    if not told:
        statement = statement.where(occasions.c.told_at.is_(None))
    rows = connection.execute(statement).mappings().all()
    known = load_items(connection, scope, list(dict.fromkeys(row["item_id"] for row in rows)))
    return [_due(row, known[row["item_id"]]) for row in rows]


def _select(scope: Scope, first: date | None, last: date | None) -> Select[Any]:
    same = and_(beside(items, occasions), items.c.id == occasions.c.item_id)
    # An item that was given another date has other days: the old ones hold no longer.
    holds = and_(within(items, scope), live(), items.c.happened_at == occasions.c.start)
    statement = select(occasions).join(items, same).where(within(occasions, scope), holds)
    if first is not None:
        statement = statement.where(occasions.c.day >= first.isoformat())
    if last is not None:
        statement = statement.where(occasions.c.day <= last.isoformat())
    return statement.order_by(occasions.c.due_at, occasions.c.item_id, occasions.c.kind)


def _due(row: RowMapping, item: Any) -> Due:
    occasion = Occasion(
        item_id=row["item_id"],
        kind=row["kind"],
        day=date.fromisoformat(row["day"]),
        due_at=row["due_at"],
        start=row["start"],
        years=row["years"],
    )
    return Due(occasion=occasion, item=item, found_at=row["found_at"], told_at=row["told_at"])


def take(unit: Unit, first: date | None, last: date | None) -> list[Due]:
    """Return what is due, and mark it as told; see `Foresight.take`."""
    found = due(unit.connection, unit.scope, first, last, told=False)
    for one in found:
        mine = and_(
            within(occasions, unit.scope),
            occasions.c.item_id == one.occasion.item_id,
            occasions.c.kind == one.occasion.kind,
            occasions.c.day == one.occasion.day.isoformat(),
        )
        unit.connection.execute(update(occasions).where(mine).values(told_at=unit.now))
    return [one.evolve(told_at=unit.now) for one in found]
