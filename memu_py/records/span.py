"""When something was: a span of time with its precision and the words it was said in."""

import dataclasses
from datetime import datetime
from typing import Literal

from memu_py.records.record import Record

Precision = Literal["instant", "day", "week", "month", "season", "year", "range"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class TimeSpan(Record):
    """A half-open span of time, in UTC.

    Attributes:
        start: its first instant.
        until: the instant after its last; equal to `start` for an instant.
        precision: the calendar unit it was given in.
        words: the original words, such as "last Saturday" or "上周六".
    """

    start: datetime
    until: datetime
    precision: Precision
    words: str
