"""Working memory: the running summary of a conversation, extracted or by a model."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import InvalidInput
from memu_py.language.budget import count_tokens
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

SMALL = {"max_tokens": 40, "keep_messages": 2, "summary_tokens": 50}
TALK = [
    "Hi!",
    "Hello, how can I help?",
    "I am planning a trip to Kyoto with my sister Mia in October 2026.",
    "How long will you stay?",
    "We stay nine days, and our budget is 4000 euros.",
    "Hmm, it rains.",
    "Thanks!",
    "What else?",
]
ZH = [
    "你好！",
    "有什么可以帮你？",
    "我打算十月和妹妹小梅去京都旅行。",
    "打算待多久？",
    "小梅对虾过敏，不能去天妇罗店。",
    "今天下雨。",
    "谢谢！",
    "还有别的吗？",
]


def settings(**more: Any) -> dict[str, Any]:
    talks = {"auto_memorize": {"by": "never"}, "working_memory": {**SMALL, **more.pop("memory", {})}}
    return config(conversations=talks, **more)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(settings(), clock=lambda: NOW) as opened:
        yield opened


async def say(service: MemoryService, *said: str, user: str = "ann") -> None:
    for text in said:
        await service.conversations.add_message({"role": "user", "content": text}, "c", user=user)


@pytest.mark.parametrize(
    ("talk", "told", "dropped"), [(TALK, "Kyoto", "rains"), (ZH, "小梅对虾过敏", "你好")]
)
async def test_older_messages_are_told_in_sentences_of_their_own(
    service: MemoryService, talk: list[str], told: str, dropped: str
) -> None:
    await say(service, *talk)
    found = await service.conversations.context("c", user="ann")
    assert found.by == "extract"
    assert told in found.text and dropped not in found.text.partition(talk[-2])[0]
    assert found.text.endswith(f"user: {talk[-2]}\nuser: {talk[-1]}")
    assert found.first == len(talk) - 2
    for line in found.summary:
        (ordinal,) = line.ordinals
        assert line.text in talk[ordinal]
        assert str(line) in found.text
    assert count_tokens(found.text) == found.tokens


async def test_a_short_conversation_stands_as_it_is(service: MemoryService) -> None:
    await say(service, *TALK[:2])
    found = await service.conversations.context("c", user="ann")
    assert (found.summary, found.first, found.by) == ((), 0, "")
    assert str(found) == "The latest messages:\nuser: Hi!\nuser: Hello, how can I help?"


async def test_only_what_came_since_is_read(service: MemoryService) -> None:
    await say(service, *TALK)
    first = await service.conversations.context("c", user="ann")
    kept = await service._runtime.conversations.summary(
        (await service.conversations.get("c", user="ann")).conversation.scope, "c"
    )
    assert kept is not None and (kept.through, kept.lines) == (6, first.summary)
    assert await service.conversations.context("c", user="ann") == first
    await say(service, "My flight leaves Lisbon at 7:40 on October 5, and Mia comes from Porto.", "OK.")
    await say(service, "We booked the Sakura Inn near Gion until October 14.", "OK.", "Fine.", "Bye.")
    grown = await service.conversations.context("c", user="ann")
    assert "Sakura Inn" in grown.text and grown.first > first.first
    assert sum(count_tokens(f"{one}\n") for one in grown.summary) <= 50


async def test_an_edit_of_what_is_told_has_it_told_anew(service: MemoryService) -> None:
    chat_now = [{"role": "user", "content": text, "id": f"m{n}"} for n, text in enumerate(TALK)]
    await service.conversations.add("c", chat_now, user="ann")
    assert "Kyoto" in str(await service.conversations.context("c", user="ann"))
    chat_now[2] = {
        **chat_now[2],
        "content": "I am planning a trip to Osaka with my sister Mia in October 2026.",
    }
    await service.conversations.add("c", chat_now, user="ann")
    found = str(await service.conversations.context("c", user="ann"))
    assert "Osaka" in found and "Kyoto" not in found


@pytest.mark.parametrize("budget", [1, 5, 20, 30, 60, 100])
async def test_a_budget_is_kept(service: MemoryService, budget: int) -> None:
    await say(service, *TALK)
    found = await service.conversations.context("c", user="ann", max_tokens=budget)
    assert found.tokens <= budget
    if budget >= 20:
        assert TALK[-1] in found.text


async def test_a_budget_is_a_number_and_tool_calls_are_not_said(service: MemoryService) -> None:
    await service.conversations.add_message({"role": "system", "content": "Be kind."}, "c", user="ann")
    with pytest.raises(InvalidInput, match="max_tokens"):
        await service.conversations.context("c", user="ann", max_tokens=0)
    assert str(await service.conversations.context("c", user="ann")) == ""


def telling(prompt: str) -> dict[str, Any]:
    """Answer as a model that names the trip, cites it, and makes one line up."""
    numbers = [int(one) for one in re.findall(r"^\[(\d+)", prompt, re.MULTILINE)]
    return {
        "lines": [
            {"text": "They travel to Kyoto.", "refs": [numbers[0], 999]},
            {"text": "Nobody said this.", "refs": [999]},
        ]
    }


@pytest.mark.parametrize("broken", [False, True])
async def test_a_model_writes_it_and_without_its_answer_it_is_extracted(broken: bool) -> None:
    asked: list[str] = []

    async def answer(request: Request) -> Answer:
        prompt = str(request.json["messages"][-1]["content"])
        asked.append(prompt)
        return chat("no" if broken else json.dumps(telling(prompt)))

    async with ScriptedServer() as server:
        server.route(CHAT, answer)
        llm = {"default": {"model": "m", "base_url": server.base_url, "provider": "ollama", "max_retries": 0}}
        async with MemoryService(settings(llm=llm), clock=lambda: NOW) as service:
            await say(service, *TALK)
            found = await service.conversations.context("c", user="ann")
            if broken:
                assert found.by == "extract" and "Kyoto" in found.text
                return
            assert found.by == "default"
            assert [str(one) for one in found.summary] == ["[0] They travel to Kyoto."]
            assert len(asked) == 1 and "[2] user: I am planning" in asked[0]
            await say(
                service, *(f"We also visit temple number {n} in the north of the town." for n in range(6))
            )
            await service.conversations.context("c", user="ann")
            # The summary so far, and what came since.
            assert "[0] They travel to Kyoto." in asked[1] and "I am planning" not in asked[1]
            usage = await service.usage(user="ann")
            assert usage.total.chat_calls == 2
