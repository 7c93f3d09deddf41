"""Cross-encoders in ONNX on this machine. Needs the extra `onnx`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from memu_py.config.settings import Settings
from memu_py.errors import ConfigError
from memu_py.local.text import valid
from memu_py.local.thread import on_thread
from memu_py.reranking.reranker import Scores

THREAD = "memu-reranker"
"""A thread of its own: an ingest that embeds does not keep a question waiting here."""

MAX_CHARS = 8_000
"""What is read of a text at most: more than the window of any of these models, and a bound for the tokeniser."""

_INSTALL = "pip install 'memu_py[onnx]'"


class CrossEncoder(Protocol):
    """Scores pairs of a question and a text, on whatever thread it is called."""

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Score texts. (n,) -> (n,) in [0, 1]."""
        ...


class OnnxReranker:
    """A cross-encoder on the rerankers' thread; loaded at the first text.

    Args:
        model: does the work.
        batch_size: texts in one batch. Between two batches another question gets its turn.
    """

    def __init__(self, model: CrossEncoder, *, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size

    async def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        """Tell how well texts answer a question; see `Reranker.rerank`.

        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        scores = np.zeros(len(texts), dtype=np.float32)
        # Texts of one length go together: a batch is as long as its longest text.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), self._batch_size):
            places = order[start : start + self._batch_size]
            batch = [valid(texts[place][:MAX_CHARS]) for place in places]
            scores[places] = await on_thread(THREAD, self._model.score, valid(query[:MAX_CHARS]), batch)
        return scores

    async def close(self) -> None:
        """Let go of nothing: the model goes with the reranker."""


def open_onnx(settings: Settings) -> OnnxReranker:
    """Open a cross-encoder by folder, else by name.

    Raises:
        ConfigError: the folder is no model, the name is unknown, or the extra is not installed.
    """
    own = settings.reranker
    try:
        model = _by_folder(settings) if own.path is not None else _by_name(settings)
    except ImportError as error:
        msg = f"the reranker backend onnx is not installed: no module {error.name}"
        raise ConfigError(msg, hint=_INSTALL) from error
    return OnnxReranker(model, batch_size=own.batch_size)


def _by_folder(settings: Settings) -> CrossEncoder:
    from memu_py.reranking.onnx_folder import OnnxFolder  # noqa: PLC0415 - an optional extra

    own = settings.reranker
    return OnnxFolder(own.path or Path(), max_tokens=own.max_tokens, threads=own.threads)


def _by_name(settings: Settings) -> CrossEncoder:
    from memu_py.reranking.onnx_named import OnnxNamed  # noqa: PLC0415 - an optional extra

    return OnnxNamed(settings.reranker.model or "", threads=settings.reranker.threads)
