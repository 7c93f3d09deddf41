"""Embedders for tests: one that needs no model, and one that counts."""

import functools
import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Calibration, Embedder, Matrix, TextKind

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
"""Words; Chinese characters, kana and hangul one by one."""

HASHING_CALIBRATION = Calibration(low=0.0, high=1.0, same=0.9, topic=0.2)


class HashingEmbedder:
    """Texts that share words have similar vectors. The same on every machine and in every run.

    Each word has a random direction drawn from a hash of the word and the seed; a text is the sum of its words.

    Args:
        dimension: length of the vectors.
        seed: another one gives other directions.
    """

    def __init__(self, *, dimension: int = 64, seed: int = 0) -> None:
        self._dimension = dimension
        self._seed = seed
        self._direction = functools.cache(self._drawn)

    @property
    def id(self) -> str:
        """Its name and seed."""
        return f"hashing/{self._seed}"

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self._dimension

    @property
    def calibration(self) -> Calibration:
        """How its cosines are read."""
        return HASHING_CALIBRATION

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts; both kinds alike."""
        matrix = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(matrix, texts, strict=True):
            total = sum(map(self._direction, _WORDS.findall(text.casefold())), np.zeros(self._dimension))
            length = np.linalg.norm(total)
            if length > 0:
                row[:] = total / length
        return matrix

    async def close(self) -> None:
        """Nothing to free."""

    def _drawn(self, word: str) -> NDArray[np.float64]:
        digest = hashlib.blake2b(f"{self._seed}:{word}".encode(errors="replace"), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest)).standard_normal(self._dimension)


class CountingEmbedder:
    """Passes on to another embedder and keeps what it was asked.

    Args:
        inner: the embedder that works.

    Attributes:
        calls: the texts of each call, in order.
        kinds: the kind of each call.
        closed: how often it was closed.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.calls: list[tuple[str, ...]] = []
        self.kinds: list[TextKind] = []
        self.closed = 0

    @property
    def texts(self) -> list[str]:
        """All texts that were embedded, in order."""
        return [text for call in self.calls for text in call]

    @property
    def id(self) -> str:
        """The inner one's."""
        return self._inner.id

    @property
    def dimension(self) -> int | None:
        """The inner one's."""
        return self._inner.dimension

    @property
    def calibration(self) -> Calibration:
        """The inner one's."""
        return self._inner.calibration

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts."""
        self.calls.append(tuple(texts))
        self.kinds.append(kind)
        return await self._inner.embed(texts, kind=kind)

    async def close(self) -> None:
        """Close the inner one."""
        self.closed += 1
        await self._inner.close()
