"""The fusion kernels agree with their plain-Python references."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memu_py import _core
from memu_py.scoring import reference

ROWS = st.integers(0, 12) | st.just(2**32 - 1)
WEIGHTS = st.floats(0, 10)
SCORES = st.floats(-1, 1, width=32)

Source = tuple[list[tuple[int, float]], float]
SOURCES = st.lists(st.tuples(st.lists(st.tuples(ROWS, SCORES), max_size=15), WEIGHTS), max_size=4)


def rows_of(source: Source) -> NDArray[np.uint32]:
    return np.array([row for row, _ in source[0]], dtype=np.uint32)


def scores_of(source: Source) -> NDArray[np.float32]:
    return np.array([score for _, score in source[0]], dtype=np.float32)


@settings(deadline=None)
@given(SOURCES, st.floats(0, 100))
def test_reciprocal_rank_fusion_agrees_to_the_last_bit(sources: list[Source], constant: float) -> None:
    weights = [weight for _, weight in sources]
    ids, sums = _core.fuse_rrf([rows_of(source) for source in sources], weights, constant)
    expected = reference.fuse_rrf([rows_of(source).tolist() for source in sources], weights, constant)
    assert list(zip(ids.tolist(), sums.tolist(), strict=True)) == expected


@settings(deadline=None)
@given(SOURCES.filter(lambda sources: not sources or sum(weight for _, weight in sources) > 1e-3))
def test_weighted_fusion_agrees_to_the_last_bit(sources: list[Source]) -> None:
    weights = [weight for _, weight in sources]
    rows = [rows_of(source) for source in sources]
    scores = [scores_of(source) for source in sources]
    ids, means = _core.fuse_weighted(rows, scores, weights)
    expected = reference.fuse_weighted(
        [one.tolist() for one in rows], [one.tolist() for one in scores], weights
    )
    assert list(zip(ids.tolist(), means.tolist(), strict=True)) == expected


@settings(deadline=None)
@given(st.lists(ROWS, unique=True, max_size=12))
def test_one_ranking_keeps_its_order(ranking: list[int]) -> None:
    ids, _ = _core.fuse_rrf([np.array(ranking, dtype=np.uint32)], [1.0], 60.0)
    assert ids.tolist() == ranking
