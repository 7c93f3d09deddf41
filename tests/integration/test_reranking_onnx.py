"""Cross-encoders in ONNX: a folder with a tiny real one, and names through fastembed."""

import functools
import importlib.util
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.errors import ConfigError, ModelError
from memu_py.reranking.factory import build_reranker
from memu_py.reranking.onnx import OnnxReranker
from memu_py.reranking.reranker import Reranker, Scores
from memu_py.steps.builtin import register
from memu_py.testing.reranker_suite import RerankerSuite
from memu_py.workflow.registry import Registry

NEEDED = ("onnx", "onnxruntime", "tokenizers", "fastembed")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if MISSING:
    pytest.skip(f"not installed: {', '.join(MISSING)}", allow_module_level=True)

from cross_encoder_kit import OFFSET, SLOPE, write_cross_encoder  # noqa: E402 - needs the extra

QUERY = "Where lives Ann?"


def build(**own: object) -> Reranker:
    registry = Registry()
    register(registry)
    found = build_reranker(load_settings({"reranker": own}), registry)
    assert found is not None
    return found


def expected(common: int) -> float:
    return float(1 / (1 + np.exp(OFFSET - SLOPE * common)))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_cross_encoder(tmp_path_factory.mktemp("onnx") / "words-in-common")


class TestOnnxFolder(RerankerSuite):
    @pytest.fixture
    def reranker(self, folder: Path) -> Reranker:
        return build(path=str(folder), batch_size=8)


class TestOfTwoClasses(RerankerSuite):
    @pytest.fixture
    def reranker(self, tmp_path: Path) -> Reranker:
        return build(path=str(write_cross_encoder(tmp_path, outputs=(-0.5, 0.5))), threads=1)


async def test_the_logit_is_read_as_a_probability(folder: Path) -> None:
    scores = await build(path=str(folder)).rerank(QUERY, ["Bob: tea", "Ann plays", "Ann lives in Lisbon"])

    assert scores.tolist() == pytest.approx([expected(0), expected(1), expected(2)], abs=1e-6)


async def test_two_classes_give_what_their_difference_does(folder: Path, tmp_path: Path) -> None:
    texts = ["Ann lives in Lisbon", "tea", "who is Ann"]
    two = build(path=str(write_cross_encoder(tmp_path, outputs=(-0.5, 0.5))))

    one = await build(path=str(folder)).rerank(QUERY, texts)

    assert (await two.rerank(QUERY, texts)).tolist() == pytest.approx(one.tolist(), abs=1e-6)


async def test_a_model_of_many_classes_is_no_reranker(tmp_path: Path) -> None:
    reranker = build(path=str(write_cross_encoder(tmp_path, outputs=(1.0, 0.0, -1.0))))

    with pytest.raises(ModelError, match=r"outputs of shape \(3,\) for a pair of texts"):
        await reranker.rerank(QUERY, ["a"])


async def test_what_lies_beyond_the_window_is_not_read(folder: Path, tmp_path: Path) -> None:
    late = "tea " * 40 + "Ann lives in Lisbon"
    small = write_cross_encoder(tmp_path, window=32)

    whole, shorter, smaller, larger = [
        (await build(**own).rerank(QUERY, [late]))[0]
        for own in (
            {"path": str(folder)},
            {"path": str(folder), "max_tokens": 32},
            {"path": str(small)},
            {"path": str(small), "max_tokens": 128},
        )
    ]

    assert whole == pytest.approx(expected(2), abs=1e-6)
    assert [shorter, smaller, larger] == pytest.approx([expected(0)] * 3, abs=1e-6)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_is_no_model_says_what_it_lacks(tmp_path: Path, missing: str) -> None:
    (write_cross_encoder(tmp_path) / missing).unlink()

    with pytest.raises(ConfigError, match=rf"^reranker\.path: {tmp_path} has no {missing}"):
        build(path=str(tmp_path))


async def test_a_broken_model_is_a_model_error(tmp_path: Path) -> None:
    (write_cross_encoder(tmp_path) / "model.onnx").write_bytes(b"no model")

    with pytest.raises(
        ModelError, match=rf"the ONNX model in {tmp_path} failed.*export it as a cross-encoder"
    ):
        await build(path=str(tmp_path)).rerank(QUERY, ["a"])


class Watching:
    """A model that notes its batches and their threads."""

    def __init__(self) -> None:
        self.batches: list[tuple[str, tuple[str, ...]]] = []

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        self.batches.append((threading.current_thread().name, tuple(texts)))
        return np.array([len(text) / 10 for text in texts], dtype=np.float32)


async def test_batches_run_on_a_thread_of_their_own_texts_of_one_length_together() -> None:
    model = Watching()

    scores = await OnnxReranker(model, batch_size=2).rerank(QUERY, ["aaaa", "b", "ccccc", "dd"])

    assert scores.tolist() == pytest.approx([0.4, 0.1, 0.5, 0.2])
    assert [texts for _, texts in model.batches] == [("b", "dd"), ("aaaa", "ccccc")]
    assert {name.rpartition("_")[0] for name, _ in model.batches} == {"memu-reranker"}


def test_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(
        ConfigError,
        match=r"^reranker\.model: fastembed knows no model .*; did you mean `Xenova/ms-marco-MiniLM",
    ):
        build(model="Xenova/ms-marco-MiniLM-L-6")


def test_a_known_name_is_not_fetched_before_its_first_text() -> None:
    assert isinstance(build(model="xenova/MS-marco-MiniLM-L-6-v2"), OnnxReranker)


async def test_a_model_of_fastembed_reranks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fastembed.common.model_description import ModelSource  # noqa: PLC0415 - the extra may be missing
    from fastembed.rerank import cross_encoder  # noqa: PLC0415 - the same

    name = "own/words-in-common"
    if not any(model["model"] == name for model in cross_encoder.TextCrossEncoder.list_supported_models()):
        cross_encoder.TextCrossEncoder.add_custom_model(
            model=name, sources=ModelSource(url="http://localhost:1/none"), model_file="model.onnx"
        )
    reranker = build(model=name, threads=1)
    local = functools.partial(cross_encoder.TextCrossEncoder, specific_model_path=str(folder))
    monkeypatch.setattr(cross_encoder, "TextCrossEncoder", local)

    scores = await reranker.rerank(QUERY, ["tea", "Ann lives in Lisbon"])

    assert scores.tolist() == pytest.approx([expected(0), expected(2)], abs=1e-6)


async def test_a_model_that_cannot_be_fetched_says_so() -> None:
    from memu_py.reranking.onnx_named import OnnxNamed  # noqa: PLC0415 - the extra may be missing

    def offline(name: str) -> object:
        raise OSError("no route to host")

    reranker = OnnxReranker(OnnxNamed("Xenova/ms-marco-MiniLM-L-6-v2", make=offline), batch_size=4)

    with pytest.raises(
        ModelError, match=r"cannot be fetched or run: no route to host .*`reranker\.path` does not"
    ):
        await reranker.rerank(QUERY, ["a"])


@pytest.mark.parametrize(
    ("own", "module"),
    [({"path": "."}, "onnx_folder"), ({"model": "x"}, "onnx_named")],
    ids=["folder", "name"],
)
def test_a_missing_extra_says_how_to_install_it(
    own: dict[str, object], module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, f"memu_py.reranking.{module}", None)

    with pytest.raises(ConfigError, match=r"backend onnx is not installed.*pip install 'memu_py\[onnx\]'"):
        build(**own)
