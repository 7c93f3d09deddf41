"""Every chat model of ours keeps the contract."""

import json
from collections.abc import AsyncIterator

import pytest

from memu_py.config.load import load_settings
from memu_py.llm.backend import ChatBackend, ChatRequest, Completion
from memu_py.llm.factory import build_openai
from memu_py.testing.chat import ScriptedBackend
from memu_py.testing.chat_answers import CHAT, chat, streamed
from memu_py.testing.chat_suite import ChatModelSuite
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

GREETING = json.dumps({"text": "hello"})


def greet(request: ChatRequest) -> Completion:
    return Completion(text=GREETING, mode="json")


class TestScripted(ChatModelSuite):
    @pytest.fixture
    def backend(self) -> ChatBackend:
        return ScriptedBackend(reply=greet)


class TestProse(ChatModelSuite):
    @pytest.fixture
    def backend(self) -> ChatBackend:
        return ScriptedBackend(reply=lambda request: "Hello there!")


class TestOpenAI(ChatModelSuite):
    @pytest.fixture
    async def backend(self) -> AsyncIterator[ChatBackend]:
        async def answer(request: Request) -> Answer:
            return streamed(GREETING) if request.json.get("stream") else chat(GREETING)

        async with ScriptedServer() as server:
            server.route(CHAT, answer)
            profile = {"model": "m", "base_url": server.base_url, "provider": "ollama"}
            backend = build_openai(load_settings({"llm": {"default": profile}}, env={}), "default", {})
            yield backend
            await backend.close()
