"""An embedding model by name, through fastembed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.embedding.pieces import unit_rows
from memu_py.local.named import NamedModel


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
        known = _supported()
        self._model = NamedModel(name, known, make=make, section="embedding")
        self.name = self._model.name
        self.dimension = known[self.name]

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. (n,) -> (n, d).

        Raises:
            ModelError: the model cannot be fetched, or fails.
        """
        vectors = self._model.use(lambda model: list(model.embed(list(texts))))
        return unit_rows(np.asarray(vectors, dtype=np.float32))
