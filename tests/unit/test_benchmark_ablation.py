"""The ablations' own arithmetic: a small encoder, pooled terms, an inverted index, vectors around topics."""

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from benchmarks import hnsw
from benchmarks.sparse import PER_STEP, SHOWN, Way, best, gain, pooled, searcher
from benchmarks.splade import FOLDER, HEADS, LAYERS, Splade, gelu, softmax, split, tensors

WORDS = ("[UNK]", "tea", "cello", "lisbon")
DIM = 4


def safetensors(parts: dict[str, Any]) -> bytes:
    header, data = {}, b""
    for name, values in parts.items():
        raw = np.asarray(values, dtype="<f4")
        offsets = [len(data), len(data) + raw.nbytes]
        header[name] = {"dtype": "F32", "shape": list(raw.shape), "data_offsets": offsets}
        data += raw.tobytes()
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    return len(text).to_bytes(8, "little") + text + data


def weights() -> dict[str, Any]:
    """A model that says nothing but the words themselves: its layers add nothing."""
    norm = {"gamma": np.ones(DIM), "beta": np.zeros(DIM)}
    square, nothing = np.zeros((DIM, DIM)), np.zeros(DIM)
    found: dict[str, Any] = {
        "bert.embeddings.word_embeddings.weight": np.eye(len(WORDS), DIM),
        "bert.embeddings.position_embeddings.weight": np.zeros((8, DIM)),
        "bert.embeddings.token_type_embeddings.weight": np.zeros((2, DIM)),
        "cls.predictions.bias": np.full(len(WORDS), -0.1),
        "cls.predictions.transform.dense.weight": np.eye(DIM),
        "cls.predictions.transform.dense.bias": nothing,
    }
    dense = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
    for layer in range(LAYERS):
        name = f"bert.encoder.layer.{layer}"
        for part in (*dense, "intermediate.dense", "output.dense"):
            found |= {f"{name}.{part}.weight": square, f"{name}.{part}.bias": nothing}
        for part in ("attention.output", "output"):
            found |= {f"{name}.{part}.LayerNorm.{key}": value for key, value in norm.items()}
    for name in ("bert.embeddings", "cls.predictions.transform"):
        found |= {f"{name}.LayerNorm.{key}": value for key, value in norm.items()}
    return found


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "model.whl"
    with zipfile.ZipFile(path, "w") as files:
        files.writestr(f"{FOLDER}/model.safetensors", safetensors(weights()))
        files.writestr(f"{FOLDER}/tokenizer.json", tokenizer.to_str())
    return path


def test_texts_become_weights_of_their_terms_whatever_stands_beside_them(wheel: Path) -> None:
    splade = Splade(wheel)

    both = splade.encode(["tea cello", "lisbon lisbon lisbon lisbon", "tea"])

    assert both.shape == (3, splade.terms)
    assert (both > 0).tolist() == [
        [False, True, True, False],
        [False, False, False, True],
        [False, True, False, False],
    ]
    assert np.allclose(both[2], splade.encode(["tea"])[0], atol=1e-6)


def test_tensors_are_read_by_name() -> None:
    found = tensors(safetensors({"a": [[1, 2], [3, 4]], "b": [5]}))

    assert {name: values.tolist() for name, values in found.items()} == {"a": [[1, 2], [3, 4]], "b": [5]}


def test_the_parts_of_a_layer_are_what_their_names_say() -> None:
    assert gelu(np.array([-3, 0, 1], dtype=np.float32)) == pytest.approx([-0.0040496, 0, 0.8413447], abs=1e-6)
    assert softmax(np.log(np.array([[1, 3]], dtype=np.float32))).tolist() == [pytest.approx([0.25, 0.75])]
    heads = split(np.arange(8, dtype=np.float32).reshape(1, 2, 4))
    assert heads.shape == (1, HEADS, 2, 2)
    assert heads[0, 1].tolist() == [[2, 3], [6, 7]]


def test_neighbours_lend_their_terms_within_a_session() -> None:
    own = np.eye(6, dtype=np.float32)

    found = pooled(own, ["a"] * 5 + ["b"])

    assert found[0].tolist() == pytest.approx([1, PER_STEP, PER_STEP**2, PER_STEP**3, 0, 0])
    assert found[5].tolist() == [0, 0, 0, 0, 0, 1]


def test_a_question_is_measured_against_itself() -> None:
    turns = np.array([[2, 0, 1], [0, 0.5, 0], [0, 0, 0]], dtype=np.float32)
    search = searcher(turns)

    assert search(np.array([1, 1, 0], dtype=np.float32)).tolist() == [1, 0.25, 0]
    assert search(np.zeros(3, dtype=np.float32)).tolist() == [0, 0, 0]


def test_a_way_is_chosen_by_the_questions_of_all_that_are_not_left_out() -> None:
    poor, good = (dict.fromkeys(SHOWN, value) for value in (0.2, 0.8))
    mixed = gain({"large": poor, "small": good}, {"large": 3, "small": 1})

    assert mixed == pytest.approx(3 * (0.75 * 0.2 + 0.25 * 0.8))
    assert best({Way(): mixed, Way(added=0.1): mixed + 0.1, Way(within=0.1): mixed + 0.1}) == Way(added=0.1)


def test_vectors_gather_around_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "TOPICS", 3)
    vectors = hnsw.topical(60)
    cosines = vectors @ vectors.T

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (cosines[0] > 0.2).sum() < 40
    assert (cosines[0] > 0.2).sum() > 5


def test_the_exact_scan_is_what_recall_counts_from() -> None:
    vectors = hnsw.topical(500)

    row, found = hnsw.scan(vectors[:400], vectors[400:])

    expected = np.argsort(-(vectors[:400] @ vectors[400]), kind="stable")[:10]
    assert found[0].tolist() == expected.tolist()
    assert (row.recall, row.bytes_per_item) == (1.0, hnsw.DIM + 8)
    assert hnsw.shown([row]).splitlines()[2].startswith("| exact, bytes first | 400 |")


def test_without_the_graph_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usearch.index", None)

    assert hnsw.main([]) == 2
    assert "pip install usearch" in capsys.readouterr().err
