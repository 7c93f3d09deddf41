"""What happened in a time, and how much."""

import dataclasses
from datetime import date

from memu_py.records.item import Item
from memu_py.records.page import Page
from memu_py.records.record import Record
from memu_py.records.span import TimeSpan


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PeriodCount(Record):
    """How many items a day, week or month has.

    Attributes:
        first: its first day, in the user's time zone; a week begins on Monday.
        last: its last day.
        count: items.
    """

    first: date
    last: date
    count: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Recounted(Record):
    """What is remembered of the time that a question names.

    Attributes:
        span: the time, with the words of the question that name it.
        page: its items in order of time.
    """

    span: TimeSpan
    page: Page[Item]
