"""What an agent did, and how its tools served: shown to the model that extracts, and added up."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from memu_py import MemoryService
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer
from memu_py.testing.server import ScriptedServer

CALL = {"type": "function", "function": {"name": "weather", "arguments": '{"city": "Porto"}'}}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


def config(server: ScriptedServer) -> dict[str, Any]:
    profile = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
    update = {"use": "update_categories", "with": {"mode": "extractive"}}
    return {
        "database": {"backend": "memory"},
        "llm": {"default": profile},
        "workflows": {"memorize": {"steps": ["assess_value", "extract_entities", "classify_items", update]}},
    }


def work(result: str) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You are a secret helper."},
        {"role": "user", "name": "Ann", "content": "What will the weather in Porto be tomorrow morning?"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "content": result},
        {"role": "assistant", "content": f"Tomorrow morning it will be {result[:6]} in Porto."},
    ]


def learnt(*source: str, succeeded: Any = 1, failed: Any = 0, **figures: Any) -> Answer:
    tool = {"name": "weather", "succeeded": succeeded, "failed": failed, **figures}
    text = "The tool weather tells the weather of a city."
    return chat(json.dumps({"items": [{"type": "tool", "text": text, "source": list(source), "tool": tool}]}))


async def test_calls_and_results_are_shown_and_cited_and_system_messages_are_not(
    server: ScriptedServer,
) -> None:
    server.script(CHAT, learnt("t2", "t3", seconds=1.5, tokens=40))
    async with MemoryService(config(server)) as service:
        result = await service.memorize(messages=work("sunny" + " and dry" * 1000), user="ann")
        statuses = {one.ordinal: one.status for one in result.outcomes}
        assert (statuses[0], statuses[2], statuses[3]) == ("skipped", "stored", "stored")
        (item,) = result.added
        assert (item.type, [source.ordinal for source in item.sources]) == ("tool", [2, 3])
    shown = server.requests[0].json["messages"][1]["content"]
    assert "[t2]" in shown and "weather" in shown and "[t3]" in shown
    assert "secret helper" not in shown
    assert shown.count("and dry") < 600


async def test_uses_of_a_tool_add_up_however_often_the_same_is_learnt(server: ScriptedServer) -> None:
    async with MemoryService(config(server)) as service:
        server.script(CHAT, learnt("t3", succeeded=2, seconds=3, tokens=100))
        await service.memorize(messages=work("sunny"), resource_url="one", user="ann")
        server.script(CHAT, learnt("t3", succeeded="?", failed=1, seconds=-1))
        await service.memorize(messages=work("cloudy"), resource_url="two", user="ann")
        (weather,) = await service.tools(user="ann")
        assert (weather.use.uses, weather.use.success_rate) == (3, 2 / 3)
        assert (weather.use.seconds_each, weather.use.tokens_each) == (1.5, 50)
        assert [item.text for item in weather.items] == ["The tool weather tells the weather of a city."]
        assert weather.items[0].mentions == 2
        assert await service.tools(user="bob") == []


async def test_tools_by_hand_count_too_and_what_names_none_is_left_out() -> None:
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        uses = {"tool": {"name": "Search", "succeeded": 4, "failed": 0}}
        await service.create_item(
            {"type": "tool", "text": "Use search for news.", "metadata": uses}, user="ann"
        )
        await service.create_item(
            {
                "type": "tool",
                "text": "Search fails on weekends.",
                "metadata": {"tool": {"name": "search", "failed": 1}},
            },
            user="ann",
        )
        await service.create_item(
            {"type": "tool", "text": "A hammer.", "metadata": {"tool": {"x": 1}}}, user="ann"
        )
        await service.create_item(
            {"type": "tool", "text": "A spanner.", "metadata": {"tool": "big"}}, user="ann"
        )
        (search,) = await service.tools(user="ann")
        assert (search.use.uses, search.use.success_rate, len(search.items)) == (5, 0.8, 2)


@pytest.mark.parametrize(
    "given", [{"name": 5}, {"name": "a", "succeeded": "1"}, {"name": "a", "seconds": -1}]
)
async def test_metadata_that_only_looks_like_uses_is_left_alone(given: dict[str, Any]) -> None:
    hammer = {"type": "tool", "text": "Hammer it.", "metadata": {"tool": given}}
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        first = await service.create_item(hammer, user="ann")
        again = await service.create_item(hammer, user="ann")
        assert (again.id, again.mentions, again.metadata) == (first.id, 2, {"tool": given})
        assert await service.tools(user="ann") == []
