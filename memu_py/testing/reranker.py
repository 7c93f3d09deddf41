"""A reranker without a model."""

from collections.abc import Sequence

import numpy as np

from memu_py import _core
from memu_py.reranking.reranker import Scores


class OverlapReranker:
    """Scores a text by the share of the question's content words that are in it; the same on every machine.

    Attributes:
        asked: each question with its texts, in order.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        """Score texts; see `Reranker.rerank`."""
        self.asked.append((query, tuple(texts)))
        wanted = set(_core.content_words([query])[0])
        shares = [
            len(wanted & set(words)) / max(len(wanted), 1) for words in _core.content_words(list(texts))
        ]
        return np.array(shares, dtype=np.float32)

    async def close(self) -> None:
        """Free nothing."""
