"""Running an exported model: texts to tokens, tokens to what the model gives."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import onnxruntime
import tokenizers
from numpy.typing import NDArray

from memu_py.errors import ModelError
from memu_py.local.export import Export

MOST_THREADS = 4
"""Threads of one model, unless it is told otherwise."""

R = TypeVar("R")


class Outputs(NamedTuple):
    """What a model gives.

    Attributes:
        arrays: its outputs in their order, (n, …) each.
        mask: (n, tokens), 0 for padding.
    """

    arrays: Sequence[NDArray[np.float32]]
    mask: NDArray[np.int64]


class OnnxSession:
    """A model and its tokeniser. Cheap to make: they are loaded at the first text.

    Args:
        export: their files.
        max_tokens: longer texts are cut there; what is cut off is in `overflowing`.
        threads: of the model; up to `MOST_THREADS` if unset.
    """

    def __init__(self, export: Export, *, max_tokens: int, threads: int | None = None) -> None:
        self._export = export
        self._max_tokens = max_tokens
        self._threads = threads or min(MOST_THREADS, os.cpu_count() or 1)
        self._session: Any = None
        self._tokenizer: Any = None

    def guarded(self, work: Callable[[], R], *, hint: str) -> R:
        """Do what needs the model.

        Args:
            work: what to do.
            hint: what kind of model it should be.

        Raises:
            ModelError: the model or its tokeniser cannot be loaded, or fails.
        """
        try:
            self._load()
            return work()
        except Exception as error:  # onnxruntime and tokenizers raise plain exceptions of many kinds
            msg = f"the ONNX model in {self._export.folder} failed: {error}"
            raise ModelError(msg, hint=hint) from error

    def tokens(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[Any]:
        """Return an encoding for each text, or for each pair of texts."""
        return list(self._tokenizer.encode_batch(list(texts)))

    def run(self, encodings: Sequence[Any]) -> Outputs:
        """Run the model once.

        Args:
            encodings: at least one.
        """
        mask = _padded([encoding.attention_mask for encoding in encodings])
        feeds = {
            "input_ids": _padded([encoding.ids for encoding in encodings]),
            "attention_mask": mask,
            "token_type_ids": _padded([encoding.type_ids for encoding in encodings]),
        }
        wanted = {node.name for node in self._session.get_inputs()}
        arrays = self._session.run(None, {name: feed for name, feed in feeds.items() if name in wanted})
        return Outputs(arrays=arrays, mask=mask)

    def _load(self) -> None:
        if self._session is not None:
            return
        self._tokenizer = tokenizers.Tokenizer.from_file(str(self._export.tokenizer_file))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._max_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        # Threads that wait for work sleep: they share the machine with the agent.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(self._export.model_file), options, providers=["CPUExecutionProvider"]
        )


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    out = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out
