"""A candidate after fusion: one item with one relevance."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ScoreRow(Mapping[str, float]):
    """One item's scores in a table of columns.

    There are hundreds of items for every question, and of most of them nobody looks at the scores.
    """

    __slots__ = ("_columns", "_place")

    def __init__(self, columns: Mapping[str, NDArray[np.float32]], place: int) -> None:
        """Make one that shares the columns.

        Args:
            columns: (n,) each, by name; not to be written to any more.
            place: the item's, from 0.
        """
        self._columns = columns
        self._place = place

    def __getitem__(self, name: str) -> float:
        return float(self._columns[name][self._place])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return repr(dict(self))


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
