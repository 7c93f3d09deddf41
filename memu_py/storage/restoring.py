"""The rows of an export into an empty partition."""

import bisect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Table, delete, insert, select

from memu_py.errors import Conflict, InvalidInput, MemuError
from memu_py.records.identity import item_identity
from memu_py.storage.bulk import PART, insert_rows
from memu_py.storage.item_rows import item_of
from memu_py.storage.plain import plain
from memu_py.storage.rights import Rows
from memu_py.storage.row_forms import read
from memu_py.storage.schema import changes, embedding_cache, items, jobs, runs
from memu_py.storage.scoping import owner_values, partition_values, within
from memu_py.storage.tables import PARTITIONED
from memu_py.storage.unit import Unit

SEQ = "seq"
_NO_LEASE: Mapping[str, Any] = {"status": "queued", "lease_id": None, "lease_until": None}


def restore(unit: Unit, rows: Rows, run_id: str, summary: Mapping[str, Any]) -> dict[str, int]:
    """Write an export; see `Rights.restore`."""
    if _is_known(unit, run_id):
        return {}
    _require_empty(unit)
    counts: dict[str, int] = {}
    # The log first: other rows name places in it.
    places = _Places(unit, counts, rows)
    for table in PARTITIONED:
        if table is not changes:
            counts[table.name] = _write(unit, table, _made(unit, table, rows, places))
    _note(unit, run_id, summary)
    return counts


def _is_known(unit: Unit, run_id: str) -> bool:
    return (
        unit.connection.scalar(select(runs.c.id).where(within(runs, unit.scope), runs.c.id == run_id))
        is not None
    )


def _require_empty(unit: Unit) -> None:
    """Check that the partition has no rows; what was cached for this import goes.

    Raises:
        Conflict: it has.
    """
    unit.connection.execute(delete(embedding_cache).where(within(embedding_cache, unit.scope)))
    for table in PARTITIONED:
        own = within(table, unit.scope), table.c.partition == unit.scope.partition
        if unit.connection.scalar(select(table.c.partition_hash).where(*own).limit(1)) is not None:
            msg = f"who is to have the export has something already, in {table.name}"
            raise Conflict(msg, hint="name another user, or `forget_user` first")


class _Places:
    """Writes the log, and tells which place of it has become which."""

    def __init__(self, unit: Unit, counts: dict[str, int], rows: Rows) -> None:
        self._old: list[int] = []
        counts[changes.name] = _write(unit, changes, self._logged(unit, rows))
        mine = within(changes, unit.scope), changes.c.partition == unit.scope.partition
        statement = select(changes.c.seq).where(*mine).order_by(changes.c.seq)
        self._new: Sequence[int] = unit.connection.scalars(statement).all()

    def _logged(self, unit: Unit, rows: Rows) -> Iterator[dict[str, Any]]:
        for row in _read(unit, changes, rows):
            self._old.append(row.pop(SEQ))
            yield row

    def of(self, seq: int) -> int:
        """Return where a place of the exported log, or the last row before it, is now; 0 for before the first."""
        row = bisect.bisect_right(self._old, seq)
        return self._new[row - 1] if row else 0


def _made(unit: Unit, table: Table, rows: Rows, places: _Places) -> Iterator[dict[str, Any]]:
    moved = [name for name in (column.name for column in table.c) if name == SEQ or name.endswith(f"_{SEQ}")]
    for row in _read(unit, table, rows):
        for name in moved:
            row[name] = None if row[name] is None else places.of(row[name])
        if table is items:
            item = item_of(row)  # type: ignore[arg-type] # a mapping with the same names
            row["identity"] = item_identity(item.scope, item)
        if table is jobs and row["status"] == "running":
            row |= _NO_LEASE
        yield row


def _read(unit: Unit, table: Table, rows: Rows) -> Iterator[dict[str, Any]]:
    owner = dict(partition_values(unit.scope))
    if "agent" in table.c and unit.scope.partition_kind != "user":
        # Who owns it alone stands in this column, too.
        owner[unit.scope.partition_kind] = getattr(unit.scope, unit.scope.partition_kind)
    for number, data in enumerate(rows(table.name), start=1):
        try:
            yield {**read(table, data), **owner}
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            if isinstance(error, MemuError):
                raise
            msg = f"row {number} of {table.name} is not as an export writes it: {error}"
            raise InvalidInput(msg) from error


def _write(unit: Unit, table: Table, rows: Iterator[dict[str, Any]]) -> int:
    written = 0
    while part := list(itertools.islice(rows, PART)):
        insert_rows(unit.connection, table, part)
        written += len(part)
    return written


def _note(unit: Unit, run_id: str, summary: Mapping[str, Any]) -> None:
    mine = within(changes, unit.scope)
    last = select(changes.c.seq).where(mine).order_by(changes.c.seq.desc()).limit(1)
    row = {
        **owner_values(unit.scope),
        "id": run_id,
        "resource_id": None,
        "seq": unit.connection.scalar(last) or 0,
        "summary": plain(summary, where="summary"),
        "at": unit.now,
    }
    unit.connection.execute(insert(runs), [row])
