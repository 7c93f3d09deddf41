"""A candidate after fusion: one item with one relevance."""

from collections.abc import Mapping
from typing import NamedTuple


class Fused(NamedTuple):
    """One item of the union of all recalls.

    Attributes:
        item_id: the item.
        relevance: in [0, 1], the best over the queries.
        parts: the score of each source that went into it, and raw figures such as `cosine`.
    """

    item_id: str
    relevance: float
    parts: Mapping[str, float]
