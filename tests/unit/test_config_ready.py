"""The ready configurations that name models: whose they are, where, with which key, prefixes and lengths."""

import dataclasses
import re
from pathlib import Path

import pytest

from memu_py import MemoryService
from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.embedding.factory import build_openai, embedding_endpoint
from memu_py.errors import MissingKey
from memu_py.llm.factory import chat_endpoint
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.server import ScriptedServer

ROOT = Path(__file__).parents[2]
KEY = "sk-of-this-test"
QUERY, PASSAGE = "search_query: ", "search_document: "


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    """What a configuration says. `embedder` is None where the bundled one stays."""

    chat: str
    chat_url: str
    variable: str | None = None
    embedder: str | None = None
    embedder_url: str = ""
    dimension: int = 512
    prefixes: tuple[str, str] = ("", "")


READY = {
    "openai": Ready(
        chat="gpt-4o",
        chat_url="https://api.openai.com/v1",
        variable="OPENAI_API_KEY",
        embedder="text-embedding-3-small",
        embedder_url="https://api.openai.com/v1",
        dimension=1536,
    ),
    "deepseek": Ready(
        chat="deepseek-chat", chat_url="https://api.deepseek.com/v1", variable="DEEPSEEK_API_KEY"
    ),
    "siliconflow": Ready(
        chat="deepseek-ai/DeepSeek-V3",
        chat_url="https://api.siliconflow.cn/v1",
        variable="SILICONFLOW_API_KEY",
        embedder="BAAI/bge-m3",
        embedder_url="https://api.siliconflow.cn/v1",
        dimension=1024,
    ),
    "ollama": Ready(
        chat="qwen3:8b",
        chat_url="http://localhost:11434/v1",
        embedder="nomic-embed-text",
        embedder_url="http://localhost:11434/v1",
        dimension=768,
        prefixes=(QUERY, PASSAGE),
    ),
    "vllm": Ready(
        chat="Qwen/Qwen3-8B",
        chat_url="http://localhost:8000/v1",
        embedder="BAAI/bge-m3",
        embedder_url="http://localhost:8001/v1",
        dimension=1024,
    ),
}
WITH_EMBEDDER = {name: ready for name, ready in READY.items() if ready.embedder}


def environment(ready: Ready) -> dict[str, str]:
    return {ready.variable: KEY} if ready.variable else {}


def settings_of(name: str, env: dict[str, str]) -> Settings:
    return load_settings(ROOT / "configs" / f"{name}.yaml", env=env)


@pytest.mark.parametrize("name", READY)
def test_a_service_is_built_from_it_with_nothing_but_its_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = READY[name]
    for variable, value in environment(ready).items():
        monkeypatch.setenv(variable, value)

    service = MemoryService.from_config(ROOT / "configs" / f"{name}.yaml")

    assert service._runtime.chats.get("default").id.split("#")[0] == f"{name}/{ready.chat}"
    known = service._runtime.embedder
    assert known.id.split("+")[0] == (
        f"{name}/{ready.embedder}" if ready.embedder else "bundled/use-multilingual-v3"
    )
    assert known.dimension == (None if ready.embedder else ready.dimension)


@pytest.mark.parametrize("name", READY)
def test_models_are_called_where_they_are_and_with_the_key_of_their_provider(name: str) -> None:
    ready = READY[name]
    settings = settings_of(name, environment(ready))
    chat = chat_endpoint(settings, "default", environment(ready))

    assert chat.base_url == ready.chat_url
    assert chat.reveal_key() == (KEY if ready.variable else "none")
    if ready.embedder:
        embedding = embedding_endpoint(settings, environment(ready))
        assert (embedding.base_url, embedding.reveal_key()) == (ready.embedder_url, chat.reveal_key())


@pytest.mark.parametrize("name", [name for name, ready in READY.items() if ready.variable])
def test_a_key_that_is_missing_is_named(name: str) -> None:
    with pytest.raises(MissingKey, match=str(READY[name].variable)):
        chat_endpoint(settings_of(name, {}), "default", {}).reveal_key()


@pytest.mark.parametrize("name", WITH_EMBEDDER)
async def test_texts_go_out_with_the_prefixes_of_the_model_and_ask_for_no_length(name: str) -> None:
    ready = WITH_EMBEDDER[name]
    settings = settings_of(name, environment(ready))
    async with ScriptedServer(embedder=HashingEmbedder(dimension=ready.dimension)) as server:
        there = settings.embedding.model_copy(update={"base_url": server.base_url})
        embedder = build_openai(settings.model_copy(update={"embedding": there}), env={})
        await embedder.embed(["谁喝咖啡？"], kind="query")
        passages = await embedder.embed(["Ann drinks coffee."], kind="passage")
        await embedder.close()

    question, passage = (request.json for request in server.requests)
    assert question["input"] == [f"{ready.prefixes[0]}谁喝咖啡？"]
    assert passage["input"] == [f"{ready.prefixes[1]}Ann drinks coffee."]
    assert [one["model"] for one in (question, passage)] == [ready.embedder] * 2
    assert "dimensions" not in passage
    assert passages.shape == (1, ready.dimension)
    # Another server's address gets no key of the provider's.
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer none"}


def test_the_page_lists_them_with_models_lengths_and_prefixes() -> None:
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `configs/(\w+)\.yaml` \| (.*) \|$", page, re.MULTILINE))

    assert set(rows) == set(READY)
    for name, ready in READY.items():
        assert f"`{ready.chat}`" in rows[name]
        assert f"`{ready.embedder}`" in rows[name] or ready.embedder is None
        assert str(ready.dimension) in rows[name]
        assert all(f"`{prefix}`" in rows[name] for prefix in ready.prefixes if prefix)
