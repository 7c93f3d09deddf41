"""From the configuration to an embedder: which one, which address, which key."""

from collections.abc import Mapping
from typing import Any

import pytest

from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.embedding.bundled import BundledEmbedder
from memu_py.embedding.embedder import Calibration, Embedder
from memu_py.embedding.factory import build_embedder, build_openai, embedding_endpoint, register_embedders
from memu_py.embedding.traits import traits_of
from memu_py.errors import ConfigError, MissingKey
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.registry import Registry

OPENAI = "https://api.openai.com/v1"
LOCAL = "http://gpu-box:8000/v1"


def settings_of(embedding: Mapping[str, Any], **default: Any) -> Settings:
    llm = {"default": {"model": "m", **default}} if default else {}
    return load_settings({"llm": llm, "embedding": {"backend": "openai", **embedding}}, env={})


def access(settings: Settings, **env: str) -> tuple[str, str]:
    endpoint = embedding_endpoint(settings, env)
    return endpoint.base_url, endpoint.reveal_key()


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    register_embedders(registry)
    return registry


def test_the_built_in_embedders_are_registered(registry: Registry) -> None:
    assert registry.names("embedder") == ("bundled", "onnx", "openai")


def test_the_default_is_the_bundled_one(registry: Registry) -> None:
    assert isinstance(build_embedder(load_settings({}), registry), BundledEmbedder)


def test_an_unknown_backend_names_place_and_nearest(registry: Registry) -> None:
    settings = load_settings("database: {backend: memory}\nembedding:\n  backend: opnai\n")

    with pytest.raises(ConfigError) as caught:
        build_embedder(settings, registry)

    assert str(caught.value) == (
        "configuration:3:12: embedding.backend: no embedder `opnai`; did you mean `openai`? "
        "there are bundled, onnx, openai"
    )


def test_a_plug_in_brings_an_embedder(registry: Registry) -> None:
    def build(settings: Settings) -> Embedder:
        return HashingEmbedder(dimension=settings.embedding.dimensions or 1)

    registry.add("embedder", "mine", build)

    embedder = build_embedder(load_settings({"embedding": {"backend": "mine", "dimensions": 5}}), registry)

    assert (embedder.id, embedder.dimension) == ("hashing/0", 5)


def test_the_openai_embedder_is_built_without_a_key(registry: Registry) -> None:
    settings = settings_of({"dimensions": 256, "batch_size": 7})

    embedder = build_embedder(settings, registry)

    assert embedder.id == "openai/text-embedding-3-small@256"
    assert embedder.dimension == 256


async def test_a_missing_key_is_named_at_the_first_call() -> None:
    embedder = build_openai(settings_of({}), env={})

    with pytest.raises(
        MissingKey, match=r"`embedding\.api_key` needs the environment variable OPENAI_API_KEY"
    ):
        await embedder.embed(["a"], kind="query")
    await embedder.close()


def test_its_own_key_comes_first() -> None:
    settings = settings_of({"api_key": "own"}, api_key="llm", base_url=LOCAL)

    assert access(settings, OPENAI_API_KEY="env") == (OPENAI, "own")


def test_the_key_of_the_default_profile_comes_with_its_address() -> None:
    assert access(settings_of({}, api_key="llm")) == (OPENAI, "llm")
    assert access(settings_of({}, api_key="llm", base_url=LOCAL)) == (LOCAL, "llm")
    assert access(settings_of({}, api_key="llm"), OPENAI_API_KEY="env") == (OPENAI, "llm")


def test_the_key_of_another_provider_is_not_taken() -> None:
    settings = settings_of({}, provider="deepseek", api_key="deep")

    assert access(settings, OPENAI_API_KEY="env") == (OPENAI, "env")


def test_a_key_is_not_sent_to_another_address() -> None:
    settings = settings_of({"base_url": LOCAL}, api_key="llm")

    assert access(settings, OPENAI_API_KEY="env") == (LOCAL, "none")


def test_another_path_at_the_same_address_has_the_same_key() -> None:
    settings = settings_of({"base_url": f"{LOCAL}/embed"}, api_key="llm", base_url=LOCAL)

    assert access(settings) == (f"{LOCAL}/embed", "llm")


def test_the_usual_variable_is_the_last_resort() -> None:
    assert access(settings_of({}), OPENAI_API_KEY="env") == (OPENAI, "env")
    assert access(settings_of({}, api_key=""), OPENAI_API_KEY="env") == (OPENAI, "env")
    mistral = settings_of({"provider": "mistral"})
    assert access(mistral, MISTRAL_API_KEY="m") == ("https://api.mistral.ai/v1", "m")


def test_the_variable_of_the_default_profile_is_named_when_it_is_missing() -> None:
    settings = settings_of({}, api_key="${TEAM_KEY}")

    with pytest.raises(MissingKey, match=r"`llm\.default\.api_key` needs the environment variable TEAM_KEY"):
        embedding_endpoint(settings, {}).reveal_key()


def test_a_server_of_ones_own_needs_no_key() -> None:
    assert access(settings_of({"provider": "ollama"})) == ("http://localhost:11434/v1", "none")
    inherited = settings_of({"provider": "ollama"}, provider="ollama", base_url="http://gpu:11434/v1")
    assert access(inherited) == ("http://gpu:11434/v1", "none")


def test_an_unknown_provider_needs_an_address() -> None:
    assert access(settings_of({"provider": "homemade", "base_url": LOCAL})) == (LOCAL, "none")

    with pytest.raises(
        ConfigError, match=r"embedding\.provider: no provider `opena`; did you mean `openai`\?"
    ):
        embedding_endpoint(settings_of({"provider": "opena"}), {})
    with pytest.raises(ConfigError, match=r"llm\.default\.provider: no provider `opena`"):
        embedding_endpoint(settings_of({"provider": "opena"}, provider="opena"), {})


def test_limits_come_from_the_embedding_section() -> None:
    settings = settings_of({"timeout_s": 5, "max_retries": 1, "concurrency": 2}, api_key="x", timeout_s=99)
    endpoint = embedding_endpoint(settings, {})

    assert (endpoint.timeout_s, endpoint.max_retries, endpoint.concurrency) == (5, 1, 2)


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("text-embedding-ada-002", "", ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("something-new", "", ""),
    ],
)
def test_models_are_used_as_they_want_it(model: str, query: str, passage: str) -> None:
    traits = traits_of(model, load_settings({}).embedding)

    assert traits.prefixed("x", "query") == f"{query}x"
    assert traits.prefixed("x", "passage") == f"{passage}x"
    assert 0 <= traits.calibration.low < traits.calibration.topic < traits.calibration.same < 1
    assert bool(traits.tag) == bool(query or passage)


def test_the_configuration_has_the_last_word() -> None:
    own = {"query_prefix": "", "passage_prefix": "p: ", "calibration": {"low": 0.2, "topic": 0.5}}

    traits = traits_of("e5-small", load_settings({"embedding": own}).embedding)

    assert (traits.query_prefix, traits.passage_prefix) == ("", "p: ")
    assert traits.calibration == Calibration(low=0.2, high=0.93, same=0.93, topic=0.5)
