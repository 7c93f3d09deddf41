"""Equal questions under way: one request over a real socket, whoever waits for it, leaves, or is told of a failure."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from llm_kit import ASK, A, Facts, meter_of
from pydantic import BaseModel

from memu_py.config.load import load_settings
from memu_py.errors import BudgetExceeded, ModelError
from memu_py.llm.ask import Chat
from memu_py.llm.chat import ChatAnswer
from memu_py.llm.factory import ChatBackends, register_chat_models
from memu_py.llm.meter import Meter
from memu_py.llm.scoped import ScopedChats
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer
from memu_py.workflow.registry import Registry


class Rows:
    """A cache in a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[bytes, str] = {}

    async def load(self, key: bytes) -> str | None:
        return self.rows.get(key)

    async def save(self, key: bytes, text: str) -> None:
        self.rows[key] = text


class Gate:
    """A server's chat that answers when it is let; it tells when it was asked."""

    def __init__(self, server: ScriptedServer) -> None:
        self.open, self.asked, self.said = asyncio.Event(), asyncio.Semaphore(0), chat(A)
        server.route(CHAT, self._answer)

    async def _answer(self, _: Request) -> Answer:
        self.asked.release()
        await self.open.wait()
        return self.said


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def chats(server: ScriptedServer) -> AsyncIterator[Callable[..., ScopedChats]]:
    """Chats of one process, with a cache for each user."""
    profile = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
    settings = load_settings({"llm": {"default": profile, "fresh": {**profile, "cache": False}}}, env={})
    registry = Registry()
    register_chat_models(registry)
    backends = ChatBackends(settings, registry)
    rows: dict[str, Rows] = {}

    def make(user: str = "ann", meter: Meter | None = None) -> ScopedChats:
        meter = meter or meter_of(user)
        return ScopedChats(settings, backends, cache=rows.setdefault(user, Rows()), meter=meter)

    yield make
    await backends.close()


def model(chats: ScopedChats, profile: str = "default") -> Chat:
    return chats.chat(profile, purpose="test")


def asking(chat: Chat, schema: type[BaseModel] = Facts, **how: Any) -> "asyncio.Task[ChatAnswer[Any]]":
    return asyncio.create_task(chat.chat(ASK, schema, **how))


async def settled() -> None:
    """Let those who were just started come to where they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_two_equal_questions_make_one_request_which_is_counted_once(
    server: ScriptedServer, chats: Callable[..., ScopedChats]
) -> None:
    gate = Gate(server)
    ours, theirs = chats(), chats()
    heard: list[str] = []
    first, second = asking(model(ours)), asking(model(theirs), on_text=heard.append)
    await gate.asked.acquire()
    await settled()
    gate.open.set()
    one, other = await first, await second

    assert len(server.requests) == 1
    assert one.value == other.value
    assert one.value is not other.value
    assert (one.cached, one.calls, other.cached, other.calls, other.prompt_tokens) == (False, 1, True, 0, 0)
    assert heard == [A]
    assert (ours.meter.total.chat_calls, ours.meter.total.cached_calls) == (1, 0)
    assert (theirs.meter.total.chat_calls, theirs.meter.total.cached_calls) == (0, 1)
    # It is over: the next one asks the cache.
    assert (await model(chats()).chat(ASK, Facts)).cached
    assert len(server.requests) == 1


class Other(BaseModel):
    facts: list[Any]


async def test_other_users_other_forms_and_profiles_without_a_cache_ask_for_themselves(
    server: ScriptedServer, chats: Callable[..., ScopedChats]
) -> None:
    gate = Gate(server)
    tasks = [
        asking(model(chats())),
        asking(model(chats("bob"))),
        asking(model(chats()), Other),
        asking(model(chats(), "fresh")),
        asking(model(chats(), "fresh")),
    ]
    for _ in tasks:
        await gate.asked.acquire()
    gate.open.set()
    assert [answer.calls for answer in await asyncio.gather(*tasks)] == [1] * 5
    assert len(server.requests) == 5


@pytest.mark.parametrize("leaver", [0, 1])
async def test_one_who_leaves_takes_nobody_along(
    leaver: int, server: ScriptedServer, chats: Callable[..., ScopedChats]
) -> None:
    gate = Gate(server)
    tasks = [asking(model(chats())) for _ in range(3)]
    await gate.asked.acquire()
    await settled()
    tasks[leaver].cancel()
    if leaver == 0:
        # The request went with the one who made it; of those who wait one asks again, and only one.
        await gate.asked.acquire()
    await settled()
    gate.open.set()
    answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(answers.pop(leaver), asyncio.CancelledError)
    assert [answer.value for answer in answers if isinstance(answer, ChatAnswer)] == [
        Facts.model_validate_json(A)
    ] * 2
    assert len(server.requests) == (2 if leaver == 0 else 1)


async def test_a_failure_is_shared_and_not_kept(
    server: ScriptedServer, chats: Callable[..., ScopedChats]
) -> None:
    gate = Gate(server)
    gate.said = failed(500, "out of order")
    tasks = [asking(model(chats())) for _ in range(2)]
    await gate.asked.acquire()
    await settled()
    gate.open.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)

    assert len(server.requests) == 1
    one, other = errors
    assert isinstance(one, ModelError)
    assert isinstance(other, ModelError)
    assert type(one) is type(other)
    assert str(one) == str(other)
    assert vars(one) == vars(other)
    # What a run hangs on its own error is not seen by the other.
    assert one is not other
    gate.said = chat(A)
    assert (await model(chats()).chat(ASK, Facts)).calls == 1
    assert len(server.requests) == 2


async def test_one_without_a_budget_does_not_stop_the_other(
    server: ScriptedServer, chats: Callable[..., ScopedChats]
) -> None:
    gate = Gate(server)
    gate.open.set()
    poor = chats(meter=meter_of(tokens_per_run=1))
    tasks = [asking(model(poor)), asking(model(chats()))]
    refused, answer = await asyncio.gather(*tasks, return_exceptions=True)

    assert isinstance(refused, BudgetExceeded)
    assert isinstance(answer, ChatAnswer)
    assert answer.calls == 1
