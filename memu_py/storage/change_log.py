"""The change log: append, read, blank, prune.

A position is a row's `seq`, which only grows. Two things tell a reader that reading on is not enough: a row
marked `gap` (rows of its partition before it are gone), and the database's reload mark, which takes a place
in the same sequence.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    RowMapping,
    Table,
    and_,
    delete,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    true,
    update,
)

from memu_py.records.change import Change, Operation, RecordKind
from memu_py.records.scope import Scope
from memu_py.storage.bulk import insert_rows
from memu_py.storage.meta import read_meta, write_meta
from memu_py.storage.schema import changes, items
from memu_py.storage.scoping import ERASED, owner_values, within
from memu_py.storage.unit import Unit, chunks

RELOAD_MARK = "reload_seq"
EVERYTHING = "*"
"""The record id of the one row that an erased partition leaves in the log."""

BLANK: Mapping[str, Any] = {"before": None, "after": None, "reason": None}
"""What is left of a row's content once it is erased."""


class Entry(NamedTuple):
    """A row to be written; `scope` is the record's own, so that its history narrows as the record did."""

    scope: Scope
    kind: RecordKind
    record_id: str
    op: Operation
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str | None = None


def append(unit: Unit, entries: Sequence[Entry]) -> None:
    """Write rows in this order."""
    insert_rows(unit.connection, changes, (_values(unit, entry) for entry in entries))


def _values(unit: Unit, entry: Entry) -> dict[str, Any]:
    return {
        **owner_values(entry.scope),
        "kind": entry.kind,
        "record_id": entry.record_id,
        "op": entry.op,
        "actor": unit.actor,
        "at": unit.now,
        "before": entry.before,
        "after": entry.after,
        "reason": entry.reason,
        "gap": False,
    }


def updated(
    scope: Scope,
    kind: RecordKind,
    record_id: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    reason: str | None = None,
) -> list[Entry]:
    """Return the entry of an update, with the fields that differ; none when nothing does."""
    names = [name for name, value in after.items() if before.get(name) != value]
    if not names:
        return []
    old, new = {name: before.get(name) for name in names}, {name: after[name] for name in names}
    entry = Entry(scope=scope, kind=kind, record_id=record_id, op="update", before=old, after=new)
    return [entry._replace(reason=reason)]


def last_seq(connection: Connection, scope: Scope) -> int:
    """Return the last position of a partition, the reload mark included."""
    # Not max(): from the end of the index, this reads one row.
    mine = select(changes.c.seq).where(within(changes, scope, attributes=False))
    last = connection.scalar(mine.order_by(changes.c.seq.desc()).limit(1))
    return max(last or 0, _reload_seq(connection))


def mark(connection: Connection, scope: Scope, seq: int) -> str | None:
    """Return what is at a position of a partition's log, or last before it; see `Store.mark`."""
    mine = within(changes, scope, attributes=False)
    statement = select(changes.c.seq, changes.c.record_id, changes.c.at).where(mine, changes.c.seq <= seq)
    row = connection.execute(statement.order_by(changes.c.seq.desc()).limit(1)).first()
    return None if row is None else f"{row.seq} {row.record_id} {row.at.isoformat()}"


def _reload_seq(connection: Connection) -> int:
    return int(read_meta(connection, RELOAD_MARK) or 0)


def changed_items(connection: Connection, scope: Scope, after: int) -> tuple[list[str], int] | None:
    """Return the ids of items that changed after a position, and the new position; None asks for a reload."""
    newer = and_(within(changes, scope, attributes=False), changes.c.seq > after)
    if after < _reload_seq(connection) or _exists_gap(connection, newer):
        return None
    statement = select(changes.c.record_id).where(newer, changes.c.kind == "item").order_by(changes.c.seq)
    return list(dict.fromkeys(connection.scalars(statement))), max(after, last_seq(connection, scope))


def _exists_gap(connection: Connection, newer: Any) -> bool:
    return connection.scalar(select(changes.c.seq).where(newer, changes.c.gap == true()).limit(1)) is not None


def created_items(connection: Connection, scope: Scope, after: int) -> list[str]:
    """Return the ids of items of a partition that were created after a position, in order."""
    statement = (
        select(changes.c.record_id)
        .where(
            within(changes, scope, attributes=False),
            changes.c.seq > after,
            changes.c.kind == "item",
            changes.c.op == "create",
        )
        .order_by(changes.c.seq)
    )
    return list(connection.scalars(statement))


def was_deleted(
    connection: Connection, scope: Scope, kind: RecordKind, record_id: str, *, after: int
) -> bool:
    """Say whether a record may have been deleted after a position."""
    newer = and_(within(changes, scope, attributes=False), changes.c.seq > after)
    gone = and_(newer, changes.c.kind == kind, changes.c.record_id == record_id, changes.c.op == "delete")
    found = connection.scalar(select(changes.c.seq).where(gone).limit(1))
    return found is not None or _exists_gap(connection, newer)


def history(connection: Connection, scope: Scope, record_id: str) -> list[Change]:
    """Return what happened to one record, oldest first.

    A category belongs to its whole partition, and an item to each session that it was said in.
    """
    seen = exists(select(items.c.id).where(within(items, scope), items.c.id == changes.c.record_id))
    whole = and_(within(changes, scope, attributes=False), or_(changes.c.kind == "category", seen))
    statement = (
        select(changes)
        .where(or_(within(changes, scope), whole), changes.c.record_id == record_id)
        .order_by(changes.c.seq)
    )
    return [change_of(row) for row in connection.execute(statement).mappings()]


def change_of(row: RowMapping) -> Change:
    """Return the change of a row."""
    return Change(
        seq=row["seq"],
        kind=row["kind"],
        record_id=row["record_id"],
        op=row["op"],
        actor=row["actor"],
        at=row["at"],
        before=row["before"],
        after=row["after"],
        reason=row["reason"],
    )


def blank(connection: Connection, scope: Scope, *, record_ids: Sequence[str] = ()) -> None:
    """Remove the content, not the rows, of a scope's history; with ids, of these records of its partition."""
    where = within(changes, scope, attributes=not record_ids)
    named = changes.c.record_id.in_(record_ids) if record_ids else true()
    connection.execute(update(changes).where(where, named).values(BLANK))


def forget_reasons(connection: Connection, scope: Scope, record_ids: Sequence[str]) -> None:
    """Remove why records changed, which may tell of what they changed for."""
    for part in chunks(record_ids):
        mine = and_(within(changes, scope, attributes=False), changes.c.record_id.in_(part))
        connection.execute(update(changes).where(mine).values(reason=None))


def erase(unit: Unit) -> int:
    """Remove all of a partition's log; one row stays that says when it was erased and by whom, not whose.

    Returns:
        How many rows went.
    """
    mine = within(changes, unit.scope, attributes=False)
    gone = unit.connection.execute(delete(changes).where(mine)).rowcount
    row = _values(unit, Entry(scope=unit.scope, kind="resource", record_id=EVERYTHING, op="delete"))
    erased: dict[str, Any] = {"partition": ERASED, "agent": None, "session": None, "custom": {}, "gap": True}
    unit.connection.execute(insert(changes), [row | erased])
    return gone


def prune(connection: Connection, before: datetime) -> int:
    """Remove rows of all partitions that are older; the last row of each stays, without content.

    Returns:
        How many rows went.
    """
    newest = select(func.max(changes.c.seq)).group_by(changes.c.partition_hash).scalar_subquery()
    old = and_(changes.c.at < before, changes.c.seq.not_in(newest))
    touched = list(connection.scalars(select(changes.c.partition_hash).where(old).distinct()))
    gone = connection.execute(delete(changes).where(old)).rowcount
    for partition_hash in touched:
        _mark_gap(connection, changes, partition_hash)
    connection.execute(update(changes).where(changes.c.at < before).values(BLANK))
    return gone


def _mark_gap(connection: Connection, table: Table, partition_hash: bytes) -> None:
    oldest = select(func.min(table.c.seq)).where(table.c.partition_hash == partition_hash).scalar_subquery()
    connection.execute(update(table).where(table.c.seq == oldest, table.c.gap == false()).values(gap=True))


def mark_reload(connection: Connection, now: datetime) -> None:
    """Have every reader of every partition read everything again: the mark takes a number of the sequence."""
    nobody = {
        "partition_hash": b"",
        "partition": ERASED,
        "custom": {},
        "kind": "item",
        "record_id": EVERYTHING,
    }
    row = nobody | {"op": "update", "actor": "reindex", "at": now, "gap": True}
    connection.execute(insert(changes), [row])
    seq = connection.scalar(select(func.max(changes.c.seq)).where(changes.c.partition_hash == b""))
    connection.execute(delete(changes).where(changes.c.partition_hash == b""))
    write_meta(connection, RELOAD_MARK, seq)
