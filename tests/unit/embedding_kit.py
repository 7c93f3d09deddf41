"""A scripted server, and embedders that call it."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from memu_py.config.load import load_settings
from memu_py.embedding.factory import embedding_endpoint
from memu_py.embedding.openai import OpenAIEmbedder
from memu_py.embedding.traits import traits_of
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.retry import Retry
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import Handler, ScriptedServer, embeddings

TEXTS = ["one apple", "two pears", "three plums"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """A server, and an embedder that calls it without ever really pausing."""

    server: ScriptedServer
    pauses: list[float]
    opened: list[OpenAIEmbedder]

    def embedder(self, *, root: str = "", model: str = "any", **own: Any) -> OpenAIEmbedder:
        config = {"backend": "openai", "base_url": self.server.base_url + root, "model": model, **own}
        settings = load_settings({"embedding": config}, env={})
        endpoint = embedding_endpoint(settings, {})

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        retry = Retry(attempts=endpoint.max_retries, sleep=sleep, jitter=lambda: 0.5)
        embedder = OpenAIEmbedder(
            OpenAIClient(endpoint, retry=retry),
            model=model,
            traits=traits_of(model, settings.embedding),
            dimensions=settings.embedding.dimensions,
            batch_size=settings.embedding.batch_size or 128,
        )
        self.opened.append(embedder)
        return embedder

    @property
    def asked(self) -> list[list[str]]:
        """The texts of each request."""
        return [request.json["input"] for request in self.server.requests]


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    async with ScriptedServer() as server:
        kit = Kit(server=server, pauses=[], opened=[])
        yield kit
        for embedder in kit.opened:
            await embedder.close()


def refusing(limit: int, *, status: int = 400, message: str = "batch size is invalid") -> Handler:
    """A handler for a server that takes at most so many texts."""
    inner = HashingEmbedder()

    async def handle(request: Request) -> Answer:
        texts = request.json["input"]
        if len(texts) > limit:
            return failed(status, message)
        return embeddings((await inner.embed(texts, kind="passage")).tolist())

    return handle
