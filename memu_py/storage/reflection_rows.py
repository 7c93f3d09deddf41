"""Watermarks of reflection as rows."""

from typing import Any

from sqlalchemy import Connection, Select, and_, delete, exists, func, insert, select

from memu_py.errors import Conflict
from memu_py.records.insight import INSIGHT, Moved, Waiting, Watermark
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import live
from memu_py.storage.schema import changes, items
from memu_py.storage.schema_reflections import reflections
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit


def watermark(connection: Connection, scope: Scope) -> Watermark:
    """Return where a watermark stands; see `Reflections.watermark`."""
    statement = select(reflections.c.seq, reflections.c.at).where(within(reflections, scope))
    row = connection.execute(statement).one_or_none()
    return Watermark() if row is None else Watermark(seq=row.seq, at=row.at)


def waiting(connection: Connection, scope: Scope, limit: int) -> Waiting:
    """Return what waits; see `Reflections.waiting`."""
    mark = watermark(connection, scope)
    rows = connection.execute(_created(scope, mark.seq).order_by(changes.c.seq).limit(limit)).all()
    seq = rows[-1].seq if rows else mark.seq
    return Waiting(ids=[row.record_id for row in rows], watermark=mark, seq=seq)


def count(connection: Connection, scope: Scope, most: int) -> int:
    """Return how many wait; see `Reflections.count`."""
    some = _created(scope, watermark(connection, scope).seq).limit(most).subquery()
    return connection.scalar(select(func.count()).select_from(some)) or 0


def _created(scope: Scope, after: int) -> Select[Any]:
    """Return when items came in: the first time, for one that was deleted and is put back is created once more."""
    joined = and_(beside(items, changes), items.c.id == changes.c.record_id)
    earlier = changes.alias("earlier")
    before = exists(
        select(earlier.c.seq).where(
            beside(earlier, changes),
            earlier.c.record_id == changes.c.record_id,
            earlier.c.kind == "item",
            earlier.c.op == "create",
            earlier.c.seq < changes.c.seq,
        )
    )
    return (
        select(changes.c.record_id, changes.c.seq)
        .join(items, joined)
        .where(within(changes, scope, attributes=False), within(items, scope, attributes=False))
        .where(changes.c.seq > after, changes.c.kind == "item", changes.c.op == "create")
        .where(live(), items.c.type != INSIGHT, ~before)
    )


def move(unit: Unit, moved: Moved) -> None:
    """Move a watermark.

    Raises:
        Conflict: somebody else has moved it meanwhile.
    """
    if watermark(unit.connection, unit.scope).seq != moved.before:
        msg = "somebody else has reflected on these items meanwhile; read again and retry"
        raise Conflict(msg)
    unit.connection.execute(delete(reflections).where(within(reflections, unit.scope)))
    row = {**partition_values(unit.scope), "seq": moved.after, "at": unit.now}
    unit.connection.execute(insert(reflections), [row])
