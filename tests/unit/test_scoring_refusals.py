"""The kernels refuse what they cannot use, and say which value it was."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memu_py import _core

MATRIX = np.eye(3, dtype=np.float32)
QUERY = MATRIX[0].copy()
RELEVANCE = np.array([0.1, 0.2, 0.3], dtype=np.float32)
ROWS = np.array([0, 1, 2], dtype=np.uint32)
AGES = np.zeros(3)
PLACES = np.zeros(3, dtype=np.int64)
NAN = float("nan")


def rank(**changes: Any) -> None:
    arguments: dict[str, Any] = {
        "relevance": RELEVANCE,
        "ages_days": AGES,
        "importance": RELEVANCE,
        "arousal": RELEVANCE,
        "mentions": ROWS,
        "accesses": ROWS,
        "weights": (0.1, 0.0, 0.0, 0.0),
        "half_life_days": 30.0,
        "mentions_cap": 10,
        "k": 1,
    }
    _core.rank_top_k(**(arguments | changes))


def fused_rank(**changes: Any) -> None:
    arguments: dict[str, Any] = {
        "matrix": MATRIX,
        "query": QUERY,
        "ages_days": AGES,
        "importance": RELEVANCE,
        "arousal": RELEVANCE,
        "mentions": ROWS,
        "accesses": ROWS,
        "calibration": (0.0, 1.0),
        "weights": (0.1, 0.0, 0.0, 0.0),
        "half_life_days": 30.0,
        "mentions_cap": 10,
        "k": 1,
    }
    _core.cosine_rank_top_k(**(arguments | changes))


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: _core.normalize(QUERY), r"`matrix` has shape \[3\]; it must have 2"),
    (lambda: _core.normalize(MATRIX[:, ::2]), "`matrix` must be C-contiguous"),
    (lambda: _core.normalize(np.asfortranarray(np.ones((2, 3), np.float32))), "must be C-contiguous"),
    (lambda: _core.cosine_top_k(MATRIX, QUERY[:2].copy(), 1), "`query` has 2 values where 3 are needed"),
    (lambda: _core.cosine_top_k(MATRIX, MATRIX, 1), r"`query` has shape \[3, 3\]"),
    (lambda: _core.cosine_top_k(MATRIX, QUERY, -1), "`k` is -1"),
    (lambda: _core.cosine_top_k(MATRIX, QUERY * np.float32("nan"), 1), "`query` holds NaN"),
    (lambda: _core.cosine_top_k(MATRIX, QUERY, 1, np.ones(4, np.bool_)), "`mask` has 4 values where 3"),
    (lambda: _core.cosine_scores(MATRIX, np.array([0, 7], np.uint32), QUERY), "names row 7 of a matrix of 3"),
    (lambda: _core.decay(AGES, RELEVANCE[:1].copy(), 30.0), "`arousal` has 1 values where 3"),
    (lambda: _core.decay(AGES, RELEVANCE, 0.0), "`half_life_days` is 0; it must be finite and above 0"),
    (lambda: _core.decay(AGES, RELEVANCE, float("inf")), "`half_life_days` is inf"),
    (lambda: _core.activation(np.ones((2, 1)), ROWS, AGES, decay=0.5), "`ages_days` has 2 rows where 3"),
    (
        lambda: _core.activation(np.ones((3, 1)), ROWS, AGES[:1].copy(), decay=0.5),
        "`first_days` has 1 values",
    ),
    (lambda: _core.activation(np.ones((3, 1)), ROWS, AGES, decay=1.0), "`decay` is 1; it must lie between"),
    (lambda: _core.activation(np.ones((3, 1)), ROWS, AGES, decay=NAN), "`decay` is NaN"),
    (lambda: rank(weights=(NAN, 0.0, 0.0, 0.0)), "`weights` is NaN"),
    (lambda: rank(weights=(0.0, 0.0, 0.0, 1.5)), r"`weights` is 1.5; it must lie in \[0, 1\]"),
    (lambda: rank(half_life_days=-1.0), "`half_life_days` is -1"),
    (lambda: rank(mentions_cap=0), "`mentions_cap` is 0"),
    (lambda: rank(mentions_cap=2**32), "`mentions_cap` is 4294967296"),
    (lambda: rank(k=-2), "`k` is -2"),
    (lambda: rank(mask=np.ones(2, np.bool_)), "`mask` has 2 values where 3"),
    (lambda: rank(importance=RELEVANCE[:2].copy()), "`importance` has 2 values where 3"),
    (lambda: fused_rank(calibration=(0.5, 0.5)), r"`calibration` is \(0.5, 0.5\)"),
    (lambda: fused_rank(calibration=(NAN, 1.0)), r"`calibration` is \(NaN, 1\)"),
    (lambda: fused_rank(ages_days=np.zeros(2)), "`ages_days` has 2 values where 3"),
    (lambda: _core.fuse_rrf([ROWS], [1.0, 1.0], 60.0), "`rankings` has 1 sources and `weights` 2"),
    (lambda: _core.fuse_rrf([ROWS], [NAN], 60.0), "`weights` is NaN"),
    (lambda: _core.fuse_rrf([ROWS], [1.0], -1.0), "`constant` is -1"),
    (lambda: _core.fuse_weighted([ROWS], [RELEVANCE], [-1.0]), "`weights` is -1"),
    (lambda: _core.fuse_weighted([ROWS], [RELEVANCE], [0.0]), "`weights` are all 0"),
    (lambda: _core.fuse_weighted([ROWS], [RELEVANCE * np.float32("inf")], [1.0]), "`scores` holds inf"),
    (lambda: _core.fuse_weighted([ROWS], [RELEVANCE[:1].copy()], [1.0]), "`scores` has 1 values where 3"),
    (lambda: _core.KeywordIndex(k1=-0.1), "`k1` is -0.1"),
    (lambda: _core.KeywordIndex(b=1.1), r"`b` is 1.1; it must lie in \[0, 1\]"),
    (lambda: _core.KeywordIndex().add(ROWS, ["a"], PLACES, PLACES), "`tokens` has 1 texts for 3 rows"),
    (
        lambda: _core.KeywordIndex().add(ROWS, ["a"] * 3, PLACES[:1].copy(), PLACES),
        "`groups` has 1 values where 3",
    ),
    (lambda: _core.KeywordIndex().search(["a"], -1), "`k` is -1"),
    (lambda: _core.KeywordIndex().search(["a"], 1, None, [NAN]), "`spread` is NaN"),
    (lambda: _core.KeywordIndex().scores(["a"], ROWS, [-1.0]), "`spread` is -1"),
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_value_that_cannot_be_used_is_a_value_error(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_another_dtype_is_a_type_error() -> None:
    wrong: Any = MATRIX.astype(np.float64)
    with pytest.raises(TypeError, match="float"):
        _core.normalize(wrong)


def test_one_string_is_no_list_of_texts() -> None:
    with pytest.raises(TypeError, match="str"):
        _core.tokenize("tea")


def test_a_refused_add_changes_nothing() -> None:
    index = _core.KeywordIndex()
    index.add(ROWS, ["tea"] * 3, PLACES, PLACES)
    with pytest.raises(ValueError, match="tokens"):
        index.add(ROWS, ["milk"], PLACES, PLACES)
    assert len(index) == 3
    assert index.search(["tea"], 9)[0].tolist() == [0, 1, 2]


def test_empty_arrays_give_empty_answers() -> None:
    none = np.zeros((0, 3), dtype=np.float32)
    assert _core.normalize(none).shape == (0, 3)
    rows, scores = _core.cosine_top_k(none, QUERY, 5)
    assert (str(rows.dtype), str(scores.dtype)) == ("uint32", "float32")
    assert len(rows) == len(scores) == 0
    assert [len(part) for part in _core.fuse_rrf([], [], 60.0)] == [0, 0]
    assert [len(part) for part in _core.fuse_weighted([], [], [])] == [0, 0]
    assert _core.tokenize([]) == []


def test_read_only_arrays_can_be_searched() -> None:
    frozen = MATRIX.copy()
    frozen.setflags(write=False)
    assert _core.cosine_top_k(frozen, QUERY, 1)[0].tolist() == [0]


def test_a_row_that_is_no_number_is_never_returned() -> None:
    matrix = np.array([[np.nan, 0], [0.5, 0], [np.inf, 0]], dtype=np.float32)
    query = np.array([1, 0], dtype=np.float32)
    assert _core.cosine_top_k(matrix, query, 9)[0].tolist() == [2, 1]
