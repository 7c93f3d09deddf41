"""A model exported to ONNX, as it lies in a folder."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memu_py.errors import ConfigError

MODEL_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
)
TOKENIZER_FILE = "tokenizer.json"
WINDOW_SETTINGS = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
)
"""Files and keys that may say how many tokens a model takes, the first to be believed first."""

DEFAULT_TOKENS = 512
MOST_TOKENS = 8192
"""Some tokenisers say 10^30 where they mean that nobody has set a limit."""

SAMPLE_BYTES = 1 << 20
"""Bytes at both ends of a model file that go into its fingerprint."""


class Export:
    """The files of a model and its tokeniser. Cheap: nothing is loaded.

    Args:
        folder: holds `model.onnx` (or one of its usual places), `tokenizer.json`, and the configuration files of
            sentence-transformers where there are any.
        setting: the key of config.yaml that named the folder, for messages.

    Raises:
        ConfigError: the folder lacks one of them.
    """

    def __init__(self, folder: Path, *, setting: str) -> None:
        self.folder = folder
        self.model_file = _present(folder, MODEL_FILES, setting)
        self.tokenizer_file = _present(folder, (TOKENIZER_FILE,), setting)

    @property
    def fingerprint(self) -> str:
        """A short hash of the model and its tokeniser: two exports of one name are not the same."""
        digest = hashlib.blake2b(self.tokenizer_file.read_bytes(), digest_size=6)
        size = self.model_file.stat().st_size
        digest.update(str(size).encode())
        with self.model_file.open("rb") as file:
            digest.update(file.read(SAMPLE_BYTES))
            file.seek(max(size - SAMPLE_BYTES, 0))
            digest.update(file.read())
        return digest.hexdigest()

    @property
    def max_tokens(self) -> int:
        """How many tokens the model takes."""
        said = next(filter(None, (self.settings(file).get(key) for file, key in WINDOW_SETTINGS)), None)
        return int(said) if isinstance(said, int | float) and 0 < said <= MOST_TOKENS else DEFAULT_TOKENS

    def settings(self, file: str) -> dict[str, Any]:
        """Return what stands in a configuration file beside the model; nothing when there is no such file."""
        path = self.folder / file
        if not path.is_file():
            return {}
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found


def _present(folder: Path, names: Sequence[str], setting: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    msg = f"{setting}: {folder} has no {names[0]}"
    raise ConfigError(msg, hint="export the model to ONNX, and put its tokenizer.json beside it")
