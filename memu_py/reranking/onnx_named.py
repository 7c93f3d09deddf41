"""A cross-encoder by name, through fastembed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memu_py.local.named import NamedModel
from memu_py.reranking.reranker import Scores
from memu_py.reranking.scores import scores_of


def _supported() -> list[str]:
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 - an optional extra

    return [model["model"] for model in TextCrossEncoder.list_supported_models()]


class OnnxNamed:
    """A model that fastembed knows.

    Args:
        name: such as `Xenova/ms-marco-MiniLM-L-6-v2`.
        threads: of the model; fastembed's choice if unset.
        make: makes fastembed's model, and may fetch it; called at the first text.

    Raises:
        ConfigError: fastembed does not know the name.
    """

    def __init__(
        self, name: str, *, threads: int | None = None, make: Callable[[str], Any] | None = None
    ) -> None:
        def fastembed(known: str) -> Any:
            from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415 - an optional extra

            return TextCrossEncoder(known, threads=threads)

        self._model = NamedModel(name, _supported(), make=make or fastembed, section="reranker")

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Score texts. (n,) -> (n,) in [0, 1].

        Raises:
            ModelError: the model cannot be fetched, or fails.
        """
        logits = self._model.use(lambda model: list(model.rerank(query, list(texts), batch_size=len(texts))))
        return scores_of(np.asarray(logits, dtype=np.float32))
