"""The rows of an index: a matrix and columns that grow together, and which item stands in which row."""

import dataclasses
import hashlib
from collections import deque
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memu_py import _core
from memu_py.index.arrays import Arrays, grown
from memu_py.index.speakers import NOBODY, Speakers
from memu_py.storage.index_rows import FOREVER, TOKEN_SEPARATOR, UNKNOWN, IndexRows, mismatch

FIRST_ROWS = 16
"""Rows set aside with the first item."""

GROWTH = 1.5
"""By how much a full table grows."""

NO_GROUP = -1
"""The group of an item that stands in no sequence."""

MAX_WORDS = np.iinfo(np.uint16).max

DAY_US = 86_400_000_000

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
        ("since", np.int64),
        ("until", np.int64),
    ]
)

NEUTRAL = np.array(
    (0, np.nan, 0.0, 1, 1, NOBODY, 0, UNKNOWN, UNKNOWN, False, UNKNOWN, FOREVER), dtype=FIGURES
)
"""Figures of an item that is not there."""

BY_ROW = ("matrix", "codes", "scales", "errors", "present", "ended", "figures")
"""Arrays of a table with one entry a row."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Columns:
    """Figures of some items, in the order asked for.

    Attributes:
        clock: (n,) int64, when the item's age starts, UTC microseconds.
        importance: (n,) float32, 1 to 10 or NaN.
        arousal: (n,) float32, 0 to 1.
        mentions: (n,) uint32, at least 1.
        accesses: (n,) uint32, reads and one with what feedback adds and takes, as they were when the row was last
            read from the store.
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
        figures: (capacity,), the rest.
        ids: the item of each row.
        epoch: grows with every removal.
        speakers: everybody who says something in it.
    """

    def __init__(self, dimension: int | None = None) -> None:
        self.matrix: NDArray[np.float32] = np.zeros((0, dimension or 0), dtype=np.float32)
        self.codes: NDArray[np.int8] = np.zeros((0, dimension or 0), dtype=np.int8)
        self.scales: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.errors: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self.present: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.ended: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.figures = np.zeros(0, dtype=FIGURES)
        self.ids = _core.RowIds()
        self.epoch = 0
        self.speakers = Speakers()
        self._freed: deque[tuple[int, int]] = deque()

    @property
    def dimension(self) -> int | None:
        """Length of the vectors; None while no vector has come."""
        return self.matrix.shape[1] or None

    def arrays(self) -> Arrays:
        """Return what it holds by name: one entry a row, and room for more rows."""
        return {name: getattr(self, name) for name in BY_ROW}

    def adopt(self, arrays: Arrays, ids: _core.RowIds, speakers: Speakers) -> None:
        """Take over arrays that `arrays` gave, and what goes with them."""
        for name in BY_ROW:
            setattr(self, name, arrays[name])
        self.ids, self.speakers = ids, speakers
        freed = np.flatnonzero(~self.present[: len(ids)])
        self._freed = deque((self.epoch, row) for row in freed.tolist())

    def check(self, parts: Sequence[IndexRows]) -> None:
        """Make sure that all vectors have the table's length, or one length while it has none.

        Raises:
            EmbedderMismatch: they have not.
        """
        lengths = [rows.vectors.shape[1] for rows in parts]
        for length in lengths:
            if length != (self.dimension or lengths[0]):
                raise mismatch(length, self.dimension or lengths[0])

    def place(self, rows: IndexRows, *, since: int) -> NDArray[np.uint32]:
        """Write items, each into its own row, a freed one or a new one.

        Args:
            rows: checked.
            since: the oldest epoch that somebody still reads in; rows freed later stay empty.

        Returns:
            Their row numbers, (len(rows),).
        """
        numbers = self._numbered(rows.ids, since)
        self.reserve(len(self.ids), rows.vectors.shape[1])
        where = _run(numbers)
        self.matrix[where] = rows.vectors
        self.codes[where], self.scales[where], self.errors[where] = _core.quantize(rows.vectors)
        self.ended[where] = rows.ended
        self.present[where] = True
        self.figures[where] = self._figures_of(rows)
        return numbers

    def _figures_of(self, rows: IndexRows) -> NDArray[np.void]:
        figures = np.empty(len(rows), dtype=FIGURES)
        words = [text.count(TOKEN_SEPARATOR) + 1 if text else 0 for text in rows.tokens]
        figures["clock"], figures["importance"], figures["arousal"] = (
            rows.clock,
            rows.importance,
            rows.arousal,
        )
        figures["mentions"], figures["accesses"] = rows.mentions, rows.access_count
        figures["speaker"] = [self.speakers.number(name) for name in rows.speakers]
        figures["words"] = np.minimum(words, MAX_WORDS)
        figures["said"], figures["happened"], figures["asks"] = rows.said_at, rows.happened_at, rows.asks
        figures["since"], figures["until"] = rows.since, rows.until
        return figures

    def _numbered(self, ids: Sequence[str], since: int) -> NDArray[np.uint32]:
        """Return the rows of items; new ones get a row that is free, or one after the last."""
        numbers = self.ids.rows(ids)
        new = np.flatnonzero(numbers < 0)
        free: list[int] = []
        while self._freed and self._freed[0][0] <= since and len(free) < len(new):
            free.append(self._freed.popleft()[1])
        numbers[new] = [*free, *range(len(self.ids), len(self.ids) + len(new) - len(free))]
        rows = numbers.astype(np.uint32)
        self.ids.put(rows[new], [ids[place] for place in new.tolist()])
        return rows

    def reserve(self, size: int, dimension: int) -> None:
        """Make room for so many rows."""
        have = len(self.present)
        if size <= have:
            return
        if not have:
            self.matrix = np.zeros((0, dimension), dtype=np.float32)
            self.codes = np.zeros((0, dimension), dtype=np.int8)
        capacity = max(size, FIRST_ROWS, int(have * GROWTH))
        for name, array in self.arrays().items():
            setattr(self, name, grown(array, capacity, NEUTRAL if name == "figures" else 0))

    def clear(self, ids: Sequence[str]) -> NDArray[np.uint32]:
        """Empty the rows of items; unknown ones are passed over. Returns their row numbers."""
        rows = self.ids.free(ids)
        self.epoch += 1
        self._freed.extend((self.epoch, row) for row in rows.tolist())
        for array in self.arrays().values():
            array[rows] = NEUTRAL if array is self.figures else 0
        return rows

    def columns(self, numbers: NDArray[np.intp]) -> Columns:
        """Return the figures of some rows; -1 stands for an item that is not there and gets neutral ones."""
        return self._read(Columns, numbers)

    def traits(self, numbers: NDArray[np.intp]) -> Traits:
        """Return what some rows are like; -1 stands for an item that is not there and gets neutral ones."""
        return self._read(Traits, numbers)

    def _read(self, kind: type[F], numbers: NDArray[np.intp]) -> F:
        """Return the figures that a kind of record has as its fields."""
        figures = self.figures[numbers] if len(self.figures) else np.repeat(NEUTRAL, len(numbers))
        figures[numbers < 0] = NEUTRAL
        return kind(
            **{field.name: np.ascontiguousarray(figures[field.name]) for field in dataclasses.fields(kind)}
        )


def _run(numbers: NDArray[np.uint32]) -> slice | NDArray[np.uint32]:
    """Return rows that follow one another as a slice, which is written several times as fast."""
    first = int(numbers[0])
    follow = np.array_equal(numbers, np.arange(first, first + len(numbers)))
    return slice(first, first + len(numbers)) if follow else numbers


def sequences_of(rows: IndexRows) -> NDArray[np.int64]:
    """Return a number for the sequence of each item: its resource on one day, the same in every process.

    `NO_GROUP` where there is none, or the item has ended.
    """
    numbers: dict[tuple[str, int], int] = {}
    groups = np.full(len(rows), NO_GROUP, dtype=np.int64)
    days = (rows.said_at // DAY_US).tolist()
    for place, resource_id in enumerate(rows.resource_ids):
        if resource_id is not None and not rows.ended[place]:
            session = (resource_id, days[place])
            if session not in numbers:
                numbers[session] = _number(*session)
            groups[place] = numbers[session]
    return groups


def _number(resource_id: str, day: int) -> int:
    """Return 63 bits of a hash: among a million sessions, two of one number are as good as impossible."""
    digest = hashlib.blake2b(f"{day} {resource_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
