"""A cross-encoder small enough to be read: it counts the words that question and text have in common."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")
WORDS = (
    *("who", "likes", "love", "hiking", "in", "the", "mountains", "invoice", "is", "due", "on", "tenth"),
    *("when", "what", "where", "ann", "bob", "lives", "live", "lisbon", "berlin", "tea", "plays", "cello"),
)
SLOPE, OFFSET = 2.0, 3.0
"""The logit is `SLOPE * words in common - OFFSET`."""


def write_tokenizer(folder: Path) -> None:
    """Words in lower case; a pair is `[CLS] question [SEP] text [SEP]`, the text with type 1."""
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(folder: Path, *, outputs: Sequence[float] = (1.0,)) -> None:
    """Write the model.

    Args:
        folder: gets `model.onnx`.
        outputs: factors of the logit, one for each output of the model: (1,) for a logit, (-.5, .5) for two classes.
    """
    size = len(SPECIAL) + len(WORDS)
    # A row a token: special ones stand for nothing.
    rows = np.eye(size, dtype=np.float32)
    rows[: len(SPECIAL)] = 0
    constants: dict[str, NDArray[Any]] = {
        "rows": rows,
        "axis": np.array([1], dtype=np.int64),
        "last": np.array([2], dtype=np.int64),
        "one": np.array(1, dtype=np.float32),
        "slope": np.array(SLOPE, dtype=np.float32),
        "offset": np.array(OFFSET, dtype=np.float32),
        "factors": np.array([list(outputs)], dtype=np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["in_text"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["in_text", "last"], ["of_text"]),
        helper.make_node("Sub", ["one", "of_text"], ["of_question"]),
        helper.make_node("Mul", ["words", "of_text"], ["text"]),
        helper.make_node("Mul", ["words", "of_question"], ["question"]),
        helper.make_node("ReduceMax", ["text", "axis"], ["text_words"], keepdims=0),
        helper.make_node("ReduceMax", ["question", "axis"], ["question_words"], keepdims=0),
        helper.make_node("Mul", ["text_words", "question_words"], ["common"]),
        helper.make_node("ReduceSum", ["common", "axis"], ["count"], keepdims=1),
        helper.make_node("Mul", ["count", "slope"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "offset"], ["logit"]),
        helper.make_node("Mul", ["logit", "factors"], ["logits"]),
    ]
    names = ("input_ids", "token_type_ids")
    graph = helper.make_graph(
        nodes,
        "words in common",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", len(outputs)])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))


def write_cross_encoder(folder: Path, *, outputs: Sequence[float] = (1.0,), window: int = 128) -> Path:
    """Write a folder as an export of a cross-encoder has it, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    write_model(folder, outputs=outputs)
    settings = {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": window, "pad_token": "[PAD]"},
        "special_tokens_map.json": {
            name: f"[{name[:3].upper()}]" for name in ("pad_token", "cls_token", "sep_token")
        },
    }
    for file, content in settings.items():
        (folder / file).write_text(json.dumps(content))
    return folder
