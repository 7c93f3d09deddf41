"""A mention: a name and where it stands."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Mention(Record):
    """A name in a text.

    Attributes:
        start: first character.
        end: character after its last.
        name: the name, which may be spelled otherwise than in the text.
    """

    start: int
    end: int
    name: str


def apart(mentions: list[Mention]) -> list[Mention]:
    """Return the mentions that do not overlap, the leftmost first and of those the longest."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda one: (one.start, -one.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept
