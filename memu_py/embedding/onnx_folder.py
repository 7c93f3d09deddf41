"""A sentence-transformer exported to ONNX, in a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Matrix
from memu_py.embedding.pieces import unit_rows
from memu_py.local.export import Export
from memu_py.local.session import OnnxSession

POOLED = 2
"""Dimensions of an output that is pooled already: texts and numbers."""

_HINT = "export it as a sentence-transformer, with tokenizer.json"


class OnnxFolder:
    """A model and its tokeniser. Cheap to make: they are loaded at the first text.

    Texts beyond the model's window are embedded window by window, and averaged by their tokens.

    Args:
        folder: see `Export`.

    Raises:
        ConfigError: the folder lacks a file.
    """

    def __init__(self, folder: Path) -> None:
        self._export = Export(folder, setting="embedding.path")
        self._session = OnnxSession(self._export, max_tokens=self.max_tokens)
        pooling = self._export.settings("1_Pooling/config.json")
        self._first_token = bool(pooling.get("pooling_mode_cls_token"))

    @property
    def fingerprint(self) -> str:
        """A short hash of the model and its tokeniser."""
        return self._export.fingerprint

    @property
    def max_tokens(self) -> int:
        """How many tokens the model takes."""
        return self._export.max_tokens

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. (n,) -> (n, d).

        Raises:
            ModelError: the model or its tokeniser cannot be loaded, or fails.
        """
        return self._session.guarded(lambda: self._encode(texts), hint=_HINT)

    def _encode(self, texts: Sequence[str]) -> Matrix:
        windows = [[first, *first.overflowing] for first in self._session.tokens(texts)]
        outputs = self._session.run([window for text in windows for window in text])
        vectors = unit_rows(pooled(outputs.arrays, outputs.mask, first_token=self._first_token))
        return _means(vectors, windows)


def pooled(
    outputs: Sequence[NDArray[np.float32]], mask: NDArray[np.int64], *, first_token: bool
) -> NDArray[np.float32]:
    """Make one vector a text of what a model gives.

    Args:
        outputs: of the model: (n, d) where it pools itself, else the tokens' states (n, t, d) first.
        mask: (n, t), 0 for padding.
        first_token: take the first token's state rather than the mean of all tokens that are no padding.

    Returns:
        (n, d).
    """
    ready = next((output for output in outputs if output.ndim == POOLED), None)
    if ready is not None:
        return ready
    states = outputs[0]
    if first_token:
        return states[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    means: NDArray[np.float32] = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return means


def _means(vectors: NDArray[np.float32], windows: Sequence[Sequence[Any]]) -> Matrix:
    """One vector a text: the mean of its windows by their tokens."""
    out = np.zeros((len(windows), vectors.shape[1]), dtype=np.float32)
    start = 0
    for place, text in enumerate(windows):
        weights = np.array([len(window.ids) for window in text], dtype=np.float32)
        out[place] = weights @ vectors[start : start + len(text)]
        start += len(text)
    return unit_rows(out)
