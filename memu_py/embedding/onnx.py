"""Embeddings of ONNX models on this machine. Needs the extra `onnx`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from memu_py.config.settings import Settings
from memu_py.embedding.embedder import Calibration, Matrix, TextKind
from memu_py.embedding.pieces import pieces_of
from memu_py.embedding.traits import Traits, traits_of
from memu_py.embedding.worker import encode, on_thread
from memu_py.errors import ConfigError

DEFAULT_BATCH_SIZE = 32
MAX_CHARS = 4_000
"""Length of a piece; the model cuts it into windows itself. A bound on one turn of the embedding thread."""

_PROBE = "text"
_INSTALL = "pip install 'memu_py[onnx]'"


class OnnxModel(Protocol):
    """Turns texts into vectors, on whatever thread it is called."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. (n,) -> (n, d)."""
        ...


class OnnxEmbedder:
    """An ONNX model on the embedding thread; loaded at the first text.

    Args:
        model: does the work.
        name: for its id.
        traits: its prefixes and calibration.
        dimension: length of its vectors, if it is known yet.
        batch_size: texts in one batch.
    """

    def __init__(
        self,
        model: OnnxModel,
        *,
        name: str,
        traits: Traits,
        dimension: int | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        self._model = model
        self._name = name
        self._traits = traits
        self._dimension = dimension
        self._batch_size = batch_size

    @property
    def id(self) -> str:
        """Model, fingerprint of its files, and a tag of its prefixes."""
        return f"onnx/{self._name}{self._traits.tag}"

    @property
    def dimension(self) -> int | None:
        """Length of its vectors; None until it is loaded, unless it is known."""
        return self._dimension

    @property
    def calibration(self) -> Calibration:
        """How its cosines are read."""
        return self._traits.calibration

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts.

        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        if not texts:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        if self._dimension is None:
            self._dimension = int((await on_thread(self._model.encode, [_PROBE])).shape[1])
        pieces = pieces_of(texts, max_chars=MAX_CHARS)
        prefixed = [self._traits.prefixed(piece, kind) for piece in pieces.texts]
        matrix = await encode(
            prefixed, self._model.encode, batch_size=self._batch_size, dimension=self._dimension
        )
        return pieces.joined(matrix)

    async def close(self) -> None:
        """Let go of nothing: the model goes with the embedder."""


def open_onnx(settings: Settings) -> OnnxEmbedder:
    """Open a model by folder, else by name.

    Raises:
        ConfigError: neither is given, the folder is no model, the name is unknown, or the extra is not installed.
    """
    own = settings.embedding
    if own.path is None and own.model is None:
        where = settings.mark(("embedding",))
        msg = f"{where}: embedding: the backend onnx needs `path` (a folder) or `model` (a name)"
        raise ConfigError(msg)
    try:
        return _by_folder(settings) if own.path is not None else _by_name(settings)
    except ImportError as error:
        msg = f"the embedding backend onnx is not installed: no module {error.name}"
        raise ConfigError(msg, hint=_INSTALL) from error


def _by_folder(settings: Settings) -> OnnxEmbedder:
    from memu_py.embedding.onnx_folder import OnnxFolder  # noqa: PLC0415 - an optional extra

    own = settings.embedding
    folder = own.path or Path()
    model = OnnxFolder(folder)
    name = own.model or folder.resolve().name
    return OnnxEmbedder(
        model,
        name=f"{name}#{model.fingerprint}",
        traits=traits_of(name, own),
        batch_size=own.batch_size or DEFAULT_BATCH_SIZE,
    )


def _by_name(settings: Settings) -> OnnxEmbedder:
    from memu_py.embedding.onnx_named import OnnxNamed  # noqa: PLC0415 - an optional extra

    own = settings.embedding
    model = OnnxNamed(own.model or "")
    return OnnxEmbedder(
        model,
        name=model.name,
        traits=traits_of(model.name, own),
        dimension=model.dimension,
        batch_size=own.batch_size or DEFAULT_BATCH_SIZE,
    )
