"""The index of one partition: vectors, words and figures of its items, in memory.

One writer changes it, any number of readers share it. A reader works on a **pin** (`pinned`): it shows the
rows that were there when it was made, so that all its masks have one length and go together, although the
index goes on. An item that changes meanwhile keeps its row and shows its new self; one that is removed
disappears; a row that it leaves is not used again while an older pin is alive. No reader sees half of an
update.
"""

import copy
from collections.abc import Collection, Iterable, Sequence
from typing import Self
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from memu_py import _core
from memu_py.index.arrays import Arrays
from memu_py.index.image import IndexImage
from memu_py.index.lock import ReadWriteLock
from memu_py.index.rows import Columns, RowTable, sequences_of
from memu_py.index.sequences import Sequences
from memu_py.index.signals import Scores, Signals
from memu_py.index.speakers import Speakers
from memu_py.records.batch import Vector
from memu_py.storage.index_rows import IndexRows, mismatch

Mask = NDArray[np.bool_]

BASE_BYTES = 4096
"""What an empty index costs, about."""


WORDS = "words."
"""Before the names of the keyword index's arrays in an image."""


class PartitionIndex:
    """Everything a retrieve needs of a partition's items, superseded ones included.

    Masks are bool arrays by row number; rows beyond the end of a mask may not be returned.
    """

    def __init__(self, *, dimension: int | None = None, neighbours: Sequence[float] = ()) -> None:
        """Make an empty index.

        Args:
            dimension: length of its vectors; None takes that of the first one.
            neighbours: with what weight the items around an item lend it their words and meaning, nearest first.
        """
        self._table = RowTable(dimension)
        self._sequences = Sequences(neighbours)
        self._keywords = _core.KeywordIndex()
        self._lock = ReadWriteLock()
        self._pins: WeakSet[PartitionIndex] = WeakSet()
        self._pinned_size: int | None = None
        self._pinned_epoch = 0

    def pinned(self) -> Self:
        """Return a view of the rows that are there now; it shares their memory."""
        pin = copy.copy(self)
        with self._lock.reading():
            pin._pinned_size = self._size
            pin._pinned_epoch = self._table.epoch
            self._pins.add(pin)
        return pin

    def __len__(self) -> int:
        with self._lock.reading():
            return int(np.count_nonzero(self._present))

    @property
    def dimension(self) -> int | None:
        """Length of the vectors; None while no vector has come."""
        return self._table.dimension

    def nbytes(self) -> int:
        """Bytes of memory held, about; pins share them, and what is mapped from a file is the system's."""
        with self._lock.reading():
            arrays = sum(array.nbytes for array in self._arrays().values() if array.base is None)
            return BASE_BYTES + arrays + self._table.ids.nbytes() + self._keywords.nbytes()

    def image(self) -> IndexImage:
        """Return what it holds as plain arrays, to be kept in a file; they are those that it works on."""
        with self._lock.reading():
            size = len(self._table.ids)
            names, ends = self._table.ids.image()
            return IndexImage(
                by_row={name: array[:size] for name, array in self._arrays().items()},
                whole={"names": names, "ends": ends, **_prefixed(WORDS, self._keywords.image())},
                speakers=tuple(self._table.speakers.names),
            )

    @classmethod
    def of_image(cls, image: IndexImage, *, neighbours: Sequence[float] = ()) -> Self:
        """Make the index that had an image, working on the image's arrays.

        Args:
            image: its arrays by row may have room for more rows.
            neighbours: as they were when the index was made.

        Raises:
            ValueError: its parts do not fit one another.
            KeyError: one is missing.
        """
        index = cls(neighbours=neighbours)
        whole = image.whole
        ids = _core.RowIds.of_image(whole["names"], whole["ends"])
        index._table.adopt(image.by_row, ids, Speakers(image.speakers))
        index._sequences.adopt(image.by_row)
        words = {name.removeprefix(WORDS): array for name, array in whole.items() if name.startswith(WORDS)}
        index._keywords = _core.KeywordIndex.of_image(words)
        return index

    def _arrays(self) -> Arrays:
        return {**self._table.arrays(), **self._sequences.arrays()}

    # Writing

    def apply(self, rows: IndexRows) -> None:
        """Add items, or replace those with the same ids.

        Raises:
            EmbedderMismatch: a vector has another length than the others; nothing is changed then.
        """
        self.update([rows], ())

    def remove(self, ids: Iterable[str]) -> None:
        """Remove items; unknown ids are passed over."""
        self.update((), ids)

    def update(self, parts: Sequence[IndexRows], removed: Iterable[str]) -> None:
        """Remove items and add or replace others; readers see both or neither.

        Raises:
            EmbedderMismatch: a vector has another length than the others; nothing is changed then.
        """
        gone, parts = list(removed), [rows for rows in parts if rows]
        with self._lock.writing():
            self._table.check(parts)
            changed = [self._clear(gone)] if gone else []
            if parts:
                new = sum(len(rows) for rows in parts)
                self._table.reserve(len(self._table.ids) + new, parts[0].vectors.shape[1])
                self._sequences.reserve(len(self._table.matrix))
            changed += [self._write(rows) for rows in parts]
            groups = np.unique(np.concatenate(changed)) if changed else np.zeros(0, dtype=np.int64)
            self._sequences.refresh(groups, self._table.matrix)

    def _clear(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """Remove items; returns the sequences that changed."""
        cleared = self._table.clear(ids)
        self._keywords.remove(cleared)
        return self._sequences.remove(cleared.astype(np.intp))

    def _write(self, rows: IndexRows) -> NDArray[np.int64]:
        """Write items; returns the sequences that changed."""
        since = min((pin._pinned_epoch for pin in self._pins), default=self._table.epoch)
        numbers = self._table.place(rows, since=since)
        groups = sequences_of(rows)
        self._keywords.add(numbers, rows.tokens, groups, rows.ordinals)
        return self._sequences.add(numbers.astype(np.intp), groups, rows.ordinals)

    # Masks

    def live_mask(self, moment: int | None = None) -> Mask:
        """Return a mask of the items that hold and are not put away, nor, given a moment (µs), have expired by it."""
        with self._lock.reading():
            mask = self._present & ~self._table.ended[: self._size]
            return mask if moment is None else mask & (self._table.figures["until"][: self._size] > moment)

    def true_mask(self, moment: int) -> Mask:
        """Return a mask of the items that were true at a moment, UTC microseconds, those that ended since included."""
        with self._lock.reading():
            figures = self._table.figures[: self._size]
            return self._present & (figures["since"] <= moment) & (moment < figures["until"])

    def present_mask(self) -> Mask:
        """Return a mask of all items, superseded ones included."""
        with self._lock.reading():
            return self._present.copy()

    def mask_of(self, ids: Iterable[str]) -> Mask:
        """Return a mask of these items; unknown ids are passed over."""
        with self._lock.reading():
            mask = np.zeros(self._size, dtype=np.bool_)
            numbers = self._numbers(ids)
            mask[numbers[numbers >= 0]] = True
            return mask

    def known(self, ids: Iterable[str], mask: Mask) -> list[str]:
        """Return those of the ids whose rows the mask allows, in order."""
        asked = list(ids)
        with self._lock.reading():
            # One more place behind the last row, which is where -1 points.
            allowed = np.append(self._allowed(mask), False)
            shown = allowed[self._numbers(asked)]
        return [item_id for item_id, seen in zip(asked, shown.tolist(), strict=True) if seen]

    # Searching

    def dense(self, query_vector: Vector, k: int, mask: Mask) -> tuple[list[str], Scores]:
        """Return the k items with the largest cosine, exactly.

        Args:
            query_vector: (d,), of length 1.
            k: how many; fewer come back when the mask allows fewer.
            mask: rows that may be returned.

        Returns:
            Ids and cosines, best first.

        Raises:
            EmbedderMismatch: the vector has another length than those of the index.
        """
        with self._lock.reading():
            query = self._query(query_vector)
            if query is None:
                return [], np.zeros(0, dtype=np.float32)
            rows, cosines = self._top_k(query, k, self._allowed(mask), joined=False)
            return self._ids(rows), cosines

    def contextual(self, query_vector: Vector, k: int, mask: Mask) -> tuple[list[str], Scores]:
        """Return the k items with the largest cosine of their vector joined with their neighbours'.

        Args:
            query_vector: (d,), of length 1.
            k: how many; fewer come back when the mask allows fewer.
            mask: rows that may be returned.

        Returns:
            Ids and cosines, best first; equal ones in the order of their rows.

        Raises:
            EmbedderMismatch: the vector has another length than those of the index.
        """
        with self._lock.reading():
            query = self._query(query_vector)
            if query is None:
                return [], np.zeros(0, dtype=np.float32)
            rows, scores = self._top_k(query, k, self._allowed(mask), joined=True)
            return self._ids(rows), scores

    def keyword(
        self, tokens: Sequence[str], k: int, mask: Mask, spread: Sequence[float] | None = None
    ) -> tuple[list[str], Scores]:
        """Return the k items that match the words best: BM25 on a fixed scale.

        Args:
            tokens: index tokens of the question.
            k: how many.
            mask: rows that may be returned.
            spread: with what weight the neighbours at distance 1, 2 … lend their words; None for the index's own.

        Returns:
            Ids and scores, best first; only items that share a word, their own or a lent one.
        """
        with self._lock.reading():
            rows, scores = self._keywords.search(list(tokens), k, self._allowed(mask), self._spread(spread))
            return self._ids(rows), scores

    # Figures of given items, in their order; an item that is not there gets what counts least

    def signals(
        self, ids: Sequence[str], query_vector: Vector | None, tokens: Sequence[str] | None
    ) -> Signals:
        """Return all signals of items, whoever proposed them, from one state of the index.

        Args:
            ids: the items.
            query_vector: (d,), of length 1; without it the cosines are 0.
            tokens: index tokens of the question; without them the keyword scores are 0.

        Raises:
            EmbedderMismatch: the vector has another length than those of the index.
        """
        with self._lock.reading():
            numbers = self._numbers(ids)
            nothing = np.zeros(len(numbers), dtype=np.float32)
            cosine, joined = self._similarities(numbers, query_vector)
            return Signals(
                cosine=cosine,
                joined=joined,
                own=self._keyword_scores(numbers, tokens, ()) if tokens is not None else nothing,
                lent=self._keyword_scores(numbers, tokens, None) if tokens is not None else nothing,
                session=self._session_scores(numbers, tokens) if tokens is not None else nothing,
                traits=self._table.traits(numbers),
            )

    def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """Return the items' own vectors, (len(ids), d); zeros for an item that is not there."""
        with self._lock.reading():
            numbers = self._numbers(ids)
            vectors = self._table.matrix[numbers]
            vectors[numbers < 0] = 0.0
            return vectors

    def named(self, words: Collection[str]) -> dict[str, int]:
        """Return the speakers whose names are among a question's index tokens, with their numbers in `traits`."""
        with self._lock.reading():
            return self._table.speakers.named(words)

    def columns(self, ids: Sequence[str]) -> Columns:
        """Return what a scoring profile needs of items."""
        with self._lock.reading():
            return self._table.columns(self._numbers(ids))

    # Below, the caller holds the lock

    @property
    def _size(self) -> int:
        return len(self._table.ids) if self._pinned_size is None else self._pinned_size

    @property
    def _present(self) -> Mask:
        return self._table.present[: self._size]

    def _ids(self, rows: NDArray[np.uint32]) -> list[str]:
        return self._table.ids.names(rows)

    def _numbers(self, ids: Iterable[str]) -> NDArray[np.intp]:
        """Return the row of each item, -1 for one that the view does not show."""
        numbers = self._table.ids.rows(list(ids)).astype(np.intp)
        numbers[numbers >= self._size] = -1
        return numbers

    def _allowed(self, mask: Mask) -> Mask:
        """Return a mask cut or filled up to the rows in use, without those that have been freed."""
        allowed = np.zeros(self._size, dtype=np.bool_)
        shared = min(len(mask), self._size)
        np.logical_and(mask[:shared], self._present[:shared], out=allowed[:shared])
        return allowed

    def _query(self, vector: Vector) -> Vector | None:
        """Return the query as the kernels want it; None while there is nothing to compare with."""
        query = np.ascontiguousarray(vector, dtype=np.float32)
        dimension = self._table.dimension
        if dimension is None:
            return None
        if query.shape != (dimension,):
            raise mismatch(query.size, dimension)
        return query

    def _top_k(
        self, query: Vector, k: int, allowed: Mask, *, joined: bool
    ) -> tuple[NDArray[np.uint32], Scores]:
        size, table = self._size, self._table
        matrix, codes = table.matrix[:size], table.codes[:size]
        scales, errors = table.scales[:size], table.errors[:size]
        alone = np.ones(size, dtype=np.float32)
        norms, sides = self._sequences.parts(size) if joined else (alone, [])
        weights = self._sequences.weights if joined else ()
        return _core.joined_top_k(matrix, codes, scales, errors, query, k, allowed, norms, weights, sides)

    def _similarities(self, numbers: NDArray[np.intp], query_vector: Vector | None) -> tuple[Scores, Scores]:
        """Return the cosines of rows alone, and joined with their neighbours."""
        cosine, joined = np.zeros((2, len(numbers)), dtype=np.float32)
        query = None if query_vector is None else self._query(query_vector)
        there = numbers >= 0
        if query is not None and there.any():
            rows = numbers[there]
            products = self._products(query, self._sequences.reach(rows, self._size))
            cosine[there] = products[rows]
            joined[there] = self._sequences.join(products, rows)
        return cosine, joined

    def _session_scores(self, numbers: NDArray[np.intp], tokens: Sequence[str]) -> Scores:
        scores = np.zeros(len(numbers), dtype=np.float32)
        there = numbers >= 0
        scores[there] = self._keywords.group_scores(list(tokens), numbers[there].astype(np.uint32))
        return scores

    def _keyword_scores(
        self, numbers: NDArray[np.intp], tokens: Sequence[str], spread: Sequence[float] | None
    ) -> Scores:
        scores = np.zeros(len(numbers), dtype=np.float32)
        there = numbers >= 0
        if there.any():
            rows = numbers[there].astype(np.uint32)
            scores[there] = self._keywords.scores(list(tokens), rows, self._spread(spread))
        return scores

    def _products(self, query: Vector, rows: NDArray[np.intp]) -> Scores:
        """Return the dot products (n,) of the view's rows with a query; 0 for those that are not asked for."""
        products = np.zeros(self._size, dtype=np.float32)
        # Not by BLAS, whose threads wait for one another by spinning.
        products[rows] = _core.cosine_scores(self._table.matrix, rows.astype(np.uint32), query)
        return products

    def _spread(self, spread: Sequence[float] | None) -> list[float]:
        return list(self._sequences.weights if spread is None else spread)


def _prefixed(prefix: str, arrays: Arrays) -> Arrays:
    return {prefix + name: array for name, array in arrays.items()}
