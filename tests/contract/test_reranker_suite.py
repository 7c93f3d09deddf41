"""Every reranker of ours keeps the contract; the one in ONNX does in tests/integration."""

import pytest

from memu_py.reranking.reranker import Reranker
from memu_py.testing.reranker import OverlapReranker
from memu_py.testing.reranker_suite import RerankerSuite


class TestOverlap(RerankerSuite):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return OverlapReranker()


async def test_overlap_is_the_share_of_the_questions_words_and_notes_what_it_was_asked() -> None:
    reranker = OverlapReranker()

    scores = await reranker.rerank("green tea", ["Green tea and cake", "tea", "a cello", ""])

    assert scores.tolist() == [1, 0.5, 0, 0]
    assert (await reranker.rerank("?", ["tea"])).tolist() == [0]
    assert reranker.asked[0] == ("green tea", ("Green tea and cake", "tea", "a cello", ""))
