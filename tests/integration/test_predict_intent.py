"""What is likely to be wanted next: by a model, by the statistic, and by nobody else's memories."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from reading_kit import asked, data, number_of
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import BudgetExceeded, InvalidInput, InvalidScope, ScopeRequired
from memu_py.records.intent import Intent
from memu_py.testing.chat_answers import chat
from memu_py.testing.clock import FixedClock
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

CHAT = "/chat/completions"
MONDAY = datetime(2026, 6, 1, 9, tzinfo=UTC)
WEEK = timedelta(days=7)
ENGLISH = ("Ann works at Google.", "Ann plays the cello in Porto.", "Leo has a red canoe.")
CHINESE = ("小李在上海工作。", "小李喜欢喝龙井茶。")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


def modelled(server: ScriptedServer, **more: Any) -> MemoryService:
    profile = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
    return MemoryService(config(llm={"default": profile}, **more), clock=FixedClock(MONDAY))


async def filled(service: MemoryService, texts: tuple[str, ...] = ENGLISH, user: str = "ann") -> None:
    for text in texts:
        await service.create_item(text, user=user)


def told(intent: str, *needs: dict[str, Any]) -> Answer:
    return chat(json.dumps({"intent": intent, "needs": needs}, ensure_ascii=False))


def saying(answer: Answer) -> Callable[[Request], Awaitable[Answer]]:
    async def say(request: Request) -> Answer:
        return answer

    return say


def need(text: str, confidence: float, *evidence: str) -> dict[str, Any]:
    return {"text": text, "confidence": confidence, "evidence": evidence}


def sound(intent: Intent) -> None:
    """Everything that a need names is there."""
    known = {item.id for item in intent.items}
    assert all(0 <= one.confidence <= 1 and one.item_ids and set(one.item_ids) <= known for one in intent)
    assert {item_id for one in intent for item_id in one.item_ids} == known


async def test_a_model_is_asked_once_and_only_what_exists_counts(server: ScriptedServer) -> None:
    async def reader(request: Request) -> Answer:
        cello, work = number_of(request, "cello"), number_of(request, "Google")
        return told(
            "Ann is preparing a concert.",
            need("The way to work", 0.3, work, "i99"),
            need("A list of cello shops", 0.8, f"[{cello.upper()}]", cello),
            need("Something made up", 0.9, "i99"),
            need("Far too sure", 7, cello),
            {"text": "", "confidence": 0.5, "evidence": [cello]},
        )

    server.route(CHAT, reader)
    async with modelled(server) as service:
        await filled(service)
        context = {
            "messages": [{"role": "user", "content": "My cello {needs} a new string <b>"}],
            "place": "Porto",
        }
        intent = await service.predict_intent(context, user="ann")

        assert str(intent) == "Ann is preparing a concert."
        assert (intent.by, intent.failure) == ("model", None)
        assert [(str(one), one.confidence) for one in intent] == [
            ("A list of cello shops", 0.8),
            ("The way to work", 0.3),
        ]
        assert [item.text for item in intent.items] == [ENGLISH[1], ENGLISH[0]]
        assert intent.dropped == 3
        sound(intent)
        assert ENGLISH[1] in intent.context
        assert len(asked(server)) == 1
        assert intent.usage.chat_calls == 1
        assert (await service.usage(user="ann")).rows[0].purpose == "predict_intent"
        shown = data(asked(server)[0])
        assert "user: My cello {needs} a new string <b>" in shown
        assert "place: Porto" in shown
        assert "Monday 2026-06-01 09:00" in shown
        # What is only foreseen was not read by anybody.
        assert all(item.access_count == 0 for item in await service.list_items(user="ann"))


async def test_a_chinese_context_gets_chinese_instructions(server: ScriptedServer) -> None:
    async def reader(request: Request) -> Answer:
        return told("小李想买茶叶。", need("附近的茶叶店", 0.7, number_of(request, "龙井")))

    server.route(CHAT, reader)
    async with modelled(server) as service:
        await filled(service, CHINESE)
        intent = await service.predict_intent([{"role": "user", "content": "我的龙井茶喝完了"}], user="ann")

        assert str(intent) == "小李想买茶叶。"
        assert [item.text for item in intent.items] == [CHINESE[1]]
        assert "长期记忆" in asked(server)[0].json["messages"][0]["content"]
        assert CHINESE[1] in intent.context


@pytest.mark.parametrize(
    "answer", [failed(500, "away"), chat("no idea, sorry"), chat('{"intent": "x", "needs": 3}')]
)
async def test_where_the_model_fails_the_statistic_tells_and_the_failure_is_kept(
    server: ScriptedServer, answer: Answer
) -> None:
    server.route(CHAT, saying(answer))
    async with modelled(server) as service:
        await filled(service)
        intent = await service.predict_intent("Where is the cello?", user="ann")

        assert intent.by == "statistic"
        assert intent.failure
        assert ENGLISH[1] in str(intent)
        sound(intent)


async def test_a_model_that_sees_nothing_to_tell_is_believed(server: ScriptedServer) -> None:
    server.route(CHAT, saying(told("Nothing.", need("Made up", 0.9))))
    async with modelled(server) as service:
        await filled(service)
        intent = await service.predict_intent("Where is the cello?", user="ann")

        assert (intent.by, str(intent), intent.items, intent.dropped) == ("model", "", (), 1)
        assert not intent


async def test_without_memories_no_model_is_asked(server: ScriptedServer) -> None:
    async with modelled(server) as service:
        intent = await service.predict_intent("Where is the cello?", user="ann")

        assert (bool(intent), str(intent), len(intent), intent.context) == (False, "", 0, "")
        assert asked(server) == []


async def test_a_model_is_shown_the_end_of_what_is_long(server: ScriptedServer) -> None:
    server.route(CHAT, saying(told("")))
    async with modelled(server) as service:
        await filled(service)
        await service.predict_intent(["early " * 900, "middle " * 900, "the cello"], user="ann")
        await service.predict_intent(["大提琴" * 2000 + "在哪里"], user="ann")

        first, second = map(data, asked(server))
        assert "the cello" in first
        assert "middle" in first
        assert "early" not in first
        assert "在哪里" in second
        assert len(second) < 3000


async def test_a_budget_is_kept(server: ScriptedServer) -> None:
    async with modelled(server, budget={"tokens_per_run": 10}) as service:
        await filled(service)
        with pytest.raises(BudgetExceeded):
            await service.predict_intent("Where is the cello?", user="ann")
        assert asked(server) == []


# Without a model


async def habits(service: MemoryService, text: str, first: datetime, count: int, user: str = "ann") -> None:
    messages = [
        {"role": "user", "content": f"{text} {number}", "created_at": (first - number * WEEK).isoformat()}
        for number in range(count)
    ]
    await service.memorize(messages=messages, resource_url=f"chat:{text}", user=user)


@pytest.mark.parametrize(
    ("report", "football", "sentence"),
    [
        ("Please write the sales report", "Where is the football match?", "Likely next: "),
        ("请写销售周报", "足球比赛在哪里看", "接下来可能是："),
    ],
    ids=["english", "chinese"],
)
async def test_habit_tells_by_the_hour_of_the_week(report: str, football: str, sentence: str) -> None:
    clock = FixedClock(MONDAY)
    async with MemoryService(config(), clock=clock) as service:
        await habits(service, report, MONDAY - WEEK, 6)
        await habits(service, football, MONDAY - timedelta(days=2) + timedelta(hours=10), 6)
        on_monday = await service.predict_intent(user="ann", top_k=10)
        saturday = MONDAY + timedelta(days=5, hours=10)
        on_saturday = await service.predict_intent(user="ann", now=saturday, top_k=10)

        for intent, text in ((on_monday, report), (on_saturday, football)):
            assert intent.by == "statistic"
            assert str(intent).startswith(sentence)
            assert text in str(intent)
            assert text in intent.context
            assert all(one.confidence <= 0.5 for one in intent)
            sound(intent)
        again = await service.predict_intent(user="ann", top_k=10)
        assert again.evolve(usage=on_monday.usage) == on_monday


async def test_the_context_brings_to_mind_what_belongs_to_it_but_not_itself() -> None:
    async with MemoryService(config(), clock=FixedClock(MONDAY)) as service:
        await filled(service)
        await service.create_item("Is my cello ready?", user="ann")
        intent = await service.predict_intent(["Is my cello ready?"], user="ann", top_k=1)

        assert [item.text for item in intent.items] == [ENGLISH[1]]


async def test_a_prompt_block_keeps_to_its_budget() -> None:
    async with MemoryService(config(), clock=FixedClock(MONDAY)) as service:
        await service.create_items(
            [f"The cello number {number} stands in Porto." for number in range(20)], user="ann"
        )
        small = await service.predict_intent("cello", user="ann", max_tokens=60)
        large = await service.predict_intent("cello", user="ann")

        assert 0 < len(small.context) < len(large.context)


async def test_nobody_else_s_memories_are_evidence_and_views_are_fences() -> None:
    async with MemoryService(config(), clock=FixedClock(MONDAY)) as service:
        await filled(service, ("Ann plays the cello.",), "ann")
        await filled(service, ("Ben sells a cello.",), "ben")
        await service.create_item("Ann rents a cello.", user="ann", session="s")
        mine = service.for_user("ann")

        assert {item.scope.user for item in (await mine.predict_intent("cello")).items} == {"ann"}
        narrow = await mine.predict_intent("cello", session="s")
        assert [item.text for item in narrow.items] == ["Ann rents a cello."]
        assert not await service.predict_intent("cello", user="carl")
        with pytest.raises(InvalidScope):
            await mine.predict_intent("cello", user="ben")
        with pytest.raises(ScopeRequired):
            await service.predict_intent("cello")


@pytest.mark.parametrize(
    "wrong", [{"top_k": 0}, {"top_k": 21}, {"max_tokens": 0}, {"now": MONDAY.replace(tzinfo=None)}]
)
async def test_numbers_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    async with MemoryService(config()) as service:
        with pytest.raises(InvalidInput):
            await service.predict_intent("cello", user="ann", **wrong)


def test_code_that_is_not_async_may_ask_too() -> None:
    with SyncMemoryService(MemoryService(config(), clock=FixedClock(MONDAY))) as service:
        service.create_item("Ann plays the cello.", user="ann")
        assert "cello" in str(service.for_user("ann").predict_intent("Where is the cello?"))
