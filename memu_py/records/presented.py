"""When a memory came up: what its activation is worked out from."""

import dataclasses
from datetime import datetime

from memu_py.records.record import Record

KEPT_MOMENTS = 8
"""Moments that are kept of each item, the newest; older ones are only counted."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Presented(Record):
    """The presentations of an item: that it was said, said again, and retrieved.

    Attributes:
        first: when it was first said, or stored where nobody knows, UTC.
        count: how many there were in all, at least 1.
        moments: the newest of them, newest first, at most `KEPT_MOMENTS`, UTC.
    """

    first: datetime
    count: int
    moments: tuple[datetime, ...]
