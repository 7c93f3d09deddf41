"""Neighbours at query time: joined similarities equal those of joined vectors."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memu_py.index.partition import PartitionIndex
from memu_py.index.rows import DAY_US
from memu_py.index.sequences import NOBODY, Sequences
from memu_py.storage.index_rows import IndexRow, IndexRows

WEIGHTS = (0.5, 0.25)
DIMENSION = 6


def unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def vectors(count: int, seed: int = 1) -> NDArray[np.float32]:
    return unit(np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32))


def row(
    name: str, vector: NDArray[np.float32], group: str | None, ordinal: int, *, ended: bool = False
) -> IndexRow:
    return IndexRow(
        id=name,
        resource_id=group,
        ordinal=ordinal,
        vector=vector,
        tokens=(name,),
        clock=0,
        importance=float("nan"),
        arousal=0.0,
        mentions=1,
        access_count=0,
        ended=ended,
    )


def joined_by_hand(rows: Sequence[IndexRow], query: NDArray[np.float32]) -> dict[str, float]:
    """The cosine of each item's vector plus its neighbours', built in full."""
    found: dict[str, float] = {}
    for one in rows:
        line = sorted(
            (other for other in rows if one.resource_id is not None and other.resource_id == one.resource_id),
            key=lambda other: (other.ordinal, rows.index(other)),
        )
        vector = one.vector.astype(np.float64)
        place = line.index(one) if one in line else 0
        for distance, weight in enumerate(WEIGHTS, 1):
            for beside in (place - distance, place + distance):
                if 0 <= beside < len(line):
                    vector = vector + weight * line[beside].vector
        length = float(np.linalg.norm(vector))
        found[one.id] = float(vector @ query) / (length or 1.0)
    return found


def check(index: PartitionIndex, rows: Sequence[IndexRow], query: NDArray[np.float32]) -> None:
    wanted = joined_by_hand(rows, query)
    ids = [one.id for one in rows]
    assert index.signals(ids, query, None).joined.tolist() == pytest.approx(
        [wanted[name] for name in ids], abs=1e-5
    )
    best, scores = index.contextual(query, len(ids), index.present_mask())
    assert sorted(best) == sorted(ids)
    assert scores.tolist() == sorted(scores.tolist(), reverse=True)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=12, unique=True),
    st.lists(st.integers(0, 11), max_size=5, unique=True),
    st.integers(0, 1000),
)
def test_joined_similarities_stay_right_when_neighbours_come_and_go(
    places: list[tuple[int, int]], leaving: list[int], seed: int
) -> None:
    matrix = vectors(len(places) + 1, seed)
    rows = [row(f"i{n}", matrix[n], f"r{group}", ordinal) for n, (group, ordinal) in enumerate(places)]
    index = PartitionIndex(neighbours=WEIGHTS)
    for one in rows:
        index.apply(IndexRows.of([one]))
    check(index, rows, matrix[-1])
    gone = {f"i{n}" for n in leaving}
    index.remove(gone)
    rest = [one for one in rows if one.id not in gone]
    check(index, rest, matrix[-1])
    moved = [row(one.id, one.vector, "r9", 5 - one.ordinal) for one in rest]
    if len({one.ordinal for one in moved}) == len(moved):
        index.apply(IndexRows.of(moved))
        check(index, moved, matrix[-1])


def test_items_without_a_sequence_and_ended_ones_lend_nothing() -> None:
    matrix = vectors(4)
    index = PartitionIndex(neighbours=WEIGHTS)
    rows = [
        row("alone", matrix[0], None, 0),
        row("old", matrix[1], "r", 0, ended=True),
        row("new", matrix[2], "r", 0),
    ]
    index.apply(IndexRows.of(rows))
    own = index.signals(["alone", "old", "new"], matrix[3], None).cosine
    assert index.signals(["alone", "old", "new"], matrix[3], None).joined.tolist() == pytest.approx(
        own.tolist(), abs=1e-6
    )


def test_what_was_said_on_another_day_is_no_neighbour() -> None:
    basis = np.eye(DIMENSION, dtype=np.float32)
    index = PartitionIndex(neighbours=WEIGHTS)
    days = [20_000, 20_000, 20_001]
    index.apply(
        IndexRows.of(
            [row(f"i{n}", basis[n], "r", n)._replace(said_at=day * DAY_US) for n, day in enumerate(days)]
        )
    )
    joined = index.signals(["i0", "i1", "i2"], basis[1], None).joined.tolist()
    assert joined[0] > 0.4
    assert joined[2] == 0.0


def test_a_turn_is_found_by_what_was_said_beside_it() -> None:
    basis = np.eye(DIMENSION, dtype=np.float32)
    index = PartitionIndex(neighbours=WEIGHTS)
    index.apply(
        IndexRows.of(
            [
                row("question", basis[0], "r", 0),
                row("answer", basis[1], "r", 1),
                row("other", basis[2], "q", 0),
            ]
        )
    )
    ids, scores = index.contextual(basis[0], 2, index.present_mask())
    assert ids == ["question", "answer"]
    assert scores[1] > 0.4
    assert index.dense(basis[0], 2, index.present_mask())[1][1] == 0.0


def test_the_mask_k_and_an_empty_index_are_kept_to() -> None:
    matrix = vectors(5)
    empty = PartitionIndex(neighbours=WEIGHTS)
    assert empty.contextual(matrix[0], 3, empty.present_mask())[0] == []
    assert empty.signals(["x"], matrix[0], None).joined.tolist() == [0.0]
    index = PartitionIndex(neighbours=WEIGHTS)
    index.apply(IndexRows.of([row(f"i{n}", matrix[n], "r", n) for n in range(5)]))
    mask = index.mask_of(["i1", "i3"])
    assert set(index.contextual(matrix[0], 9, mask)[0]) == {"i1", "i3"}
    assert index.contextual(matrix[0], 0, mask)[0] == []
    assert len(index.contextual(matrix[0], 2, index.present_mask())[0]) == 2
    assert index.signals(["nobody"], matrix[0], None).joined.tolist() == [0.0]


def test_equal_similarities_come_in_the_order_of_their_rows() -> None:
    same = vectors(1)[0]
    index = PartitionIndex(neighbours=WEIGHTS)
    index.apply(IndexRows.of([row(f"i{n}", same, None, 0) for n in range(6)]))
    assert index.contextual(same, 3, index.present_mask())[0] == ["i0", "i1", "i2"]


def test_removing_what_is_in_no_sequence_changes_none() -> None:
    sequences = Sequences(WEIGHTS)
    third, first, none, seven = (np.array([value]) for value in (3, 0, NOBODY, 7))
    assert sequences.remove(third).tolist() == []
    assert sequences.add(first, none, first).tolist() == []
    assert sequences.add(first, seven, first).tolist() == [7]
    assert sequences.remove(first).tolist() == [7]
