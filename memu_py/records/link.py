"""Links between records of one partition."""

import dataclasses
from datetime import datetime

from memu_py.records.record import Record

IN_CATEGORY = "category"
SIMILAR = "similar"
SUPERSEDES = "supersedes"
REVISES = "revises"
"""From an item that says that another one holds no longer, where both live on."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Link(Record):
    """A directed edge from an item to a category or to another item; unique by (source, target, kind).

    Attributes:
        source_id: an item.
        target_id: a category (kind `category`) or an item.
        kind: `category`, `similar`, `supersedes`, `revises`, or the caller's own word.
        score: how strong it is, in [0, 1].
        created_at: when it was made, UTC; None before it is stored.
    """

    source_id: str
    target_id: str
    kind: str
    score: float = 1.0
    created_at: datetime | None = None
