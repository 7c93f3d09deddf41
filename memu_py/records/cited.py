"""A summary as lines that cite the items which they rest on: `Ann plays the cello. [ref:0197…]`."""

import dataclasses
import re
from collections.abc import Collection, Iterable
from typing import Self

from memu_py.records.record import Record

_REF = re.compile(r"[ \t]*\[ref:([^\]\s]+)\]")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class CitedLine(Record):
    """One line of a summary.

    Attributes:
        text: what it says, without citations.
        refs: ids of the items that it rests on.
    """

    text: str
    refs: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> Self:
        """Read a line."""
        return cls(text=uncited(line).strip(), refs=tuple(dict.fromkeys(_REF.findall(line))))

    def __str__(self) -> str:
        """Write it with its citations at its end."""
        return " ".join((self.text, *(f"[ref:{ref}]" for ref in self.refs)))

    def without(self, gone: Collection[str]) -> Self:
        """Return it without citations of items that are gone."""
        return self.evolve(refs=tuple(ref for ref in self.refs if ref not in gone))


def cited_lines(summary: str) -> list[CitedLine]:
    """Return the lines of a summary."""
    return [CitedLine.parse(line) for line in summary.splitlines() if line.strip()]


def written(lines: Iterable[CitedLine]) -> str:
    """Return lines as a summary."""
    return "\n".join(map(str, lines))


def citations(summary: str) -> list[str]:
    """Return the ids that a summary cites, each once, in order."""
    return list(dict.fromkeys(_REF.findall(summary)))


def uncited(summary: str) -> str:
    """Return a summary as it is shown to readers: without its citations.

    >>> uncited("Ann plays the cello. [ref:1] [ref:2]")
    'Ann plays the cello.'
    >>> uncited("Nested [re[ref:1]f:2]")
    'Nested'
    """
    while (left := _REF.sub("", summary)) != summary:
        summary = left
    return left
