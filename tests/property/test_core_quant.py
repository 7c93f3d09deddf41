"""The byte scan answers as the full vectors do, with neighbours and without, whatever the mask."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memu_py import _core

NOBODY = -1
Floats = NDArray[np.float32]


def unit(seed: int, rows: int, dim: int) -> Floats:
    """Vectors of length 1 that lie close together, so that bytes alone would order them wrongly."""
    rng = np.random.default_rng(seed)
    centre = rng.standard_normal(dim)
    return _core.normalize((centre + 0.05 * rng.standard_normal((rows, dim))).astype(np.float32))


def sides_of(rows: int, groups: NDArray[np.int64], reach: int) -> list[NDArray[np.int32]]:
    """Neighbours at each distance, before and after, within runs of one group."""
    sides = []
    for distance in range(1, reach + 1):
        for step in (-distance, distance):
            beside = np.full(rows, NOBODY, dtype=np.int32)
            for row in range(rows):
                other = row + step
                if 0 <= other < rows and groups[other] == groups[row]:
                    beside[row] = other
            sides.append(beside)
    return sides


def plain(
    matrix: Floats, query: Floats, norms: Floats, weights: list[float], sides: list[NDArray[np.int32]]
) -> NDArray[np.float64]:
    own = np.append(matrix.astype(np.float64) @ query.astype(np.float64), 0.0)
    joined = own[:-1].copy()
    for distance, weight in enumerate(weights):
        for side in sides[2 * distance : 2 * distance + 2]:
            joined += weight * own[side]
    found: NDArray[np.float64] = joined / norms
    return found


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 60),
    st.integers(1, 130),
    st.integers(0, 12),
    st.lists(st.floats(0, 1), max_size=2),
    st.integers(1, 7),
)
def test_the_best_are_those_of_the_full_vectors(
    seed: int, rows: int, dim: int, k: int, weights: list[float], run: int
) -> None:
    rng = np.random.default_rng(seed)
    matrix = unit(seed, rows, dim)
    query = matrix[seed % rows].copy()
    mask = rng.random(rows) < 0.7
    norms = (1 + rng.random(rows)).astype(np.float32)
    sides = sides_of(rows, np.arange(rows) // run, len(weights))
    found, scores = _core.joined_top_k(matrix, *_core.quantize(matrix), query, k, mask, norms, weights, sides)
    expected = plain(matrix, query, norms, weights, sides)
    assert len(found) == min(k, int(mask.sum()))
    assert mask[found].all()
    np.testing.assert_allclose(scores, expected[found], atol=1e-5)
    left_out = np.setdiff1d(np.flatnonzero(mask), found)
    if len(found) and len(left_out):
        assert expected[left_out].max() <= scores.min() + 1e-5


@settings(deadline=None, max_examples=60)
@example(seed=0, rows=1, dim=2, size=1.608697096123169e-21)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 70), st.floats(0, 1e6))
def test_bytes_leave_out_no_more_than_they_say(seed: int, rows: int, dim: int, size: float) -> None:
    matrix = (np.random.default_rng(seed).standard_normal((rows, dim)) * size).astype(np.float32)
    codes, scales, errors = _core.quantize(matrix)
    left = np.linalg.norm(matrix.astype(np.float64) - codes * scales[:, None].astype(np.float64), axis=1)
    assert (left <= errors * (1 + 1e-4) + 1e-30).all()
    assert np.abs(codes.astype(int)).max() <= 127


def test_rows_beyond_a_view_are_nobodys_neighbours() -> None:
    matrix = np.eye(2, dtype=np.float32)
    sides = [np.array([7, -1], dtype=np.int32), np.array([1, 2], dtype=np.int32)]
    ones = np.ones(2, dtype=np.float32)
    found, scores = _core.joined_top_k(
        matrix, *_core.quantize(matrix), matrix[1], 2, np.ones(2, dtype=np.bool_), ones, [0.5], sides
    )
    assert (found.tolist(), scores.tolist()) == ([1, 0], [1.0, 0.5])


def test_nothing_is_found_among_nothing() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    none = np.zeros(0, dtype=np.float32)
    found, scores = _core.joined_top_k(
        empty, *_core.quantize(empty), np.ones(4, np.float32), 3, np.zeros(0, dtype=np.bool_), none
    )
    assert (found.tolist(), scores.tolist()) == ([], [])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"codes": np.zeros((2, 3), np.int8)}, "must fit"),
        ({"scales": np.zeros(3, np.float32)}, "`scales` has 3"),
        ({"mask": np.ones(3, np.bool_)}, "must fit"),
        ({"norms": np.ones(1, np.float32)}, "`norms` has 1"),
        ({"query": np.array([np.nan, 0, 0, 0], np.float32)}, "not finite"),
        ({"k": -1}, "`k` is -1"),
        ({"weights": [0.5]}, "must fit"),
        ({"weights": [-0.5]}, "`weights` is -0.5"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changed: dict[str, object], message: str) -> None:
    matrix = np.eye(2, 4, dtype=np.float32)
    codes, scales, errors = _core.quantize(matrix)
    parts: dict[str, object] = {
        "matrix": matrix,
        "codes": codes,
        "scales": scales,
        "errors": errors,
        "query": matrix[0],
        "k": 1,
        "mask": np.ones(2, np.bool_),
        "norms": np.ones(2, np.float32),
    }
    with pytest.raises(ValueError, match=message):
        _core.joined_top_k(**(parts | changed))  # type: ignore[arg-type]
