"""Nothing is embedded twice."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_py.embedding.cache import CachedEmbedder, QueryCache, Vector
from memu_py.embedding.embedder import Matrix, TextKind
from memu_py.errors import BadVectors, ModelError, StoreBusy
from memu_py.testing.embedder import CountingEmbedder, HashingEmbedder


class ScopedRows:
    """The rows of one scope; it can fail to write."""

    def __init__(self) -> None:
        self.rows: dict[bytes, Vector] = {}
        self.locked = False

    async def load(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        return {key: self.rows[key] for key in keys if key in self.rows}

    async def save(self, vectors: Mapping[bytes, Vector]) -> None:
        if self.locked:
            raise StoreBusy
        self.rows.update(vectors)


class GatedEmbedder(HashingEmbedder):
    """Works when it is let, and fails when it is told."""

    def __init__(self, *, dimension: int = 8) -> None:
        super().__init__(dimension=dimension)
        self.gate = asyncio.Event()
        self.started = asyncio.Event()
        self.error: Exception | None = None

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        self.started.set()
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        return await super().embed(texts, kind=kind)


@pytest.fixture
def counting() -> CountingEmbedder:
    return CountingEmbedder(HashingEmbedder())


@pytest.fixture
def rows() -> ScopedRows:
    return ScopedRows()


async def expected(texts: Sequence[str]) -> Matrix:
    return await HashingEmbedder().embed(texts, kind="passage")


async def test_known_passages_are_not_embedded_again(counting: CountingEmbedder, rows: ScopedRows) -> None:
    await CachedEmbedder(counting, rows).embed(["a", "b"], kind="passage")

    later = CachedEmbedder(counting, rows)
    matrix = await later.embed(["b", "c", "a"], kind="passage")

    assert counting.calls == [("a", "b"), ("c",)]
    assert np.array_equal(matrix, await expected(["b", "c", "a"]))
    assert (later.embedded, later.cached) == (1, 2)


async def test_equal_texts_of_one_call_are_embedded_once(
    counting: CountingEmbedder, rows: ScopedRows
) -> None:
    embedder = CachedEmbedder(counting, rows)

    matrix = await embedder.embed(["a", "b", "a", "a"], kind="passage")

    assert counting.calls == [("a", "b")]
    assert np.array_equal(matrix[0], matrix[2])
    assert (embedder.embedded, embedder.cached) == (2, 2)


async def test_only_the_exact_text_of_the_same_kind_and_model_counts(rows: ScopedRows) -> None:
    first, second = CountingEmbedder(HashingEmbedder()), CountingEmbedder(HashingEmbedder(seed=1))

    for text in ("a", "a ", "A", "\u00e9", "e\u0301"):
        await CachedEmbedder(first, rows).embed([text], kind="passage")
    await CachedEmbedder(first, rows).embed(["a"], kind="query")
    await CachedEmbedder(second, rows).embed(["a"], kind="passage")

    assert len(first.calls) == 6
    assert len(second.calls) == 1


async def test_questions_are_kept_in_memory_only(counting: CountingEmbedder, rows: ScopedRows) -> None:
    queries = QueryCache()

    await CachedEmbedder(counting, rows, queries).embed(["a"], kind="query")
    await CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind="query")

    assert counting.calls == [("a",)]
    assert rows.rows == {}
    assert len(queries) == 1


async def test_the_least_recent_question_goes_first(counting: CountingEmbedder, rows: ScopedRows) -> None:
    embedder = CachedEmbedder(counting, rows, QueryCache(2))

    for text in ("a", "b", "a", "c", "a", "b"):
        await embedder.embed([text], kind="query")

    assert counting.texts == ["a", "b", "c", "b"]


async def test_a_query_cache_of_no_size_keeps_nothing(counting: CountingEmbedder, rows: ScopedRows) -> None:
    embedder = CachedEmbedder(counting, rows, QueryCache(0))

    matrix = await embedder.embed(["a"], kind="query")
    await embedder.embed(["a"], kind="query")

    assert np.array_equal(matrix, await expected(["a"]))
    assert counting.calls == [("a",), ("a",)]


async def test_no_texts_ask_nobody(counting: CountingEmbedder, rows: ScopedRows) -> None:
    assert (await CachedEmbedder(counting, rows).embed([], kind="passage")).shape == (0, 64)
    assert counting.calls == []


async def test_callers_at_the_same_time_share_one_call() -> None:
    inner, queries, first, second = GatedEmbedder(), QueryCache(), ScopedRows(), ScopedRows()
    counting = CountingEmbedder(inner)
    one = CachedEmbedder(counting, first, queries)
    two = CachedEmbedder(counting, second, queries)

    owner = asyncio.create_task(one.embed(["a", "b"], kind="passage"))
    await inner.started.wait()
    waiter = asyncio.create_task(two.embed(["b", "c"], kind="passage"))
    await asyncio.sleep(0)
    inner.gate.set()
    left, right = await asyncio.gather(owner, waiter)

    assert sorted(counting.calls) == [("a", "b"), ("c",)]
    assert np.array_equal(left[1], right[0])
    assert (two.embedded, two.cached) == (1, 1)
    assert len(first.rows) == len(second.rows) == 2


async def test_who_waits_shares_the_failure() -> None:
    inner, queries = GatedEmbedder(), QueryCache()
    counting = CountingEmbedder(inner)
    inner.error = ModelError("out of order")

    tasks = [
        asyncio.create_task(CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind=kind))
        for kind in ("query", "query")
    ]
    await inner.started.wait()
    inner.gate.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)

    assert results == [inner.error, inner.error]
    assert counting.calls == [("a",)]


async def test_after_a_failure_it_is_tried_again() -> None:
    inner = GatedEmbedder()
    inner.gate.set()
    embedder = CachedEmbedder(inner, ScopedRows())
    inner.error = ModelError("out of order")
    with pytest.raises(ModelError):
        await embedder.embed(["a"], kind="passage")

    inner.error = None

    assert (await embedder.embed(["a"], kind="passage")).shape == (1, 8)


async def test_who_waits_goes_on_when_the_owner_is_cancelled() -> None:
    inner, queries = GatedEmbedder(), QueryCache()
    counting = CountingEmbedder(inner)

    owner = asyncio.create_task(CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind="query"))
    await inner.started.wait()
    waiter = asyncio.create_task(CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind="query"))
    await asyncio.sleep(0)
    owner.cancel()
    inner.gate.set()

    assert (await waiter).shape == (1, 8)
    assert owner.cancelled()
    assert counting.calls == [("a",), ("a",)]


async def test_a_cancelled_waiter_disturbs_nobody() -> None:
    inner, queries = GatedEmbedder(), QueryCache()
    counting = CountingEmbedder(inner)

    owner = asyncio.create_task(CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind="query"))
    await inner.started.wait()
    waiter = asyncio.create_task(CachedEmbedder(counting, ScopedRows(), queries).embed(["a"], kind="query"))
    await asyncio.sleep(0)
    waiter.cancel()
    inner.gate.set()

    assert (await owner).shape == (1, 8)
    assert counting.calls == [("a",)]


async def test_vectors_that_cannot_be_cached_are_used_all_the_same(
    counting: CountingEmbedder, rows: ScopedRows, caplog: pytest.LogCaptureFixture
) -> None:
    rows.locked = True

    with caplog.at_level(logging.WARNING):
        matrix = await CachedEmbedder(counting, rows).embed(["a"], kind="passage")

    assert np.array_equal(matrix, await expected(["a"]))
    assert "1 vectors could not be cached" in caplog.text


class Remote(HashingEmbedder):
    """Does not know its dimension beforehand."""

    @property
    def dimension(self) -> int | None:  # type: ignore[override]
        return None


async def test_cached_vectors_older_than_the_model_are_embedded_again(rows: ScopedRows) -> None:
    await CachedEmbedder(Remote(dimension=4), rows).embed(["a", "b"], kind="passage")
    counting = CountingEmbedder(Remote(dimension=8))

    matrix = await CachedEmbedder(counting, rows).embed(["a", "b", "c"], kind="passage")

    assert matrix.shape == (3, 8)
    assert counting.calls == [("c",), ("a", "b")]
    assert {vector.shape for vector in rows.rows.values()} == {(8,)}


async def test_cached_vectors_of_another_dimension_than_stated_are_ignored(rows: ScopedRows) -> None:
    await CachedEmbedder(HashingEmbedder(dimension=4), rows).embed(["a"], kind="passage")
    counting = CountingEmbedder(HashingEmbedder(dimension=8))

    assert (await CachedEmbedder(counting, rows).embed(["a"], kind="passage")).shape == (1, 8)
    assert counting.calls == [("a",)]


class Short(HashingEmbedder):
    """Answers with too few vectors."""

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        return (await super().embed(texts, kind=kind))[:-1]


async def test_too_few_vectors_are_refused(rows: ScopedRows) -> None:
    with pytest.raises(BadVectors, match=r"hashing/0 returned an array of shape \(1, 64\) for 2 texts"):
        await CachedEmbedder(Short(), rows).embed(["a", "b"], kind="passage")
    assert rows.rows == {}


async def test_it_speaks_for_the_inner_embedder_and_leaves_it_open(
    counting: CountingEmbedder, rows: ScopedRows
) -> None:
    embedder = CachedEmbedder(counting, rows)
    await embedder.close()

    assert (embedder.id, embedder.dimension) == (counting.id, counting.dimension)
    assert embedder.calibration == counting.calibration
    assert counting.closed == 0
    await counting.close()
    assert counting.closed == 1


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "\ud800", ""]), max_size=5), max_size=5))
async def test_each_text_is_embedded_at_most_once_whatever_is_asked(calls: list[list[str]]) -> None:
    counting = CountingEmbedder(HashingEmbedder())
    embedder = CachedEmbedder(counting, ScopedRows())

    for texts in calls:
        matrix = await embedder.embed(texts, kind="passage")
        assert np.array_equal(matrix, await expected(texts))

    assert len(counting.texts) == len(set(counting.texts)) == embedder.embedded
    assert set(counting.texts) == {text for texts in calls for text in texts}
    assert embedder.embedded + embedder.cached == sum(map(len, calls))
    assert set(counting.kinds) <= {"passage"}
