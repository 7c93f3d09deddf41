"""What is kept of an erasure: that it was done, and nothing of what, or whose, it was."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class AuditLine(Record):
    """One erasure of all that somebody had.

    Attributes:
        id: UUIDv7; the receipt by which who asked for it can point to it.
        op: what was done: `forget`.
        actor: who did it, such as `api`.
        at: when, UTC.
        counts: how many rows went, by table; and `originals`, files that nothing uses any more.
    """

    id: str
    op: str
    actor: str
    at: datetime
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Erased(Record):
    """What an erasure left to do.

    Attributes:
        blobs: keys of originals that no resource uses any more.
        line: what is kept of it; None where it took only a part of somebody's memory.
    """

    blobs: tuple[str, ...] = ()
    line: AuditLine | None = None
