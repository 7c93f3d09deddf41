"""What a rollback does, or would do."""

import dataclasses
from datetime import datetime

from memu_py.records.change import Operation, RecordKind
from memu_py.records.record import Record

Moment = datetime | int
"""A moment, aware, or a position of the change log (`Change.seq`)."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Undo(Record):
    """What happens to one record.

    Attributes:
        kind: of the record.
        record_id: the record; for links `source>target:kind`.
        op: `create` brings it back, `update` gives it its fields of then, `delete` takes it away.
        text: what it says then; of one that is taken away, what it says now.
        fields: names of the fields that change.
    """

    kind: RecordKind
    record_id: str
    op: Operation
    text: str = ""
    fields: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Rollback(Record):
    """A rollback.

    Attributes:
        to_seq: the position of the log that memory is put back to.
        from_seq: the log's last position before it: rolling back to that undoes this one.
        seq: the log's last position afterwards.
        undone: what happens to each record.
        lost: resources that were deleted since: their originals are gone, and what was found in them comes back
            without its places.
        dry_run: nothing was written.
    """

    to_seq: int
    from_seq: int
    seq: int
    undone: tuple[Undo, ...] = ()
    lost: tuple[str, ...] = ()
    dry_run: bool = False
