"""A scripted server, and chat models that call it without ever really pausing."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from memu_py.config.budget import BudgetSettings
from memu_py.config.load import load_settings
from memu_py.llm.ask import Chat
from memu_py.llm.chat import Message
from memu_py.llm.dialect import Dialect
from memu_py.llm.factory import chat_endpoint
from memu_py.llm.meter import HeldTokens, Meter
from memu_py.llm.openai_chat import OpenAIChat
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.pace import Pace
from memu_py.llm.retry import Retry
from memu_py.llm.sifting import SIFTED
from memu_py.llm.structured import StructuredChat
from memu_py.records.scope import Scope
from memu_py.testing.clock import FixedClock
from memu_py.testing.server import ScriptedServer
from memu_py.testing.store_samples import NOW

KEY = "sk-very-secret"
ASK: list[Message] = [{"role": "user", "content": "What do you know?"}]


class Fact(BaseModel):
    text: str


class Facts(BaseModel):
    facts: Annotated[list[Fact], SIFTED]


A = '{"facts": [{"text": "a"}]}'


@dataclasses.dataclass(kw_only=True, slots=True)
class Kit:
    """A server, what its callers would have waited, and those callers."""

    server: ScriptedServer
    pauses: list[float]
    opened: list[OpenAIChat]
    now: float = 0.0

    def backend(self, **profile: Any) -> OpenAIChat:
        config = {
            "provider": "local",
            "model": "m",
            "base_url": self.server.base_url,
            "api_key": KEY,
        } | profile
        settings = load_settings({"llm": {"default": config}}, env={})
        endpoint = chat_endpoint(settings, "default", {})
        retry = Retry(attempts=endpoint.max_retries, sleep=self.sleep, jitter=lambda: 0.5)
        pace = Pace(per_minute=endpoint.requests_per_minute, timer=lambda: self.now, sleep=self.sleep)
        own = settings.llm["default"]
        backend = OpenAIChat(
            OpenAIClient(endpoint, retry=retry, pace=pace),
            model="m",
            dialect=Dialect(own.structured),
            stream=own.stream,
            extra=own.extra,
        )
        self.opened.append(backend)
        return backend

    def model(self, **profile: Any) -> Chat:
        return Chat(StructuredChat(self.backend(**profile)))

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The parameters of each request."""
        return [request.json for request in self.server.requests]


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    async with ScriptedServer() as server:
        kit = Kit(server=server, pauses=[], opened=[])
        yield kit
        for backend in kit.opened:
            await backend.close()


def meter_of(user: str = "ann", *, held: HeldTokens | None = None, spent: int = 0, **budget: int) -> Meter:
    """A meter for a user whose stored usage of the day is given."""

    async def spent_on(day: object) -> int:
        return spent

    return Meter(
        Scope(user=user),
        budget=BudgetSettings(**budget),
        held=held or HeldTokens(),
        spent_on=spent_on,
        clock=FixedClock(NOW),
    )
