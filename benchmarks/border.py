"""What crossing the border to Rust costs: every function of `_core`, given next to nothing to do.

    python -m pytest benchmarks/border.py

Kernels are measured by `cargo bench`; here the work is so little that what is left is the call, its arguments and its
result. `make bench` runs it; the test suite does not collect it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from memu_py import _core

ROWS, DIM = 2, 8
MATRIX = np.eye(ROWS, DIM, dtype=np.float32)
QUERY = MATRIX[0].copy()
CODES = _core.quantize(MATRIX)
NUMBERS = np.arange(ROWS, dtype=np.uint32)
SCORES = np.full(ROWS, 0.5, dtype=np.float32)
AGES = np.ones(ROWS, dtype=np.float64)
COUNTS = np.ones(ROWS, dtype=np.uint32)
HISTORY = np.ones((ROWS, 3), dtype=np.float64)
PLACES = np.arange(ROWS, dtype=np.int64)
SIDE = np.full(ROWS, -1, dtype=np.int32)
MASK = np.ones(ROWS, dtype=np.bool_)
COLUMNS = (AGES, SCORES, SCORES, COUNTS, COUNTS)
TOKENS = ["tea", "cello"]
IDS = ["a", "b"]
PROFILE: dict[str, Any] = {
    "weights": (0.15, 0.1, 0.0, 0.0),
    "half_life_days": 30.0,
    "mentions_cap": 10,
    "k": 1,
}


def index() -> _core.KeywordIndex:
    """Return an index with two rows."""
    made = _core.KeywordIndex()
    made.add(NUMBERS, TOKENS, PLACES, PLACES)
    return made


def table() -> _core.RowIds:
    """Return a table with two rows."""
    made = _core.RowIds()
    made.put(NUMBERS, IDS)
    return made


def put_and_free() -> object:
    """Give two rows to ids and take them back: a table cannot be given the same ones twice."""
    EMPTY.put(NUMBERS, IDS)
    return EMPTY.free(IDS)


INDEX, TABLE, EMPTY = index(), table(), _core.RowIds()
INDEX_IMAGE, TABLE_IMAGE = INDEX.image(), TABLE.image()

CALLS: dict[str, Callable[[], object]] = {
    "normalize": lambda: _core.normalize(MATRIX),
    "quantize": lambda: _core.quantize(MATRIX),
    "joined_top_k": lambda: _core.joined_top_k(MATRIX, *CODES, QUERY, 1, MASK, SCORES, [0.5], [SIDE, SIDE]),
    "cosine_top_k": lambda: _core.cosine_top_k(MATRIX, QUERY, 1, MASK),
    "cosine_scores": lambda: _core.cosine_scores(MATRIX, NUMBERS, QUERY),
    "activation": lambda: _core.activation(HISTORY, COUNTS, AGES, decay=0.5),
    "decay": lambda: _core.decay(AGES, SCORES, 30.0),
    "rank_top_k": lambda: _core.rank_top_k(SCORES, *COLUMNS, **PROFILE),
    "cosine_rank_top_k": lambda: _core.cosine_rank_top_k(
        MATRIX, QUERY, *COLUMNS, calibration=(0.0, 1.0), quantized=CODES, **PROFILE
    ),
    "fuse_rrf": lambda: _core.fuse_rrf([NUMBERS], [1.0], 60.0),
    "fuse_weighted": lambda: _core.fuse_weighted([NUMBERS], [SCORES], [1.0]),
    "tokenize": lambda: _core.tokenize(["tea"]),
    "content_words": lambda: _core.content_words(["tea"]),
    "normalize_text": lambda: _core.normalize_text("tea"),
    "content_hash": lambda: _core.content_hash("tea"),
    "bytes_hash": lambda: _core.bytes_hash(b"tea"),
    "KeywordIndex": lambda: _core.KeywordIndex(),
    "KeywordIndex.add": lambda: INDEX.add(NUMBERS, TOKENS, PLACES, PLACES),
    "KeywordIndex.remove": lambda: INDEX.remove(NUMBERS[:0]),
    "KeywordIndex.search": lambda: INDEX.search(["tea"], 1, MASK, [0.5]),
    "KeywordIndex.scores": lambda: INDEX.scores(["tea"], NUMBERS, [0.5]),
    "KeywordIndex.group_scores": lambda: INDEX.group_scores(["tea"], NUMBERS),
    "KeywordIndex.assume": lambda: _core.KeywordIndex().assume(1, {"tea": 1}),
    "KeywordIndex.nbytes": lambda: INDEX.nbytes(),
    "KeywordIndex.image": lambda: INDEX.image(),
    "KeywordIndex.of_image": lambda: _core.KeywordIndex.of_image(INDEX_IMAGE),
    "RowIds": lambda: _core.RowIds(),
    "RowIds.rows": lambda: TABLE.rows(IDS),
    "RowIds.names": lambda: TABLE.names(NUMBERS),
    "RowIds.put": put_and_free,
    "RowIds.free": lambda: TABLE.free(IDS[:0]),
    "RowIds.nbytes": lambda: TABLE.nbytes(),
    "RowIds.image": lambda: TABLE.image(),
    "RowIds.of_image": lambda: _core.RowIds.of_image(*TABLE_IMAGE),
}
"""A call for each function of the border, by name."""


@pytest.mark.benchmark(group="border")
@pytest.mark.parametrize("name", CALLS)
def test_border(benchmark: BenchmarkFixture, name: str) -> None:
    benchmark(CALLS[name])
