"""Feedback: one row for each run and item; and what it counts for."""

from typing import Any

from sqlalchemy import Connection, Subquery, and_, case, func, insert, select, true, update
from sqlalchemy.sql.elements import ColumnElement

from memu_py.errors import NotFound
from memu_py.records.feedback import HELPFUL_READS, UNHELPFUL_READS, USED_READS, Feedback, MemoryUse
from memu_py.records.scope import Scope
from memu_py.storage import change_log
from memu_py.storage.change_log import Entry
from memu_py.storage.item_rows import load_items
from memu_py.storage.plain import clean_text
from memu_py.storage.schema import items
from memu_py.storage.schema_foresight import feedback
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit


def judge(unit: Unit, said: Feedback) -> bool:
    """Keep feedback; see `Foresight.judge`."""
    item = load_items(unit.connection, unit.scope, [said.item_id]).get(said.item_id)
    if item is None:
        msg = f"no item {said.item_id!r} in this scope"
        raise NotFound(msg)
    words = {name: getattr(said, name) for name in ("used", "helpful") if getattr(said, name) is not None}
    mine = and_(
        within(feedback, unit.scope),
        feedback.c.item_id == said.item_id,
        feedback.c.run_id == clean_text(said.run_id),
    )
    known = (
        unit.connection.execute(select(feedback.c.used, feedback.c.helpful).where(mine)).mappings().first()
    )
    if known is not None and all(known[name] == word for name, word in words.items()):
        return False
    if known is None:
        row = {"item_id": said.item_id, "run_id": clean_text(said.run_id), "at": unit.now, **words}
        unit.connection.execute(insert(feedback).values(**partition_values(unit.scope), **row))
    else:
        unit.connection.execute(update(feedback).where(mine).values(at=unit.now, **words))
    # In the log, so that the indexes of all processes take it in.
    entry = Entry(scope=item.scope, kind="item", record_id=item.id, op="update", before={}, after=words)
    change_log.append(unit, [entry])
    return True


def worth(scope: Scope) -> Subquery:
    """Return what feedback counts for by item of a partition: `item_id` and `reads`."""
    return (
        select(feedback.c.partition_hash, feedback.c.partition, feedback.c.item_id, _reads().label("reads"))
        .where(within(feedback, scope))
        .group_by(feedback.c.partition_hash, feedback.c.partition, feedback.c.item_id)
        .subquery("worth")
    )


def worth_of_one(scope: Scope) -> ColumnElement[int]:
    """Return what feedback counts for of the item of the statement around it: for a few items of many."""
    mine = and_(within(feedback, scope), beside(feedback, items), feedback.c.item_id == items.c.id)
    return select(_reads()).where(mine).correlate(items).scalar_subquery()


def _reads() -> ColumnElement[int]:
    return func.sum(
        _one(feedback.c.used, USED_READS, 0) + _one(feedback.c.helpful, HELPFUL_READS, UNHELPFUL_READS)
    )


def _one(column: Any, yes: int, no: int) -> ColumnElement[int]:
    return case((column.is_(None), 0), (column == true(), yes), else_=no)


def use(connection: Connection, scope: Scope) -> MemoryUse:
    """Return what became of memories; see `Foresight.use`."""
    reads = select(func.coalesce(func.sum(items.c.access_count), 0)).where(within(items, scope))
    same = and_(beside(feedback, items), feedback.c.item_id == items.c.id)
    counted = (
        select(
            func.coalesce(func.sum(_one(feedback.c.used, 1, 0)), 0).label("used"),
            func.coalesce(func.sum(_one(feedback.c.used, 0, 1)), 0).label("unused"),
            func.coalesce(func.sum(_one(feedback.c.helpful, 1, 0)), 0).label("helpful"),
            func.coalesce(func.sum(_one(feedback.c.helpful, 0, 1)), 0).label("unhelpful"),
        )
        .select_from(feedback)
        .join(items, same)
        .where(within(items, scope))
    )
    row = connection.execute(counted).mappings().one()
    return MemoryUse(retrieved=int(connection.scalar(reads) or 0), **{k: int(v) for k, v in row.items()})
