"""What became of the uses of a tool, and what is remembered of it."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Self

from memu_py.records.item import Item
from memu_py.records.record import Record

TOOL = "tool"
"""The type of items that tell of a tool, and the key of its uses in their metadata."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse(Record):
    """Uses of one tool, added up.

    Attributes:
        name: the tool's.
        succeeded: uses that worked.
        failed: uses that did not.
        seconds: all uses of which the time is known took so long together.
        timed: so many these are.
        tokens: all uses of which the tokens are known cost so many together.
        counted: so many these are.
    """

    name: str
    succeeded: int = 0
    failed: int = 0
    seconds: float = 0.0
    timed: int = 0
    tokens: int = 0
    counted: int = 0

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Self | None:
        """Read the uses in an item's metadata; None where there are none, or none that can be read."""
        given = metadata.get(TOOL)
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            return None
        if not all(_is_figure(value) for name, value in given.items() if name != "name"):
            return None
        try:
            return cls(**given)
        except TypeError:
            return None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data, for metadata."""
        return dataclasses.asdict(self)

    def __add__(self, other: "ToolUse | None") -> "ToolUse":
        """Add the uses of the same tool; those of another are passed over."""
        if other is None or other.name.casefold() != self.name.casefold():
            return self
        return ToolUse(
            name=self.name,
            succeeded=self.succeeded + other.succeeded,
            failed=self.failed + other.failed,
            seconds=self.seconds + other.seconds,
            timed=self.timed + other.timed,
            tokens=self.tokens + other.tokens,
            counted=self.counted + other.counted,
        )

    @property
    def uses(self) -> int:
        """How often it was used."""
        return self.succeeded + self.failed

    @property
    def success_rate(self) -> float | None:
        """Share of the uses that worked, in [0, 1]; None for no use."""
        return self.succeeded / self.uses if self.uses else None

    @property
    def seconds_each(self) -> float | None:
        """How long a use takes; None where nobody knows."""
        return self.seconds / self.timed if self.timed else None

    @property
    def tokens_each(self) -> float | None:
        """How many tokens a use costs; None where nobody knows."""
        return self.tokens / self.counted if self.counted else None


def _is_figure(value: Any) -> bool:
    """Tell whether something can be added up: metadata may be anybody's, and hold anything."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def with_uses(metadata: Mapping[str, Any], more: ToolUse | None) -> Mapping[str, Any]:
    """Return metadata with further uses added to those that are in it."""
    if more is None:
        return metadata
    known = ToolUse.of(metadata)
    return {**metadata, TOOL: (known + more if known else more).plain()}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ToolMemory(Record):
    """All that is remembered of one tool.

    Attributes:
        use: its uses, over all items.
        items: what they say, such as when to use it; the newest first.
    """

    use: ToolUse
    items: tuple[Item, ...]
