"""Which rows stand beside which: the turns of a conversation, the passages of a document.

A turn is often understood only with those around it. At query time a row's similarity is that of its vector joined with
its neighbours' vectors, `v_i + sum over distances k of w_k * (v_(i-k) + v_(i+k))`, to the query. As the dot product is
linear, that is `(s_i + sum w_k * (s_(i-k) + s_(i+k))) / norm_i` over the rows' own products s, with the length of the
joined vector kept here: no joined vector is stored, and a neighbour that comes or goes changes a few lengths.
"""

from bisect import insort
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

NOBODY = -1
"""The neighbour of a row at the end of its sequence."""


class Sequences:
    """Rows in the order of their sequences, with their neighbours and the lengths of their joined vectors.

    The caller does the locking.

    Args:
        weights: with what weight the neighbours at distance 1, 2 … count.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = tuple(weights)
        self._members: dict[int, list[tuple[int, int]]] = {}
        self._place: dict[int, tuple[int, int]] = {}
        self._neighbours: NDArray[np.int32] = np.full((2 * len(self.weights), 0), NOBODY, dtype=np.int32)
        self._norms: NDArray[np.float32] = np.ones(0, dtype=np.float32)

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        return self._neighbours.nbytes + self._norms.nbytes + 200 * len(self._place)

    def remove(self, rows: Iterable[int]) -> set[int]:
        """Take rows out of their sequences; returns the sequences that changed."""
        changed: set[int] = set()
        for row in rows:
            group, ordinal = self._place.pop(row, (NOBODY, 0))
            if group == NOBODY:
                continue
            self._members[group].remove((ordinal, row))
            changed.add(group)
            self._forget(row)
            if not self._members[group]:
                del self._members[group]
        return changed

    def add(self, rows: Sequence[int], groups: Sequence[int], ordinals: Sequence[int]) -> set[int]:
        """Put rows into their sequences, out of those in which they stood; returns the sequences that changed.

        Args:
            rows: row numbers.
            groups: the sequence of each; `NOBODY` for none.
            ordinals: the place of each in it.
        """
        changed = self.remove(rows)
        for row, group, ordinal in zip(rows, groups, ordinals, strict=True):
            if group != NOBODY:
                insort(self._members.setdefault(group, []), (ordinal, row))
                self._place[row] = (group, ordinal)
                changed.add(group)
        return changed

    def refresh(self, groups: Iterable[int], matrix: NDArray[np.float32]) -> None:
        """Find the neighbours and lengths of sequences anew.

        Args:
            groups: those that changed.
            matrix: (capacity, d), the vectors of all rows.
        """
        self._reserve(len(matrix))
        for group in groups:
            rows = np.array([row for _, row in self._members.get(group, ())], dtype=np.intp)
            joined = matrix[rows].copy()
            for distance, weight in enumerate(self.weights, 1):
                before, after = 2 * distance - 2, 2 * distance - 1
                self._neighbours[before, rows] = NOBODY
                self._neighbours[after, rows] = NOBODY
                self._neighbours[before, rows[distance:]] = rows[:-distance]
                self._neighbours[after, rows[:-distance]] = rows[distance:]
                joined[distance:] += weight * matrix[rows[:-distance]]
                joined[:-distance] += weight * matrix[rows[distance:]]
            norms = np.linalg.norm(joined, axis=1)
            self._norms[rows] = np.where(norms > 0, norms, 1.0)

    def parts(self, size: int) -> tuple[NDArray[np.float32], list[NDArray[np.int32]]]:
        """Return what a kernel needs of a view's rows: lengths of the joined vectors, and neighbours side by side.

        Args:
            size: rows of the view.
        """
        return self._norms[:size], [side[:size] for side in self._neighbours]

    def reach(self, rows: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        """Return some rows and their neighbours, each once.

        Args:
            rows: below `size`.
            size: rows of the view; what lies beyond is nobody's neighbour.
        """
        beside = self._neighbours[:, rows]
        return np.unique(np.concatenate([rows, beside[(beside >= 0) & (beside < size)]]))

    def join(self, products: NDArray[np.float32], rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the similarity of rows with their neighbours.

        Args:
            products: (n,), dot products of the view's own vectors with the query, at least of what the rows `reach`.
            rows: which.
        """
        size = len(products)
        # One more place behind the last row, which is where NOBODY points; rows beyond a view are nobody too.
        reached = np.append(products, np.float32(0.0))
        joined = products[rows]
        for distance, weight in enumerate(self.weights, 1):
            for side in (2 * distance - 2, 2 * distance - 1):
                beside = self._neighbours[side, rows]
                joined += np.float32(weight) * reached[np.where(beside < size, beside, NOBODY)]
        return np.asarray(joined / self._norms[rows], dtype=np.float32)

    def _forget(self, row: int) -> None:
        if row < len(self._norms):
            self._neighbours[:, row] = NOBODY
            self._norms[row] = 1.0

    def _reserve(self, capacity: int) -> None:
        more = capacity - len(self._norms)
        if more > 0:
            empty = np.full((len(self._neighbours), more), NOBODY, dtype=np.int32)
            self._neighbours = np.concatenate([self._neighbours, empty], axis=1)
            self._norms = np.concatenate([self._norms, np.ones(more, dtype=np.float32)])
