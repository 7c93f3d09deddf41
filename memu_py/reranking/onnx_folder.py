"""A cross-encoder exported to ONNX, in a folder."""

from collections.abc import Sequence
from pathlib import Path

from memu_py.local.export import Export
from memu_py.local.session import OnnxSession
from memu_py.reranking.reranker import Scores
from memu_py.reranking.scores import scores_of

_HINT = "export it as a cross-encoder (sequence classification), with tokenizer.json"


class OnnxFolder:
    """A model and its tokeniser. Cheap to make: they are loaded at the first text.

    Args:
        folder: see `Export`.
        max_tokens: of a question and a text together; the longer one is cut. The model's window if that is less.
        threads: of the model; see `OnnxSession`.

    Raises:
        ConfigError: the folder lacks a file.
    """

    def __init__(self, folder: Path, *, max_tokens: int | None = None, threads: int | None = None) -> None:
        export = Export(folder, setting="reranker.path")
        window = min(max_tokens or export.max_tokens, export.max_tokens)
        self._session = OnnxSession(export, max_tokens=window, threads=threads)

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Score texts. (n,) -> (n,) in [0, 1].

        Raises:
            ModelError: the model or its tokeniser cannot be loaded, fails, or is no cross-encoder.
        """
        outputs = self._session.guarded(
            lambda: self._session.run(self._session.tokens([(query, text) for text in texts])), hint=_HINT
        )
        return scores_of(outputs.arrays[0])
