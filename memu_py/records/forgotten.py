"""What is put away, and why."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.item import Item
from memu_py.records.link import SUMMARIZES
from memu_py.records.record import Record
from memu_py.records.scope import Scope

Because = Literal["expired", "faded"]
PINNED = "pinned"
"""Metadata of an item that never fades, where it is true."""
OF = SUMMARIZES
"""The kind of the links from an item to those that it stands for."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fading(Record):
    """An item that is to be put away, or was.

    Attributes:
        item: as it was read.
        because: `expired`, or `faded`: neither active nor important any more.
        activation: its base level, in natural logarithms, where that counts.
        importance: as use has moved it, 1 to 10, where that counts.
    """

    item: Item
    because: Because
    activation: float | None = None
    importance: float | None = None

    def __str__(self) -> str:
        """Say why, in one line."""
        if self.because == "expired":
            return f"expired on {self.item.expires_at:%Y-%m-%d}"
        return f"faded: activation {self.activation:.2f}, importance {self.importance:.1f}"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Compressed(Record):
    """An item that says shortly what several say that are put away.

    Attributes:
        item: the new one.
        of: ids of those that it stands for.
    """

    item: Item
    of: tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Maintained(Record):
    """What was put away, or would be.

    Attributes:
        dry_run: nothing was written.
        at: when, UTC.
        archived: what is put away, in the order in which it was looked at.
        compressed: what is said of groups of it; in a dry run without a model's help.
        looked_at: items that were judged.
        more: there is more than one run puts away; the next one goes on.
    """

    dry_run: bool
    at: datetime
    archived: tuple[Fading, ...] = ()
    compressed: tuple[Compressed, ...] = ()
    looked_at: int = 0
    more: bool = False

    def counts(self) -> Mapping[str, Any]:
        """Return what a job gives."""
        expired = sum(one.because == "expired" for one in self.archived)
        return {
            "expired": expired,
            "faded": len(self.archived) - expired,
            "compressed": len(self.compressed),
            "more": self.more,
        }


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MaintainRequest(Record):
    """What a run of `maintain` starts from.

    Attributes:
        scope: whose memory.
        dry_run: write nothing, and ask no model.
    """

    scope: Scope
    dry_run: bool = False
