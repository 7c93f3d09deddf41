"""Occasions: days on which something remembered comes round, or is due."""

import dataclasses
from datetime import date, datetime
from typing import Literal

from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.records.span import Precision

OccasionKind = Literal["anniversary", "plan"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Dated(Record):
    """What a scan reads of an item that has a date.

    Attributes:
        item_id: the item.
        type: its type.
        start: when it happened or will happen, UTC.
        until: the instant after its last; equal to `start` for an instant.
        precision: the calendar unit of its date.
        said_at: when it was said, else when it was stored, UTC.
    """

    item_id: str
    type: str
    start: datetime
    until: datetime
    precision: Precision
    said_at: datetime


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Occasion(Record):
    """One day of one item. Item, kind and day are what it is known by: it is never noted twice.

    Attributes:
        item_id: the item.
        kind: `anniversary` of what happened on that day of another year, or `plan` that becomes due.
        day: in the time zone of the user.
        due_at: the moment, UTC: the time of day of a plan that has one, else the beginning of the day.
        start: the item's own date that this follows from, UTC.
        years: how many ago it happened; None for a plan.
    """

    item_id: str
    kind: OccasionKind
    day: date
    due_at: datetime
    start: datetime
    years: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Due(Record):
    """A noted occasion. Its `str()` is the item's text.

    Attributes:
        occasion: which day of what.
        item: as it is now.
        found_at: when it was noted first, UTC.
        told_at: when it was taken by `due(take=True)`, UTC; None before that.
    """

    occasion: Occasion
    item: Item
    found_at: datetime
    told_at: datetime | None = None

    def __str__(self) -> str:
        return self.item.text
