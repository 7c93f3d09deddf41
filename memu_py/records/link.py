"""Links between records of one partition."""

import dataclasses
from datetime import datetime

from memu_py.records.record import Record

IN_CATEGORY = "category"
SIMILAR = "similar"
SUPERSEDES = "supersedes"
REVISES = "revises"
"""From an item that says that another one holds no longer, where both live on."""


SUMMARIZES = "summarizes"
"""From an item that says shortly what several others say, which were put away."""
DERIVED_FROM = "derived_from"
"""From an insight to what it rests on."""
OWN_KINDS = frozenset({SUPERSEDES, SUMMARIZES, DERIVED_FROM})
"""Links that are never made by hand."""


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
