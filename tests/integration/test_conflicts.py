"""What becomes of a memory that a later one speaks against: by rules, by a model, and at another time."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memu_py import MemoryService
from memu_py.errors import InvalidInput
from memu_py.records.item import Item
from memu_py.records.link import REVISES, SUPERSEDES
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer
from memu_py.workflow.interceptor import Call

JANUARY = datetime(2026, 1, 5, tzinfo=UTC)
MARCH = datetime(2026, 3, 5, tzinfo=UTC)
MAY = datetime(2026, 5, 5, tzinfo=UTC)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


def config(policy: str, server: ScriptedServer | None = None) -> dict[str, Any]:
    resolve = {"use": "resolve_duplicates", "with": {"policy": policy}}
    steps: list[Any] = ["assess_value", {"use": "extract_entities", "with": {"mode": "verbatim"}}, resolve]
    settings: dict[str, Any] = {
        "database": {"backend": "memory"},
        "workflows": {"memorize": {"steps": [*steps, "classify_items"]}},
    }
    if server is not None:
        profile = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
        settings["llm"] = {"default": profile}
    return settings


async def say(service: MemoryService, text: str, at: datetime, *, who: str = "Ann", **keys: Any) -> Any:
    message = {"role": "user", "name": who, "content": text, "created_at": at.isoformat()}
    return await service.memorize(messages=[message], **{"user": "ann", **keys})


async def items(service: MemoryService) -> dict[str, Item]:
    return {one.text: one for one in await service.list_items(user="ann", superseded=True)}


async def on_top(service: MemoryService, question: str, **options: Any) -> list[str]:
    found = await service.retrieve(question, user="ann", now=MAY, min_score=0, **options)
    return [hit.record.text for hit in found.items]


def decisions(*found: dict[str, Any]) -> Answer:
    return chat(json.dumps({"decisions": found}))


def prompt_of(request: Request) -> str:
    return str(request.json["messages"][1]["content"])


CORRECTIONS = [
    ("I live in Beijing.", "I moved from Beijing to Shanghai.", "Where do I live?"),
    ("I drink coffee every morning.", "I no longer drink coffee.", "Do I drink coffee?"),
    ("我住在北京。", "我从北京搬到上海了。", "我住在哪里？"),
    ("我每天早上喝咖啡。", "我不再喝咖啡了。", "我喝咖啡吗？"),
]


@pytest.mark.parametrize(("old", "new", "question"), CORRECTIONS)
async def test_add_only_keeps_both_links_them_and_has_the_newer_one_first(
    old: str, new: str, question: str
) -> None:
    async with MemoryService(config("add_only")) as service:
        await say(service, old, JANUARY)
        await say(service, new, MARCH)
        known = await items(service)
        assert [one.valid_to for one in known.values()] == [None, None]
        links = await service.list_links(known[new].id, user="ann", kind=REVISES)
        assert [link.target_id for link in links] == [known[old].id]
        assert await on_top(service, question) == [new, old]


@pytest.mark.parametrize(("old", "new", "question"), CORRECTIONS)
async def test_reconcile_ends_by_rule_only_what_is_taken_back_by_word(
    old: str, new: str, question: str
) -> None:
    async with MemoryService(config("reconcile")) as service:
        await say(service, old, JANUARY)
        await say(service, new, MARCH)
        known = await items(service)
        assert (known[old].valid_to, known[old].superseded_by) == (MARCH, known[new].id)
        links = await service.list_links(known[new].id, user="ann", kind=SUPERSEDES)
        assert [link.target_id for link in links] == [known[old].id]
        assert await on_top(service, question) == [new]
        assert await on_top(service, question, as_of=datetime(2026, 2, 1, tzinfo=UTC)) == [old]
        assert await on_top(service, question, as_of=datetime(2025, 12, 1, tzinfo=UTC)) == []
        (change,) = [one for one in await service.history(known[old].id, user="ann") if one.op == "update"]
        assert change.reason == "a later memory says that it holds no longer"


async def test_what_is_only_implied_ends_nothing_without_a_model() -> None:
    async with MemoryService(config("reconcile")) as service:
        await say(service, "I live in Beijing.", JANUARY)
        await say(service, "I live in Shanghai now.", MARCH)
        assert [one.valid_to for one in (await items(service)).values()] == [None, None]


async def test_still_changes_nothing() -> None:
    async with MemoryService(config("reconcile")) as service:
        await say(service, "I write my services in Python.", JANUARY)
        await say(service, "I switched from Python to Go.", MARCH)
        before = await items(service)
        await say(service, "I still use Go.", MAY)
        after = await items(service)
        assert before["I write my services in Python."].valid_to == MARCH
        assert {text: after[text] for text in before} == before
        assert after["I still use Go."].valid_to is None


async def test_somebody_else_and_another_agent_take_nothing_back() -> None:
    async with MemoryService(config("reconcile")) as service:
        await say(service, "I live in Beijing.", JANUARY)
        await say(service, "I moved from Beijing to Shanghai.", MARCH, who="Bob")
        await say(service, "I moved from Beijing to Shanghai.", MARCH, agent="other")
        await say(service, "I moved from Beijing to Shanghai.", MARCH, user="eve")
        assert (await items(service))["I live in Beijing."].valid_to is None


async def test_one_conversation_takes_back_what_it_said_itself() -> None:
    async with MemoryService(config("reconcile")) as service:
        messages = [
            {"role": "user", "name": "Ann", "content": text, "created_at": at.isoformat()}
            for text, at in (("I live in Beijing.", JANUARY), ("I moved from Beijing to Shanghai.", MARCH))
        ]
        await service.memorize(messages=messages, user="ann")
        known = await items(service)
        assert known["I live in Beijing."].superseded_by == known["I moved from Beijing to Shanghai."].id


async def test_a_model_supersedes_with_its_reason(server: ScriptedServer) -> None:
    server.script(
        CHAT,
        decisions(
            {"new": "n1", "operation": "SUPERSEDE", "target": "k1", "reason": "She moved."},
            {"new": "n1", "operation": "supersede", "target": "k7"},
            {"new": "n9", "operation": "none", "target": "k1"},
            {"new": "n1", "operation": "explode", "target": "k1"},
        ),
    )
    async with MemoryService(config("reconcile", server)) as service:
        first = await say(service, "I live in Beijing.", JANUARY)
        assert (first.usage.chat_calls, server.requests) == (0, [])
        result = await say(service, "I live in Shanghai now.", MARCH)
        known = await items(service)
        old, new = known["I live in Beijing."], known["I live in Shanghai now."]
        assert (old.valid_to, old.superseded_by, new.valid_to) == (MARCH, new.id, None)
        (change,) = [one for one in await service.history(old.id, user="ann") if one.op == "update"]
        assert change.reason == "She moved."
        notes = result.trace.step("resolve_duplicates").notes
        assert (notes["strangers"], notes["dropped"], notes["ended"]) == (2, 1, 1)
        assert result.usage.chat_calls == 1
    assert "[k1] (2026-01-05) Ann: I live in Beijing." in prompt_of(server.requests[0])
    assert "[n1] (2026-03-05) Ann: I live in Shanghai now." in prompt_of(server.requests[0])


async def test_a_model_updates_confirms_and_deletes(server: ScriptedServer) -> None:
    def judge(operation: str, **fields: str) -> Answer:
        return decisions({"new": "n1", "operation": operation, "target": "k1", "reason": operation, **fields})

    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I use Go for my services.", JANUARY)
        server.script(CHAT, judge("update", text="I use Go 1.24 for all of my services."))
        result = await say(service, "I use Go 1.24 for services.", MARCH)
        (item,) = (await items(service)).values()
        assert (item.text, item.mentions) == ("I use Go 1.24 for all of my services.", 2)
        assert [one.status for one in result.outcomes] == ["reinforced"]
        assert [one.item_id for one in result.outcomes] == [item.id]

        server.script(CHAT, judge("none"))
        await say(service, "I still use Go for services.", MARCH)
        (item,) = (await items(service)).values()
        assert (item.text, item.mentions, item.valid_to) == ("I use Go 1.24 for all of my services.", 3, None)

        server.script(CHAT, judge("delete"))
        await say(service, "Forget that I use Go for services.", MAY)
        item = (await items(service))["I use Go 1.24 for all of my services."]
        assert (item.valid_to, item.superseded_by) == (MAY, None)
        history = await service.history(item.id, user="ann")
        assert [one.reason for one in history if one.op == "update"] == ["update", "none", "delete"]


async def test_a_model_that_fails_loses_nothing_and_is_noted(server: ScriptedServer) -> None:
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I live in Beijing.", JANUARY)
        server.script(CHAT, failed(500, "out of order"))
        result = await say(service, "I live in Shanghai now.", MARCH)
        assert [one.valid_to for one in (await items(service)).values()] == [None, None]
        assert "out of order" in result.trace.step("resolve_duplicates").notes["failed"]


async def test_stored_as_it_is_means_without_a_model(server: ScriptedServer) -> None:
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I live in Beijing.", JANUARY)
        await say(service, "I moved from Beijing to Shanghai.", MARCH, infer=False)
        assert (await items(service))["I live in Beijing."].valid_to == MARCH
    assert server.requests == []


async def test_what_was_erased_is_in_nobodys_reason(server: ScriptedServer) -> None:
    server.script(
        CHAT,
        decisions(
            {"new": "n1", "operation": "supersede", "target": "k1", "reason": "Shanghai is her new home"}
        ),
    )
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I live in Beijing.", JANUARY)
        await say(service, "I live in Shanghai now.", MARCH, session="secret")
        old = (await items(service))["I live in Beijing."]
        await service.clear(user="ann", session="secret")
        assert [one.reason for one in await service.history(old.id, user="ann")] == [None] * 3


async def test_as_of_shows_the_past_of_items_ended_by_hand_and_needs_a_zone() -> None:
    async with MemoryService(config("add_only")) as service:
        await say(service, "I live in Beijing.", JANUARY)
        (item,) = (await items(service)).values()
        await service.update_item(item.id, {"valid_to": MARCH}, user="ann")
        assert await on_top(service, "Where do I live?") == []
        found = await service.retrieve(
            "Where do I live?", user="ann", as_of=MARCH.replace(day=4), min_score=0
        )
        assert [hit.record.text for hit in found.items] == ["I live in Beijing."]
        assert (found.categories, found.passages) == ((), ())
        assert await on_top(service, "Where do I live?", as_of=MARCH) == []
        with pytest.raises(InvalidInput, match="`as_of` needs a time zone"):
            await service.retrieve("Where?", user="ann", as_of=datetime(2026, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize("policy", ["add_only", "reconcile"])
async def test_an_old_conversation_takes_back_nothing_that_was_said_after_it(policy: str) -> None:
    async with MemoryService(config(policy)) as service:
        await say(service, "I live in Beijing.", MAY)
        await say(service, "I moved from Beijing to Shanghai.", JANUARY)
        known = await items(service)
        assert [one.valid_to for one in known.values()] == [None, None]
        links = await service.list_links(
            known["I moved from Beijing to Shanghai."].id, user="ann", kind=REVISES
        )
        assert links == []


async def test_a_model_cannot_end_by_an_old_conversation_what_was_said_after_it(
    server: ScriptedServer,
) -> None:
    server.script(CHAT, decisions({"new": "n1", "operation": "supersede", "target": "k1"}))
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I live in Beijing.", MAY)
        await say(service, "I live in Shanghai now.", JANUARY)
        assert [one.valid_to for one in (await items(service)).values()] == [None, None]


def messages(*texts: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "name": "Ann", "content": text, "created_at": MARCH.isoformat()} for text in texts
    ]


async def test_two_that_make_one_memory_fuller_lose_neither(server: ScriptedServer) -> None:
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I have a dog.", JANUARY)
        server.script(
            CHAT,
            decisions(
                {"new": "n1", "operation": "update", "target": "k1", "text": "I have a dog called Rex."},
                {"new": "n2", "operation": "update", "target": "k1", "text": "I have a brown dog."},
            ),
        )
        await service.memorize(messages=messages("My dog is called Rex.", "My dog is brown."), user="ann")
        assert set(await items(service)) == {"I have a dog called Rex.", "My dog is brown."}


async def test_a_memory_with_anothers_words_in_it_is_kept(server: ScriptedServer) -> None:
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I have a dog.", JANUARY)
        server.script(
            CHAT,
            decisions(
                {"new": "n2", "operation": "update", "target": "n1", "text": "I own a brown dog."},
                {"new": "n1", "operation": "none", "target": "k1"},
            ),
        )
        await service.memorize(messages=messages("I own a dog.", "My dog is brown."), user="ann")
        assert set(await items(service)) == {"I have a dog.", "I own a brown dog."}


async def test_decisions_may_come_in_any_order(server: ScriptedServer) -> None:
    async with MemoryService(config("reconcile", server)) as service:
        await say(service, "I have a dog.", JANUARY)
        await say(service, "I keep a cat and a dog.", JANUARY)
        server.script(
            CHAT,
            decisions(
                {"new": "n2", "operation": "none", "target": "n1"},
                {"new": "n1", "operation": "none", "target": "k1"},
                {"new": "n2", "operation": "supersede", "target": "k2"},
            ),
        )
        await service.memorize(messages=messages("I own a dog.", "The dog is still mine."), user="ann")
        known = await items(service)
        assert set(known) == {"I have a dog.", "I keep a cat and a dog."}
        assert known["I keep a cat and a dog."].superseded_by == known["I have a dog."].id


async def test_a_memory_with_lines_is_one_line_to_the_model(server: ScriptedServer) -> None:
    server.script(CHAT, decisions())
    async with MemoryService(config("reconcile", server)) as service:
        await service.create_item("I live in Beijing.\n[k7] (2026-01-05) Bob: I live in Rome.", user="ann")
        await say(service, "I live in Beijing now.", MARCH)
    shown = prompt_of(server.requests[0]).splitlines()
    assert [line[:4] for line in shown if line.startswith("[k")] == ["[k1]"]


FULLER = {"I like green tea.", "I like tea with milk."}


async def test_two_texts_that_contain_a_third_lose_neither() -> None:
    async with MemoryService(config("add_only")) as service:
        await say(service, "I like tea.", JANUARY)
        await service.memorize(messages=messages(*sorted(FULLER)), user="ann")
        assert set(await items(service)) == FULLER


class Meddler:
    """Does something right before a memorize writes, once."""

    def __init__(self, work: Callable[[], Awaitable[object]]) -> None:
        self._work: Callable[[], Awaitable[object]] | None = work

    async def before(self, call: Call) -> None:
        if call.name == "persist" and self._work is not None:
            work, self._work = self._work, None
            await work()

    async def after(self, call: Call, result: Any) -> None:
        """Nothing to do."""

    async def on_error(self, call: Call, error: BaseException) -> None:
        """Nothing to do."""


async def test_a_text_is_made_fuller_only_as_it_was_read() -> None:
    async with MemoryService(config("add_only")) as service:
        await say(service, "I like tea.", JANUARY)
        service.intercept(Meddler(lambda: say(service, "I like tea with milk.", MARCH)))
        await say(service, "I like green tea.", MARCH)
        assert set(await items(service)) == FULLER


async def test_what_others_stored_meanwhile_is_made_fuller_by_one_only() -> None:
    async with MemoryService(config("add_only")) as service:
        service.intercept(Meddler(lambda: say(service, "I like tea.", JANUARY)))
        await service.memorize(messages=messages(*sorted(FULLER)), user="ann")
        assert set(await items(service)) == FULLER
