"""The reranker's contract."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""How well texts answer a question: float32, shape (texts,), each in [0, 1]."""


class Reranker(Protocol):
    """Reads a question together with each text. Slower than comparing vectors, and sees more."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        """Tell how well texts answer a question.

        Args:
            query: the question.
            texts: any number of texts, of any length; the end of a long one may not be read.

        Returns:
            A float32 array of shape (len(texts),), in the order of the texts, each in [0, 1]. A text's score does not
            depend on the others.

        Raises:
            ModelError: the model cannot be loaded or reached, or fails.
        """
        ...

    async def close(self) -> None:
        """Free what it holds."""
        ...
