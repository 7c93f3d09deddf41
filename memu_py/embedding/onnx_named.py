"""A model by name, through fastembed: fetched at its first use, then local."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.embedding.pieces import unit_rows
from memu_py.errors import ConfigError, ModelError
from memu_py.nearest import nearest


def _fastembed(name: str) -> Any:
    from fastembed import TextEmbedding  # noqa: PLC0415 - an optional extra

    return TextEmbedding(model_name=name)


def _supported() -> dict[str, int]:
    from fastembed import TextEmbedding  # noqa: PLC0415 - an optional extra

    return {model["model"]: int(model["dim"]) for model in TextEmbedding.list_supported_models()}


class OnnxNamed:
    """A model that fastembed knows.

    Args:
        name: such as `BAAI/bge-small-en-v1.5`.
        make: makes fastembed's model, and may fetch it; called at the first text.

    Raises:
        ConfigError: fastembed does not know the name.
    """

    def __init__(self, name: str, *, make: Callable[[str], Any] = _fastembed) -> None:
        known = {model.lower(): (model, dimension) for model, dimension in _supported().items()}
        if name.lower() not in known:
            guess = nearest(name, [model for model, _ in known.values()])
            meant = f"; did you mean `{guess}`?" if guess else ""
            msg = f"embedding.model: fastembed knows no model `{name}`{meant}"
            raise ConfigError(msg, hint="give a folder with an ONNX export as `embedding.path`")
        self.name, self.dimension = known[name.lower()]
        self._make = make
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. (n,) -> (n, d).

        Raises:
            ModelError: the model cannot be fetched, or fails.
        """
        try:
            if self._model is None:
                self._model = self._make(self.name)
            vectors = list(self._model.embed(list(texts)))
        except Exception as error:  # the hub, the file system and onnxruntime raise exceptions of many kinds
            msg = f"the model {self.name} cannot be fetched or run: {error}"
            hint = "its first use needs the network; a folder as `embedding.path` does not"
            raise ModelError(msg, hint=hint) from error
        return unit_rows(np.asarray(vectors, dtype=np.float32))
