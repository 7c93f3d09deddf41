"""What is seen in memories without a model: what is said again and again. Pure."""

import dataclasses
from collections.abc import Sequence
from datetime import tzinfo

from memu_py.embedding.embedder import Matrix
from memu_py.features.abstracts import central, counted
from memu_py.features.clusters import close_groups
from memu_py.records.insight import InsightKind
from memu_py.records.item import Item
from memu_py.records.record import Record

ONCE, MOST = 3.0, 8.0
"""The importance of what is said n times is 3 + n, at most 8: 9 and 10 are left to who understands it."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Insight(Record):
    """What was seen, before it is stored.

    Attributes:
        kind: what sort of insight.
        text: a sentence.
        importance: 1 to 10.
        sources: what it rests on.
    """

    kind: InsightKind
    text: str
    importance: float
    sources: tuple[Item, ...]


def said_often(
    items: Sequence[Item], vectors: Matrix, *, threshold: float, least: int, zone: tzinfo
) -> list[Insight]:
    """Return one insight for each group of close items: its most central text, how often it was said, and when.

    Args:
        items: (n) of one owner.
        vectors: (n, d), theirs.
        threshold: cosine between any two of a group.
        least: items of a group at least.
        zone: the user's.
    """
    found = []
    for rows in close_groups(vectors, threshold=threshold, least=least):
        members = tuple(items[row] for row in rows)
        middle = members[central(vectors[rows])]
        times = sum(item.mentions for item in members)
        found.append(
            Insight(
                kind="pattern",
                text=counted(middle.text, members, zone),
                importance=min(ONCE + times, MOST),
                sources=members,
            )
        )
    return found
