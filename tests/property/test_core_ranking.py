"""The vector and scoring kernels agree with their plain-Python references."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from memu_py import _core
from memu_py.scoring import reference

F32 = NDArray[np.float32]
Mask = NDArray[np.bool_]
Quantized = tuple[NDArray[np.int8], F32, F32]

DIMENSIONS = st.integers(1, 70)
COUNTS = st.integers(0, 30)
FINITE = st.floats(-1000, 1000, width=32)
ANY = FINITE | st.sampled_from([float("nan"), float("inf"), float("-inf"), 0.0, -0.0])
WEIGHTS = st.tuples(*[st.floats(0, 1)] * 4)
HALF_LIVES = st.floats(0.01, 1e6)
CAPS = st.integers(1, 2**32 - 1) | st.integers(1, 20)
MANY_ROWS = 20_000
"""Enough to be shared among threads."""


class Search(NamedTuple):
    matrix: F32
    query: F32
    k: int
    mask: Mask | None


class Signals(NamedTuple):
    ages_days: NDArray[np.float64]
    importance: F32
    arousal: F32
    mentions: NDArray[np.uint32]
    accesses: NDArray[np.uint32]


@st.composite
def searches(draw: st.DrawFn, values: st.SearchStrategy[float] = FINITE) -> Search:
    rows, dimension = draw(COUNTS), draw(DIMENSIONS)
    matrix = draw(hnp.arrays(np.float32, (rows, dimension), elements=values))
    query = draw(hnp.arrays(np.float32, dimension, elements=FINITE))
    mask = draw(st.none() | hnp.arrays(np.bool_, rows))
    return Search(matrix, query, draw(st.integers(0, rows + 3)), mask)


@st.composite
def signals(draw: st.DrawFn, rows: int) -> Signals:
    ages = st.floats(-1e4, 1e4) | st.sampled_from([float("nan"), float("inf"), float("-inf")])
    judged = st.floats(-5, 20, width=32) | st.just(float("nan"))
    stirred = st.floats(-1, 2, width=32) | st.just(float("nan"))
    return Signals(
        draw(hnp.arrays(np.float64, rows, elements=ages)),
        draw(hnp.arrays(np.float32, rows, elements=judged)),
        draw(hnp.arrays(np.float32, rows, elements=stirred)),
        draw(hnp.arrays(np.uint32, rows)),
        draw(hnp.arrays(np.uint32, rows)),
    )


def reference_factors(
    values: Signals, half_life_days: float, cap: int
) -> list[tuple[float, float, float, float]]:
    columns = [column.tolist() for column in values]
    return [
        reference.factors(*row, half_life_days=half_life_days, mentions_cap=cap)
        for row in zip(*columns, strict=True)
    ]


def ranking(rows: NDArray[np.uint32], scores: F32) -> list[tuple[int, float]]:
    return list(zip(rows.tolist(), scores.tolist(), strict=True))


@settings(deadline=None)
@given(hnp.arrays(np.float32, st.tuples(COUNTS, DIMENSIONS), elements=ANY | st.floats(width=32)))
def test_normalize_agrees(matrix: F32) -> None:
    made = _core.normalize(matrix)
    assert made.dtype == np.float32
    assert made.shape == matrix.shape
    expected = np.array(reference.normalize(matrix.tolist())).reshape(matrix.shape)
    np.testing.assert_allclose(made, expected, rtol=1e-6, atol=1e-7)


@settings(deadline=None)
@given(hnp.arrays(np.float32, st.tuples(COUNTS, DIMENSIONS), elements=FINITE))
def test_normalized_rows_have_length_one_or_zero(matrix: F32) -> None:
    lengths = np.linalg.norm(_core.normalize(matrix).astype(np.float64), axis=1)
    assert all(length == pytest.approx(1.0, abs=1e-5) or length == 0.0 for length in lengths)


@settings(deadline=None)
@given(searches(ANY))
def test_dot_products_agree(search: Search) -> None:
    rows = np.arange(len(search.matrix), dtype=np.uint32)[::-1].copy()
    scores = _core.cosine_scores(search.matrix, rows, search.query)
    expected = reference.cosine_scores(search.matrix.tolist(), rows.tolist(), search.query.tolist())
    scale = 1e-5 * float(np.abs(search.query).sum()) * 1000
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=scale + 1e-6)


@settings(deadline=None)
@given(searches(ANY))
def test_top_k_is_the_best_of_all_dot_products(search: Search) -> None:
    rows = np.arange(len(search.matrix), dtype=np.uint32)
    scores = _core.cosine_scores(search.matrix, rows, search.query).tolist()
    allowed = {row: scores[row] for row in rows.tolist() if search.mask is None or search.mask[row]}
    found = ranking(*_core.cosine_top_k(*search))
    assert found == reference.best_first(allowed, search.k)


@settings(deadline=None)
@given(searches(st.sampled_from([-1.0, 0.0, 1.0])))
def test_ties_order_by_row(search: Search) -> None:
    query = np.sign(search.query).astype(np.float32)
    expected = reference.cosine_top_k(
        search.matrix.tolist(),
        query.tolist(),
        search.k,
        None if search.mask is None else search.mask.tolist(),
    )
    assert ranking(*_core.cosine_top_k(search.matrix, query, search.k, search.mask)) == expected


@pytest.mark.parametrize("k", [0, 1, 200, MANY_ROWS, MANY_ROWS + 1])
def test_many_rows_give_the_same_on_all_threads(k: int) -> None:
    dice = np.random.default_rng(3)
    matrix = dice.integers(-3, 4, (MANY_ROWS, 32)).astype(np.float32)
    query = dice.integers(-3, 4, 32).astype(np.float32)
    mask = dice.random(MANY_ROWS) < 0.7
    scores = matrix @ query
    order = np.lexsort((np.arange(MANY_ROWS), -scores))
    expected = order[mask[order]][:k]
    rows, found = _core.cosine_top_k(matrix, query, k, mask)
    assert rows.tolist() == expected.tolist()
    assert found.tolist() == scores[expected].tolist()


@settings(deadline=None)
@given(COUNTS.flatmap(signals), HALF_LIVES)
def test_decay_agrees(values: Signals, half_life_days: float) -> None:
    left = _core.decay(values.ages_days, values.arousal, half_life_days)
    expected = [
        reference.decay(age, arousal, half_life_days)
        for age, arousal in zip(values.ages_days.tolist(), values.arousal.tolist(), strict=True)
    ]
    np.testing.assert_allclose(left, expected, rtol=1e-5, atol=1e-30)
    assert all(0.0 <= value <= 1.0 for value in left.tolist())


@settings(deadline=None)
@given(st.data(), COUNTS, WEIGHTS, HALF_LIVES, CAPS)
def test_rank_agrees(
    data: st.DataObject, count: int, weights: tuple[float, float, float, float], half_life: float, cap: int
) -> None:
    values = data.draw(signals(count))
    relevance = data.draw(
        hnp.arrays(np.float32, count, elements=st.floats(-1, 2, width=32) | st.just(np.nan))
    )
    mask = data.draw(st.none() | hnp.arrays(np.bool_, count))
    rows, scores, factors = _core.rank_top_k(
        relevance,
        *values,
        weights=weights,
        half_life_days=half_life,
        mentions_cap=cap,
        k=count,
        mask=mask,
    )
    expected_factors = reference_factors(values, half_life, cap)
    expected = dict(reference.rank_top_k(relevance.tolist(), expected_factors, weights=weights, k=count))
    allowed = {row for row in expected if mask is None or mask[row]}
    assert set(rows.tolist()) == allowed
    assert factors.shape == (len(allowed), 4)
    for row, score, values_of_row in zip(rows.tolist(), scores.tolist(), factors.tolist(), strict=True):
        assert score == pytest.approx(expected[row], rel=1e-5, abs=1e-9)
        assert values_of_row == pytest.approx(expected_factors[row], rel=1e-5, abs=1e-9)
        assert 0.0 <= score <= 1.0
    found = ranking(rows, scores)
    assert found == reference.best_first(dict(found))


@settings(deadline=None)
@given(st.data(), COUNTS, WEIGHTS, st.integers(0, 12))
def test_a_smaller_k_is_the_head_of_a_larger_one(
    data: st.DataObject, count: int, weights: tuple[float, float, float, float], k: int
) -> None:
    values = data.draw(signals(count))
    relevance = data.draw(hnp.arrays(np.float32, count, elements=st.sampled_from([0.0, 0.5, 1.0])))
    rows, scores, _ = _core.rank_top_k(
        relevance, *values, weights=weights, half_life_days=30.0, mentions_cap=10, k=count
    )
    head = _core.rank_top_k(relevance, *values, weights=weights, half_life_days=30.0, mentions_cap=10, k=k)
    assert ranking(head[0], head[1]) == ranking(rows, scores)[:k]


@settings(deadline=None)
@given(st.data(), searches(), WEIGHTS, st.floats(-0.5, 0.4), st.floats(0.05, 1.0))
def test_the_fused_pass_is_rank_over_calibrated_cosines(
    data: st.DataObject,
    search: Search,
    weights: tuple[float, float, float, float],
    low: float,
    width: float,
) -> None:
    matrix, query = _core.normalize(search.matrix), _core.normalize(search.query[None, :])[0]
    values = data.draw(signals(len(matrix)))
    calibration = (low, low + width)

    def asked(quantized: Quantized | None = None) -> tuple[NDArray[np.uint32], F32, F32]:
        return _core.cosine_rank_top_k(
            matrix,
            query,
            *values,
            calibration=calibration,
            weights=weights,
            half_life_days=7.0,
            mentions_cap=5,
            k=search.k,
            mask=search.mask,
            quantized=quantized,
        )

    rows, scores, cosines = asked()
    every = _core.cosine_scores(matrix, np.arange(len(matrix), dtype=np.uint32), query)
    relevance = np.array([reference.calibrated(cosine, calibration) for cosine in every.tolist()], np.float32)
    ranked = _core.rank_top_k(
        relevance,
        *values,
        weights=weights,
        half_life_days=7.0,
        mentions_cap=5,
        k=search.k,
        mask=search.mask,
    )
    assert ranking(rows, scores) == ranking(ranked[0], ranked[1])
    assert cosines.tolist() == every[rows].tolist()
    by_bytes = asked(_core.quantize(matrix))
    assert [part.tolist() for part in by_bytes] == [rows.tolist(), scores.tolist(), cosines.tolist()]


@settings(deadline=None)
@given(st.data(), searches(), WEIGHTS)
def test_the_fused_pass_agrees(
    data: st.DataObject, search: Search, weights: tuple[float, float, float, float]
) -> None:
    matrix, query = _core.normalize(search.matrix), _core.normalize(search.query[None, :])[0]
    values = data.draw(signals(len(matrix)))
    _, scores, _ = _core.cosine_rank_top_k(
        matrix,
        query,
        *values,
        calibration=(0.0, 1.0),
        weights=weights,
        half_life_days=7.0,
        mentions_cap=5,
        k=search.k,
    )
    expected = reference.cosine_rank_top_k(
        matrix.tolist(),
        query.tolist(),
        reference_factors(values, 7.0, 5),
        calibration=(0.0, 1.0),
        weights=weights,
        k=search.k,
    )
    np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-4, atol=1e-5)


def test_many_rows_rank_the_same_on_all_threads() -> None:
    dice = np.random.default_rng(5)
    values = Signals(
        dice.random(MANY_ROWS) * 100,
        dice.integers(1, 11, MANY_ROWS).astype(np.float32),
        dice.random(MANY_ROWS, dtype=np.float32),
        dice.integers(1, 20, MANY_ROWS, dtype=np.uint32),
        dice.integers(0, 20, MANY_ROWS, dtype=np.uint32),
    )
    relevance = (dice.integers(0, 5, MANY_ROWS) / 4).astype(np.float32)
    weights = (0.1, 0.1, 0.05, 0.05)
    rows, scores, _ = _core.rank_top_k(
        relevance, *values, weights=weights, half_life_days=30.0, mentions_cap=10, k=100
    )
    expected = reference.rank_top_k(
        relevance.tolist(), reference_factors(values, 30.0, 10), weights=weights, k=100
    )
    np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-6)
    assert ranking(rows, scores) == reference.best_first(dict(ranking(rows, scores)))


@st.composite
def histories(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.uint32], NDArray[np.float64]]:
    rows, width = draw(COUNTS), draw(st.integers(0, 8))
    ages = st.floats(-10, 1e4) | st.just(float("nan"))
    known = draw(hnp.arrays(np.float64, (rows, width), elements=ages))
    counts = draw(hnp.arrays(np.uint32, rows, elements=st.integers(0, 12) | st.just(2**32 - 1)))
    return np.sort(known, axis=1), counts, draw(hnp.arrays(np.float64, rows, elements=ages))


@given(histories(), st.floats(0.01, 0.99))
def test_activation_agrees(
    history: tuple[NDArray[np.float64], NDArray[np.uint32], NDArray[np.float64]], power: float
) -> None:
    active = _core.activation(*history, decay=power)
    expected = [
        reference.activation(ages, count, first, power)
        for ages, count, first in zip(*(column.tolist() for column in history), strict=True)
    ]

    np.testing.assert_allclose(active, np.array(expected, dtype=np.float32), rtol=1e-4, atol=1e-4)


@given(st.lists(st.floats(0.01, 1000), min_size=1, max_size=8), st.floats(0.1, 0.9))
def test_another_presentation_never_makes_a_memory_less_active(ages: list[float], power: float) -> None:
    ordered = sorted(ages)
    counts = np.array([len(ages)], dtype=np.uint32)
    first = np.array([ordered[-1]])
    (before,) = _core.activation(np.array([ordered]), counts, first, decay=power)
    (after,) = _core.activation(np.array([[0.005, *ordered]]), counts + 1, first, decay=power)

    assert after >= before
