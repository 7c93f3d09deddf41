"""Which rows stand beside which: the turns of a conversation, the passages of a document.

A turn is often understood only with those around it. At query time a row's similarity is that of its vector joined with
its neighbours' vectors, `v_i + sum over distances k of w_k * (v_(i-k) + v_(i+k))`, to the query. As the dot product is
linear, that is `(s_i + sum w_k * (s_(i-k) + s_(i+k))) / norm_i` over the rows' own products s, with the length of the
joined vector kept here: no joined vector is stored, and a neighbour that comes or goes changes a few lengths.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py.index.arrays import Arrays, grown

NOBODY = -1
"""The neighbour of a row at the end of its sequence, and the sequence of a row that stands alone."""

BLOCK_ROWS = 1024
"""Rows whose vectors are joined at once: they stay near the processor."""


class Sequences:
    """Rows in the order of their sequences, with their neighbours and the lengths of their joined vectors.

    The caller does the locking.

    Args:
        weights: with what weight the neighbours at distance 1, 2 … count.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = tuple(weights)
        self._groups: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._ordinals: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._norms: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self._sides: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32) for _ in range(2 * len(weights))]

    def arrays(self) -> Arrays:
        """Return what it holds by name: one value a row, and room for more rows."""
        sides = {f"side{number}": side for number, side in enumerate(self._sides)}
        return {"groups": self._groups, "ordinals": self._ordinals, "norms": self._norms, **sides}

    def adopt(self, arrays: Arrays) -> None:
        """Take over arrays that `arrays` gave."""
        self._groups, self._ordinals, self._norms = arrays["groups"], arrays["ordinals"], arrays["norms"]
        self._sides = [arrays[f"side{number}"] for number in range(2 * len(self.weights))]

    def remove(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Take rows out of their sequences; returns the sequences that changed."""
        rows = rows[rows < len(self._groups)]
        changed = np.unique(self._groups[rows])
        self._groups[rows] = NOBODY
        self._norms[rows] = 1.0
        for side in self._sides:
            side[rows] = NOBODY
        return np.asarray(changed[changed != NOBODY])

    def add(
        self, rows: NDArray[np.intp], groups: NDArray[np.int64], ordinals: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Put rows into their sequences, out of those in which they stood; returns the sequences that changed.

        Args:
            rows: row numbers.
            groups: the sequence of each; `NOBODY` for none.
            ordinals: the place of each in it.
        """
        left = self.remove(rows)
        self.reserve(int(rows.max(initial=-1)) + 1)
        self._groups[rows], self._ordinals[rows] = groups, ordinals
        return np.union1d(left, groups[groups != NOBODY])

    def refresh(self, groups: NDArray[np.int64], matrix: NDArray[np.float32]) -> None:
        """Find the neighbours and lengths of sequences anew.

        Args:
            groups: those that changed, ascending.
            matrix: (capacity, d), the vectors of all rows.
        """
        members = np.flatnonzero(np.isin(self._groups, groups)) if len(groups) else np.zeros(0, dtype=np.intp)
        rows = members[np.lexsort((members, self._ordinals[members], self._groups[members]))]
        of = self._groups[rows]
        for distance in range(1, len(self.weights) + 1):
            before, after = self._sides[2 * distance - 2], self._sides[2 * distance - 1]
            together = of[distance:] == of[:-distance]
            before[rows], after[rows] = NOBODY, NOBODY
            before[rows[distance:][together]] = rows[:-distance][together]
            after[rows[:-distance][together]] = rows[distance:][together]
        for start in range(0, len(rows), BLOCK_ROWS):
            self._measure(rows, of, slice(start, min(start + BLOCK_ROWS, len(rows))), matrix)

    def _measure(
        self, rows: NDArray[np.intp], of: NDArray[np.int64], block: slice, matrix: NDArray[np.float32]
    ) -> None:
        """Find the lengths of the joined vectors of a block of rows that are in order of their sequences."""
        first = max(block.start - len(self.weights), 0)
        near = matrix[rows[first : block.stop + len(self.weights)]]
        groups = of[first : block.stop + len(self.weights)]
        joined = near.copy()
        for distance, weight in enumerate(self.weights, 1):
            together = (groups[distance:] == groups[:-distance])[:, np.newaxis] * np.float32(weight)
            joined[distance:] += together * near[:-distance]
            joined[:-distance] += together * near[distance:]
        norms = np.linalg.norm(joined[block.start - first : block.stop - first], axis=1)
        self._norms[rows[block]] = np.where(norms > 0, norms, 1.0)

    def parts(self, size: int) -> tuple[NDArray[np.float32], list[NDArray[np.int32]]]:
        """Return what a kernel needs of a view's rows: lengths of the joined vectors, and neighbours side by side.

        Args:
            size: rows of the view.
        """
        return self._norms[:size], [side[:size] for side in self._sides]

    def reach(self, rows: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        """Return some rows and their neighbours, each once.

        Args:
            rows: below `size`.
            size: rows of the view; what lies beyond is nobody's neighbour.
        """
        beside = np.concatenate([rows, *(side[rows] for side in self._sides)])
        return np.unique(beside[(beside >= 0) & (beside < size)])

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
        for number, side in enumerate(self._sides):
            beside = side[rows]
            weight = np.float32(self.weights[number // 2])
            joined += weight * reached[np.where(beside < size, beside, NOBODY)]
        return np.asarray(joined / self._norms[rows], dtype=np.float32)

    def reserve(self, capacity: int) -> None:
        """Make room for so many rows."""
        if capacity > len(self._norms):
            self._groups = grown(self._groups, capacity, NOBODY)
            self._ordinals = grown(self._ordinals, capacity, 0)
            self._norms = grown(self._norms, capacity, 1.0)
            self._sides = [grown(side, capacity, NOBODY) for side in self._sides]
