"""The embedder's contract."""

import dataclasses
from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

TextKind = Literal["query", "passage"]
Matrix = NDArray[np.float32]
"""Embeddings: float32, shape (texts, dimension), each row of length 1 (or all zero for a text with no content)."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """How an embedder's cosine is read as a relevance in [0, 1]: `clip((cosine - low) / (high - low), 0, 1)`.

    Attributes:
        low: the cosine of unrelated texts.
        high: the cosine of texts that say the same.
        same: the cosine above which two texts may be near duplicates (other checks still apply).
        topic: the cosine above which a text may belong to a category's description.
    """

    low: float
    high: float
    same: float
    topic: float


class Embedder(Protocol):
    """Turns texts into vectors.

    One that embeds a text sooner than a database keeps its vector says so with an attribute `quick = True`: what it
    made is then kept in the memory of the process only.
    """

    @property
    def id(self) -> str:
        """Provider, model and version: what makes two vectors comparable."""
        ...

    @property
    def dimension(self) -> int | None:
        """Length of its vectors; None until a remote model has answered once or the configuration says it."""
        ...

    @property
    def calibration(self) -> Calibration:
        """How its cosines are read."""
        ...

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts.

        Args:
            texts: any number of texts, of any length.
            kind: whether they are questions or what is searched.

        Returns:
            A float32 array of shape (len(texts), dimension), rows of length 1.

        Raises:
            ModelError: the provider failed, after the retries it deserves.
            BadVectors: it answered with the wrong number or size of vectors.
            MissingKey: it needs a key that is not set.
        """
        ...

    async def close(self) -> None:
        """Free what it holds."""
        ...
