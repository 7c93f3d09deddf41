"""What became of one segment of a resource."""

import dataclasses

from memu_py.records.record import Record
from memu_py.records.resource import OutcomeStatus


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Outcome(Record):
    """What became of one segment.

    Attributes:
        ordinal: the segment's place in the resource.
        status: stored, reinforced, skipped or failed.
        text: the segment's text, cut to a line.
        item_id: the item made of it, or reinforced by it.
        reason: why it was skipped or failed.
    """

    ordinal: int
    status: OutcomeStatus
    text: str
    item_id: str | None = None
    reason: str | None = None
