"""What in-process indexes are made of."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import EmbedderMismatch
from memu_py.records.batch import Vector

UNKNOWN = int(np.iinfo(np.int64).min)
"""A time that nobody knows."""

FOREVER = int(np.iinfo(np.int64).max)
"""The end of what still holds."""

TOKEN_SEPARATOR = "\n"
"""Stands between the tokens of an item; none of them holds one."""


class IndexRow(NamedTuple):
    """What an in-process index holds of one item.

    Attributes:
        id: the item.
        resource_id: the resource of its first source, for its neighbours; None for items made by hand.
        ordinal: the segment of its first source.
        vector: its embedding.
        tokens: its index tokens, repeats kept.
        clock: when its age starts, UTC microseconds: `happened_at` for events and episodes, else the last
            reinforcement, else `said_at`, else `created_at`.
        importance: 1 to 10, NaN when unknown.
        arousal: 0 to 1, 0 when unknown.
        mentions: at least 1.
        access_count: how often it was retrieved, and one, with what feedback adds and takes; at least 0.
        ended: superseded, its `valid_to` is set, or put away.
        speaker: who said it.
        said_at: when it was said, UTC microseconds; None when nobody knows. What was said on another day is another
            session, and no neighbour.
        happened_at: when it happened, likewise.
        asks: it ends with a question.
        since: when it became true, as far as is known: when it was said (else stored), or happened, if that was before;
            UTC microseconds.
        until: when it stopped being true, expires or was put away; None while it holds.
    """

    id: str
    resource_id: str | None
    ordinal: int
    vector: Vector
    tokens: tuple[str, ...]
    clock: int
    importance: float
    arousal: float
    mentions: int
    access_count: int
    ended: bool
    speaker: str | None = None
    said_at: int | None = None
    happened_at: int | None = None
    asks: bool = False
    since: int = UNKNOWN
    until: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class IndexRows:
    """Many `IndexRow`s, field by field; no item twice.

    Attributes:
        ids: the items.
        resource_ids: None for items made by hand.
        ordinals: (n,) int64.
        vectors: (n, d) float32.
        tokens: of each item, one a line.
        clock: (n,) int64.
        importance: (n,) float32, NaN when unknown.
        arousal: (n,) float32.
        mentions: (n,) uint32.
        access_count: (n,) uint32.
        ended: (n,) bool.
        speakers: who said each.
        said_at: (n,) int64, `UNKNOWN` when nobody knows.
        happened_at: (n,) int64, likewise.
        asks: (n,) bool.
        since: (n,) int64.
        until: (n,) int64, `FOREVER` while it holds.
    """

    ids: Sequence[str]
    resource_ids: Sequence[str | None]
    ordinals: NDArray[np.int64]
    vectors: NDArray[np.float32]
    tokens: Sequence[str]
    clock: NDArray[np.int64]
    importance: NDArray[np.float32]
    arousal: NDArray[np.float32]
    mentions: NDArray[np.uint32]
    access_count: NDArray[np.uint32]
    ended: NDArray[np.bool_]
    speakers: Sequence[str | None]
    said_at: NDArray[np.int64]
    happened_at: NDArray[np.int64]
    asks: NDArray[np.bool_]
    since: NDArray[np.int64]
    until: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[IndexRow]) -> Self:
        """Put rows together; of two of one item the last counts.

        Raises:
            EmbedderMismatch: their vectors differ in length.
        """
        distinct = {row.id: row for row in rows}.values()
        columns: dict[str, list[Any]] = {
            name: [row[place] for row in distinct] for place, name in enumerate(IndexRow._fields)
        }
        vectors: Sequence[Vector] = columns["vector"]
        for vector in vectors:
            if vector.shape != vectors[0].shape:
                raise mismatch(vector.size, vectors[0].size)
        return cls(
            ids=columns["id"],
            resource_ids=columns["resource_id"],
            ordinals=np.array(columns["ordinal"], dtype=np.int64),
            vectors=np.stack(vectors) if vectors else np.zeros((0, 0), dtype=np.float32),
            tokens=[TOKEN_SEPARATOR.join(tokens) for tokens in columns["tokens"]],
            clock=np.array(columns["clock"], dtype=np.int64),
            importance=np.array(columns["importance"], dtype=np.float32),
            arousal=np.array(columns["arousal"], dtype=np.float32),
            mentions=np.array(columns["mentions"], dtype=np.uint32),
            access_count=np.array(columns["access_count"], dtype=np.uint32),
            ended=np.array(columns["ended"], dtype=np.bool_),
            speakers=columns["speaker"],
            said_at=_times(columns["said_at"], UNKNOWN),
            happened_at=_times(columns["happened_at"], UNKNOWN),
            asks=np.array(columns["asks"], dtype=np.bool_),
            since=np.array(columns["since"], dtype=np.int64),
            until=_times(columns["until"], FOREVER),
        )

    @classmethod
    def of_words(
        cls,
        *,
        ids: Sequence[str],
        tokens: Sequence[str],
        resource_ids: Sequence[str | None],
        ordinals: Sequence[int],
        said_at: Sequence[int],
        ended: Sequence[bool],
    ) -> Self:
        """Put together what an index of words needs; vectors have no dimension, and figures count for nothing."""
        nothing = np.zeros(len(ids), dtype=np.float32)
        unknown = np.full(len(ids), UNKNOWN)
        return cls(
            ids=ids,
            resource_ids=resource_ids,
            ordinals=np.array(ordinals, dtype=np.int64),
            vectors=np.zeros((len(ids), 0), dtype=np.float32),
            tokens=tokens,
            clock=unknown,
            importance=nothing,
            arousal=nothing,
            mentions=np.ones(len(ids), dtype=np.uint32),
            access_count=np.ones(len(ids), dtype=np.uint32),
            ended=np.array(ended, dtype=np.bool_),
            speakers=[None] * len(ids),
            said_at=np.array(said_at, dtype=np.int64),
            happened_at=unknown,
            asks=np.zeros(len(ids), dtype=np.bool_),
            since=unknown,
            until=np.full(len(ids), FOREVER),
        )

    def words(self) -> Self:
        """Return the same rows with vectors of no dimension."""
        return dataclasses.replace(self, vectors=self.vectors[:, :0])

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> Self:
        """Return some of the rows, from one place to before another."""
        fields = dataclasses.fields(self)
        return type(self)(**{field.name: getattr(self, field.name)[start:stop] for field in fields})

    def __iter__(self) -> Iterator[IndexRow]:
        """Go through the rows one by one: for tests and small numbers."""
        for row in range(len(self)):
            yield IndexRow(
                id=self.ids[row],
                resource_id=self.resource_ids[row],
                ordinal=int(self.ordinals[row]),
                vector=self.vectors[row],
                tokens=tuple(self.tokens[row].split(TOKEN_SEPARATOR)) if self.tokens[row] else (),
                clock=int(self.clock[row]),
                importance=float(self.importance[row]),
                arousal=float(self.arousal[row]),
                mentions=int(self.mentions[row]),
                access_count=int(self.access_count[row]),
                ended=bool(self.ended[row]),
                speaker=self.speakers[row],
                said_at=_time(self.said_at[row], UNKNOWN),
                happened_at=_time(self.happened_at[row], UNKNOWN),
                asks=bool(self.asks[row]),
                since=int(self.since[row]),
                until=_time(self.until[row], FOREVER),
            )


def mismatch(found: int, expected: int) -> EmbedderMismatch:
    """Return the error for a vector of another length than the others."""
    return EmbedderMismatch(
        f"a vector has {found} dimensions where the index has {expected}: they come from different embedders",
        hint="run `memu reindex`, or configure the embedder that filled the store",
    )


def _times(values: Sequence[int | None], missing: int) -> NDArray[np.int64]:
    return np.array([missing if value is None else value for value in values], dtype=np.int64)


def _time(value: Any, missing: int) -> int | None:
    return None if value == missing else int(value)
