"""A sentence-transformer exported to ONNX, in a folder."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import tokenizers
from numpy.typing import NDArray

from memu_py.embedding.embedder import Matrix
from memu_py.embedding.pieces import unit_rows
from memu_py.errors import ConfigError, ModelError

MODEL_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
)
TOKENIZER_FILE = "tokenizer.json"
DEFAULT_TOKENS = 512
MOST_TOKENS = 8192
"""Some tokenisers say 10^30 where they mean that nobody has set a limit."""

MOST_THREADS = 4
SAMPLE_BYTES = 1 << 20
"""Bytes at both ends of a model file that go into its fingerprint."""

POOLED = 2
"""Dimensions of an output that is pooled already: texts and numbers."""


class OnnxFolder:
    """A model and its tokeniser. Cheap to make: they are loaded at the first text.

    Texts beyond the model's window are embedded window by window, and averaged by their tokens.

    Args:
        folder: holds `model.onnx` (or one of its usual places), `tokenizer.json`, and the configuration files of
            sentence-transformers where there are any.

    Raises:
        ConfigError: the folder lacks one of them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model_file = _present(folder, MODEL_FILES)
        self._tokenizer_file = _present(folder, (TOKENIZER_FILE,))
        pooling = _json(folder / "1_Pooling" / "config.json")
        self._first_token = bool(pooling.get("pooling_mode_cls_token"))
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def fingerprint(self) -> str:
        """A short hash of the model and its tokeniser: two exports of one name are not the same."""
        digest = hashlib.blake2b(self._tokenizer_file.read_bytes(), digest_size=6)
        size = self._model_file.stat().st_size
        digest.update(str(size).encode())
        with self._model_file.open("rb") as file:
            digest.update(file.read(SAMPLE_BYTES))
            file.seek(max(size - SAMPLE_BYTES, 0))
            digest.update(file.read())
        return digest.hexdigest()

    @property
    def max_tokens(self) -> int:
        """How many tokens the model takes."""
        said = _json(self._folder / "sentence_bert_config.json").get("max_seq_length")
        said = said or _json(self._folder / "tokenizer_config.json").get("model_max_length")
        return int(said) if isinstance(said, int | float) and 0 < said <= MOST_TOKENS else DEFAULT_TOKENS

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. (n,) -> (n, d).

        Raises:
            ModelError: the model or its tokeniser cannot be loaded, or fails.
        """
        try:
            self._load()
            windows = [[first, *first.overflowing] for first in self._tokenizer.encode_batch(list(texts))]
            vectors = self._run([window for text in windows for window in text])
        except Exception as error:  # onnxruntime and tokenizers raise plain exceptions of many kinds
            msg = f"the ONNX model in {self._folder} failed: {error}"
            raise ModelError(msg, hint="export it as a sentence-transformer, with tokenizer.json") from error
        return _means(vectors, windows)

    def _load(self) -> None:
        if self._session is not None:
            return
        self._tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer_file))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.max_tokens)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
        # Threads that wait for work sleep: they share the machine with the agent.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(self._model_file), options, providers=["CPUExecutionProvider"]
        )

    def _run(self, windows: Sequence[Any]) -> NDArray[np.float32]:
        mask = _padded([window.attention_mask for window in windows])
        feeds = {
            "input_ids": _padded([window.ids for window in windows]),
            "attention_mask": mask,
            "token_type_ids": _padded([window.type_ids for window in windows]),
        }
        wanted = {node.name for node in self._session.get_inputs()}
        outputs = self._session.run(None, {name: feed for name, feed in feeds.items() if name in wanted})
        return unit_rows(pooled(outputs, mask, first_token=self._first_token))


def _present(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    msg = f"embedding.path: {folder} has no {names[0]}"
    raise ConfigError(msg, hint="export the model to ONNX, and put its tokenizer.json beside it")


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    out = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for place, row in enumerate(rows):
        out[place, : len(row)] = row
    return out


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
