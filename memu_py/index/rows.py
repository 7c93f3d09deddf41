"""The rows of an index: a matrix and columns that grow together, and which item stands in which row."""

import dataclasses
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memu_py import _core
from memu_py.errors import EmbedderMismatch
from memu_py.index.speakers import NOBODY, Speakers
from memu_py.storage.index_row import IndexRow

T = TypeVar("T", bound=np.generic)

FIRST_ROWS = 16
"""Rows set aside with the first item."""

GROWTH = 1.5
"""By how much a full table grows."""

ID_BYTES = 250
"""What one id costs in the list and the dictionary, about (CPython, ids of 36 characters)."""

NO_GROUP = -1
"""The group of an item that stands in no sequence."""

MAX_WORDS = np.iinfo(np.uint16).max

DAY_US = 86_400_000_000

UNKNOWN = np.iinfo(np.int64).min
"""A time that nobody knows."""

FIGURES = np.dtype(
    [
        ("clock", np.int64),
        ("importance", np.float32),
        ("arousal", np.float32),
        ("mentions", np.uint32),
        ("accesses", np.uint32),
        ("speaker", np.int32),
        ("words", np.uint16),
        ("said", np.int64),
        ("happened", np.int64),
        ("asks", np.bool_),
    ]
)

NEUTRAL = np.array([(0, np.nan, 0.0, 1, 0, NOBODY, 0, UNKNOWN, UNKNOWN, False)], dtype=FIGURES)
"""Figures of an item that is not there; they also stand behind the last row, where -1 finds them."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Columns:
    """Figures of some items, in the order asked for.

    Attributes:
        clock: (n,) int64, when the item's age starts, UTC microseconds.
        importance: (n,) float32, 1 to 10 or NaN.
        arousal: (n,) float32, 0 to 1.
        mentions: (n,) uint32, at least 1.
        accesses: (n,) uint32, as they were when the row was last read from the store.
    """

    clock: NDArray[np.int64]
    importance: NDArray[np.float32]
    arousal: NDArray[np.float32]
    mentions: NDArray[np.uint32]
    accesses: NDArray[np.uint32]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Traits:
    """What some items are like, in the order asked for.

    Attributes:
        speaker: (n,) int32, number of who said it, `NOBODY` where nobody is known.
        words: (n,) uint16, index tokens it has.
        said: (n,) int64, when it was said, UTC microseconds, or `UNKNOWN`.
        happened: (n,) int64, when it happened, likewise.
        asks: (n,) bool, it ends with a question.
    """

    speaker: NDArray[np.int32]
    words: NDArray[np.uint16]
    said: NDArray[np.int64]
    happened: NDArray[np.int64]
    asks: NDArray[np.bool_]


F = TypeVar("F", Columns, Traits)


class RowTable:
    """Items by row. A row number stays with its item until the item goes; freed rows are used again.

    A freed row carries the epoch of its removal, so that it is not used again while somebody still holds a
    mask from before. The caller does the locking.

    Attributes:
        matrix: (capacity, d) float32.
        codes: (capacity, d) int8, the same for a first pass; with `scales` and `errors`, (capacity,) float32 each.
        present: (capacity,), true where an item stands.
        ended: (capacity,), true where that item holds no longer.
        ids: the item of each row, empty for a freed one; its length is the number of rows in use.
        rows: row by item.
        epoch: grows with every removal.
        speakers: everybody who says something in it.
    """

    def __init__(self, dimension: int | None = None) -> None:
        self.matrix: NDArray[np.float32] = np.empty((0, dimension or 0), dtype=np.float32)
        self.codes: NDArray[np.int8] = np.empty((0, dimension or 0), dtype=np.int8)
        self.scales: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.errors: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.present: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.ended: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self.epoch = 0
        self.speakers = Speakers()
        self._figures = NEUTRAL.copy()
        self._groups: dict[tuple[str, int | None], int] = {}
        self._freed: deque[tuple[int, int]] = deque()

    @property
    def dimension(self) -> int | None:
        """Length of the vectors; None while no vector has come."""
        return self.matrix.shape[1] or None

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        vectors = (self.matrix, self.codes, self.scales, self.errors)
        arrays = (*vectors, self.present, self.ended, self._figures)
        return sum(array.nbytes for array in arrays) + ID_BYTES * (len(self.ids) + len(self._groups))

    def check(self, rows: Iterable[IndexRow]) -> None:
        """Make sure that all vectors have the table's length.

        Raises:
            EmbedderMismatch: one has not.
        """
        dimension = self.dimension
        for row in rows:
            dimension = dimension or row.vector.size
            if row.vector.shape != (dimension,):
                raise mismatch(row.vector.size, dimension)

    def place(self, rows: Sequence[IndexRow], *, since: int) -> NDArray[np.uint32]:
        """Write items, each into its own row, a freed one or a new one.

        Args:
            rows: checked, no item twice.
            since: the oldest epoch that somebody still reads in; rows freed later stay empty.

        Returns:
            Their row numbers, (len(rows),).
        """
        numbers = [self._number(row.id, since) for row in rows]
        self._reserve(len(self.ids), rows[0].vector.size)
        vectors = np.stack([row.vector for row in rows])
        self.matrix[numbers] = vectors
        self.codes[numbers], self.scales[numbers], self.errors[numbers] = _core.quantize(vectors)
        self._figures[numbers] = np.array([self._of(row) for row in rows], dtype=FIGURES)
        self.ended[numbers] = [row.ended for row in rows]
        self.present[numbers] = True
        return np.array(numbers, dtype=np.uint32)

    def _of(self, row: IndexRow) -> tuple[Any, ...]:
        speaker, words = self.speakers.number(row.speaker), min(len(row.tokens), MAX_WORDS)
        counts = (row.clock, row.importance, row.arousal, row.mentions, row.access_count)
        times = (UNKNOWN if time is None else time for time in (row.said_at, row.happened_at))
        return (*counts, speaker, words, *times, row.asks)

    def _number(self, item_id: str, since: int) -> int:
        number = self.rows.get(item_id)
        if number is None:
            if self._freed and self._freed[0][0] <= since:
                _, number = self._freed.popleft()
                self.ids[number] = item_id
            else:
                number = len(self.ids)
                self.ids.append(item_id)
            self.rows[item_id] = number
        return number

    def _reserve(self, size: int, dimension: int) -> None:
        have = len(self.present)
        if size <= have:
            return
        capacity = max(size, FIRST_ROWS, int(have * GROWTH))
        self.matrix = _grown(self.matrix, capacity, dimension)
        more = capacity - have
        self.codes = _grown(self.codes, capacity, dimension)
        self.scales = np.concatenate([self.scales, np.zeros(more, dtype=np.float32)])
        self.errors = np.concatenate([self.errors, np.zeros(more, dtype=np.float32)])
        self.present = np.concatenate([self.present, np.zeros(more, dtype=np.bool_)])
        self.ended = np.concatenate([self.ended, np.zeros(more, dtype=np.bool_)])
        self._figures = np.concatenate([self._figures, np.repeat(NEUTRAL, more)])

    def clear(self, ids: Iterable[str]) -> NDArray[np.uint32]:
        """Empty the rows of items; unknown ones are passed over. Returns their row numbers."""
        numbers = [self.rows.pop(item_id) for item_id in dict.fromkeys(ids) if item_id in self.rows]
        self.epoch += 1
        for number in numbers:
            self.ids[number] = ""
            self.matrix[number] = 0.0
            self.codes[number] = 0
            self._freed.append((self.epoch, number))
        self.scales[numbers] = 0.0
        self.errors[numbers] = 0.0
        self.present[numbers] = False
        self._figures[numbers] = NEUTRAL
        return np.array(numbers, dtype=np.uint32)

    def groups(self, rows: Iterable[IndexRow]) -> NDArray[np.int64]:
        """Return a number for the sequence of each item: its resource on one day.

        `NO_GROUP` where there is none, or the item has ended.
        """
        return np.array([self._group(row) for row in rows], dtype=np.int64)

    def _group(self, row: IndexRow) -> int:
        if row.resource_id is None or row.ended:
            return NO_GROUP
        said_on = None if row.said_at is None else row.said_at // DAY_US
        return self._groups.setdefault((row.resource_id, said_on), len(self._groups))

    def columns(self, numbers: NDArray[np.intp]) -> Columns:
        """Return the figures of some rows; -1 stands for an item that is not there and gets neutral ones."""
        return self._read(Columns, numbers)

    def traits(self, numbers: NDArray[np.intp]) -> Traits:
        """Return what some rows are like; -1 stands for an item that is not there and gets neutral ones."""
        return self._read(Traits, numbers)

    def _read(self, kind: type[F], numbers: NDArray[np.intp]) -> F:
        """Return the figures that a kind of record has as its fields."""
        figures = self._figures[numbers]
        return kind(
            **{field.name: np.ascontiguousarray(figures[field.name]) for field in dataclasses.fields(kind)}
        )


def _grown(array: NDArray[T], rows: int, columns: int) -> NDArray[T]:
    grown = np.zeros((rows, columns), dtype=array.dtype)
    grown[: len(array), : array.shape[1]] = array
    return grown


def mismatch(found: int, expected: int) -> EmbedderMismatch:
    """Return the error for a vector of another length than those of the index."""
    return EmbedderMismatch(
        f"a vector has {found} dimensions where the index has {expected}: they come from different embedders",
        hint="run `memu reindex`, or configure the embedder that filled the store",
    )
