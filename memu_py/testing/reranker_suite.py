"""The contract suite for rerankers.

::

    class TestMine(RerankerSuite):
        @pytest.fixture
        def reranker(self) -> Reranker:
            return MyReranker()
"""

import asyncio

import numpy as np
import pytest

from memu_py.reranking.reranker import Reranker, Scores

TOLERANCE = 1e-4
QUERY = "Who likes hiking in the mountains?"
ANSWER = "I love hiking in the mountains"
OTHER = "The invoice is due on the tenth"
SEVERAL = 70
LONG_TIMES = 400


def close_to(one: Scores, other: Scores) -> bool:
    """Return whether two arrays are equal, but for what a batch of another size may change in the last digits."""
    return one.shape == other.shape and bool(np.allclose(one, other, atol=TOLERANCE))


class RerankerSuite:
    """What every reranker must keep. Subclass it, and give the fixture `reranker`."""

    @pytest.fixture
    def reranker(self) -> Reranker:
        """Return the reranker under test."""
        raise NotImplementedError

    async def test_what_answers_scores_more(self, reranker: Reranker) -> None:
        """The point of it all."""
        scores = await reranker.rerank(QUERY, [OTHER, ANSWER])

        assert scores[1] > scores[0]

    async def test_each_text_has_a_score_from_0_to_1(self, reranker: Reranker) -> None:
        """One float32 a text."""
        scores = await reranker.rerank(QUERY, [ANSWER, OTHER, QUERY])

        assert scores.shape == (3,)
        assert scores.dtype == np.float32
        assert ((scores >= 0) & (scores <= 1)).all()

    async def test_no_texts_have_no_scores(self, reranker: Reranker) -> None:
        """An empty list is no special case."""
        assert (await reranker.rerank(QUERY, [])).shape == (0,)

    async def test_a_score_does_not_depend_on_the_others(self, reranker: Reranker) -> None:
        """In one call, in two calls, and in any company."""
        alone = await reranker.rerank(QUERY, [ANSWER])
        among = await reranker.rerank(QUERY, [OTHER, ANSWER, OTHER * 20, ANSWER])

        assert close_to(among[[1, 3]], np.repeat(alone, 2))

    async def test_many_texts_keep_their_order(self, reranker: Reranker) -> None:
        """More than one batch, of texts of all lengths."""
        texts = [f"{OTHER} " * (place % 7) + ANSWER * (place % 3 == 0) for place in range(SEVERAL)]
        scores = await reranker.rerank(QUERY, texts)

        for place in (0, 1, SEVERAL // 2, SEVERAL - 1):
            assert close_to(scores[place : place + 1], await reranker.rerank(QUERY, [texts[place]]))

    async def test_any_text_is_taken(self, reranker: Reranker) -> None:
        """White space, Chinese, emoji, NUL, halves of surrogate pairs, and more than a model can read."""
        texts = ["", " \n", "我喜欢喝美式咖啡", "🦀🦀", "a\0b", "\ud800 x", OTHER * LONG_TIMES]

        for query in (QUERY, "谁喜欢咖啡？", "\udc00?", QUERY * LONG_TIMES):
            scores = await reranker.rerank(query, texts)
            assert scores.shape == (len(texts),)
            assert ((scores >= 0) & (scores <= 1)).all()

    async def test_calls_at_the_same_time_do_not_mix(self, reranker: Reranker) -> None:
        """Many callers share one reranker."""
        queries = [QUERY, "When is the invoice due?", "What?"]
        together = await asyncio.gather(*(reranker.rerank(query, [ANSWER, OTHER]) for query in queries))
        one_by_one = [await reranker.rerank(query, [ANSWER, OTHER]) for query in queries]

        assert all(close_to(one, other) for one, other in zip(together, one_by_one, strict=True))
        assert not close_to(together[0], together[1])

    async def test_it_closes_twice(self, reranker: Reranker) -> None:
        """Closing is idempotent, before and after work."""
        await reranker.rerank(QUERY, [OTHER])
        await reranker.close()
        await reranker.close()
