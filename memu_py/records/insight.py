"""What is seen only when memories are looked at together."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from memu_py.records.item import Item
from memu_py.records.record import Record

INSIGHT = "insight"
"""The type of items that reflection makes."""
InsightKind = Literal["pattern", "summary"]
KIND = "insight"
"""Metadata of such an item: its kind."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Watermark(Record):
    """Up to where in the change log items were reflected on.

    Attributes:
        seq: the place; 0 before the first time.
        at: when it was moved there, UTC; None before the first time.
    """

    seq: int = 0
    at: datetime | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Moved(Record):
    """A watermark is moved, in the transaction that writes what was seen up to there.

    Attributes:
        before: where it was read; anywhere else by now it is a conflict.
        after: where it goes.
    """

    before: int
    after: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Waiting(Record):
    """Items that were not reflected on yet.

    Attributes:
        ids: in the order in which they were stored; insights are none of them.
        watermark: before the first.
        seq: the place of the last.
    """

    ids: Sequence[str]
    watermark: Watermark
    seq: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reflected(Record):
    """What a reflection did.

    Attributes:
        insights: new ones.
        confirmed: earlier ones that were seen again.
        looked_at: items that were looked at.
        dropped: what a model gave that was thrown away, by reason: `strangers` cite what was not shown, `low` lie
            below the bar, `judging` judge a person.
    """

    insights: tuple[Item, ...] = ()
    confirmed: tuple[Item, ...] = ()
    looked_at: int = 0
    dropped: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def counts(self) -> Mapping[str, Any]:
        """Return what a job gives."""
        return {
            "insights": len(self.insights),
            "confirmed": len(self.confirmed),
            "looked_at": self.looked_at,
            "dropped": dict(self.dropped),
        }
