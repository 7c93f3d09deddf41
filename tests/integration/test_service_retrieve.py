"""Retrieve through the public API: what is on top, what is left out, and why."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memu_py import MemoryService
from memu_py.errors import ConfigError, InvalidFilter, InvalidInput, ScopeRequired
from memu_py.records.span import TimeSpan

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
COFFEE = "我喜欢喝美式咖啡，不加糖不加奶。每周五会去星巴克。"
FACTS = [
    "Ann works as a nurse at the children's hospital.",
    "Ann's sister Clara studies architecture in Vienna.",
    "Ann is allergic to peanuts.",
    "Ann plays the cello in an amateur orchestra.",
    "The invoice number is ABC-123 and it is due on Monday.",
    "Ann deployed gpt-4 behind node.js for a side project.",
]


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    config = {"database": {"backend": "sqlite", "path": str(tmp_path / "memu.db")}}
    async with MemoryService(config, clock=lambda: NOW) as opened:
        yield opened


async def test_the_two_calls_of_the_article_run_as_printed(service: MemoryService) -> None:
    await service.conversations.add(
        "chat-123",
        [
            {"role": "user", "content": "我最喜欢看科幻电影，比如《星际穿越》。"},
            {"role": "user", "content": "我养了一只猫。"},
        ],
        user={"id": "user-456"},
    )
    bound = service.for_user("user-456")
    await bound.memorize(resource_url="conversation://chat-123", modality="text")
    await service.memorize(resource_url="conversation://chat-123", modality="text", user={"id": "user-456"})
    result = await service.retrieve(query="用户喜欢什么类型的电影?", method="rag", user={"id": "user-456"})
    assert result
    assert "科幻电影" in result.items[0].record.text
    assert "科幻电影" in result.context
    assert "记忆" in result.context


@pytest.mark.parametrize("recall", [None, ["dense"], ["keyword"]])
async def test_chinese_is_found_by_all_and_by_each_recall_alone(
    service: MemoryService, recall: list[str] | None
) -> None:
    await service.memorize(text=COFFEE, user="u")
    await service.memorize(
        messages=["我在北京工作。", "周末我常去爬山。", "我妹妹在学小提琴。", "我不吃香菜。"], user="u"
    )
    result = await service.retrieve("用户喜欢什么类型的咖啡？", user="u", recall=recall)
    assert "美式咖啡" in result.items[0].record.text


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is Ann's job?", "nurse"),
        ("Which foods must Ann avoid?", "peanuts"),
        ("What does Clara study?", "architecture"),
        ("ABC-123", "ABC-123"),
        ("who uses gpt-4?", "gpt-4"),
        ("node.js", "node.js"),
        ("Which musical instrument does she play?", "cello"),
    ],
)
async def test_the_right_fact_is_on_top(service: MemoryService, question: str, wanted: str) -> None:
    await service.create_items(FACTS, user="ann")
    result = await service.retrieve(question, user="ann")
    assert wanted in result.items[0].record.text


async def test_nothing_relevant_is_an_empty_falsy_answer(service: MemoryService) -> None:
    assert not await service.retrieve("Where is the treasure?", user="nobody")
    await service.create_items(FACTS, user="ann")
    nothing = await service.retrieve("quantum chromodynamics lattice gauge", user="ann")
    assert not nothing.items
    assert nothing.context == ""
    assert await service.retrieve("quantum chromodynamics lattice gauge", user="ann", min_score=0.0)


async def test_every_hit_tells_its_factors_and_counts_an_access(service: MemoryService) -> None:
    (item,) = await service.create_items([FACTS[2]], user="ann")
    (hit,) = (await service.retrieve("peanut allergy", user="ann")).items
    assert {"cosine", "dense", "keyword", "relevance", "recency", "importance"} <= set(hit.scores)
    assert 0 <= hit.score <= 1
    await service.flush()
    assert (await service.get_item(item.id, user="ann")).access_count == 1
    assert [change.op for change in await service.history(item.id, user="ann")] == ["create"]


async def test_what_is_true_now_is_above_what_was(service: MemoryService) -> None:
    year_ago, week_ago = NOW - timedelta(days=365), NOW - timedelta(days=7)
    await service.create_items(
        [{"text": "I work at Google.", "said_at": year_ago}, {"text": "I left Google.", "said_at": week_ago}],
        user="ann",
    )
    result = await service.retrieve("Google", user="ann")
    old, new = (next(hit for hit in result if word in hit.record.text) for word in ("work at", "left"))
    assert old.scores["relevance"] - new.scores["relevance"] <= 0.05
    assert result.items[0].record.text == "I left Google."


async def test_an_old_important_fact_beats_fresh_noise(service: MemoryService) -> None:
    old = {"text": "Ann is allergic to peanuts.", "said_at": NOW - timedelta(days=90), "importance": 9}
    noise = [
        {"text": f"Ann saw {thing} today.", "said_at": NOW}
        for thing in ("rain", "a bus", "a dog", "snow", "fog")
    ]
    await service.create_items([old, *noise], user="ann")
    result = await service.retrieve("What is Ann allergic to?", user="ann")
    assert "peanuts" in result.items[0].record.text


async def test_filters_narrow_by_field_metadata_session_and_agent(service: MemoryService) -> None:
    await service.create_item(
        {"text": "Tea at four.", "metadata": {"topic": "food"}}, user="ann", session="s1"
    )
    await service.create_item(
        {"text": "Tea at five.", "type": "event"}, user="ann", session="s2", agent="bot"
    )
    ask = "When is tea?"
    assert len(await service.retrieve(ask, user="ann", min_score=0)) == 2
    for narrow in (
        {"where": {"metadata.topic": "food"}},
        {"where": {"type": {"ne": "event"}}},
        {"session": "s1"},
        {"where": {"not": {"type": "event"}}},
    ):
        result = await service.retrieve(ask, user="ann", min_score=0, **narrow)
        assert [hit.record.text for hit in result] == ["Tea at four."]
    by_agent = await service.retrieve(ask, user="ann", agent="bot", min_score=0)
    assert [hit.record.text for hit in by_agent] == ["Tea at five."]
    assert not await service.retrieve(ask, agent="bot", min_score=0)
    with pytest.raises(InvalidFilter, match="no field `topic`"):
        await service.retrieve(ask, user="ann", where={"topic": "food"})


async def test_categories_and_resources_come_with_the_items(service: MemoryService) -> None:
    memorized = await service.memorize(
        messages=["My favourite dish is ramen with a soft egg.", "I run ten kilometres every morning."],
        user="ann",
    )
    result = await service.retrieve("favourite food", user="ann")
    assert result.resources[0].record.id == memorized.resource.id
    assert result.categories
    only = await service.retrieve("favourite food", user="ann", layers=["category"])
    assert (only.items, only.resources, only.context) == ((), (), "")
    assert only.categories


async def test_the_prompt_block_keeps_its_budget_and_puts_events_in_order(service: MemoryService) -> None:
    def event(text: str, day: int) -> dict[str, Any]:
        start = datetime(2026, 5, day, tzinfo=UTC)
        span = TimeSpan(start=start, until=start + timedelta(days=1), precision="day", words="then")
        return {"text": text, "type": "event", "happened": span}

    await service.create_items(
        [
            event("The concert of the choir was sold out.", 20),
            event("The choir had its first rehearsal.", 3),
            "The choir has 40 members.",
        ],
        user="ann",
    )
    context = (await service.retrieve("choir", user="ann", min_score=0)).context
    assert context.index("40 members") < context.index("first rehearsal") < context.index("sold out")
    assert "happened 2026-05-03" in context
    assert "today is 2026-06-01" in context
    short = (await service.retrieve("choir", user="ann", min_score=0, max_tokens=60)).context
    assert 0 < len(short) < len(context)


async def test_several_queries_take_the_best_of_each(service: MemoryService) -> None:
    await service.create_items(FACTS, user="ann")
    result = await service.retrieve(queries=["peanut allergy", "cello orchestra"], user="ann", top_k=2)
    assert {"peanuts", "cello"} <= set(" ".join(hit.record.text for hit in result).replace(".", "").split())


async def test_a_hit_shows_the_scores_of_the_wording_that_it_answers_best(service: MemoryService) -> None:
    await service.create_items(FACTS, user="ann")
    queries = ("peanut allergy", "cello orchestra")
    both = await service.retrieve(queries=queries, user="ann", min_score=0)
    alone = [await service.retrieve(query, user="ann", min_score=0) for query in queries]
    for hit in both:
        answers = [other for result in alone for other in result if other.record.id == hit.record.id]
        best = max(answers, key=lambda other: other.scores["relevance"])
        assert hit.scores == pytest.approx(best.scores)


async def test_search_is_cosine_alone(service: MemoryService) -> None:
    await service.create_items(FACTS, user="ann")
    hit = (await service.search("nurse in a hospital", user="ann")).items[0]
    assert "nurse" in hit.record.text
    assert "keyword" not in hit.scores
    assert hit.score == pytest.approx(hit.scores["dense"], abs=1e-6)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"query": "x"}, ScopeRequired),
        ({"user": "u"}, InvalidInput),
        ({"query": " ", "user": "u"}, InvalidInput),
        ({"query": "x", "queries": ["y"], "user": "u"}, InvalidInput),
        ({"query": "x", "user": "u", "top_k": 0}, InvalidInput),
        ({"query": "x", "user": "u", "layers": ["items"]}, InvalidInput),
        ({"query": "x", "user": "u", "profile": "three_factors"}, ConfigError),
        ({"query": "x", "user": "u", "method": "llm"}, ConfigError),
        ({"query": "x", "user": "u", "method": "best"}, ConfigError),
        ({"query": "x", "user": "u", "recall": ["densse"]}, InvalidInput),
        ({"query": "x", "user": "u", "now": datetime(2026, 1, 1)}, InvalidInput),  # noqa: DTZ001
    ],
)
async def test_a_question_that_cannot_be_asked_is_refused(
    service: MemoryService, call: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await service.retrieve(**call)


@pytest.mark.parametrize("max_tokens", [-4, 0, 2.5, "many"])
async def test_a_budget_of_nothing_is_refused_before_anything_is_read(
    service: MemoryService, max_tokens: Any
) -> None:
    for ask in (service.retrieve, service.recall):
        with pytest.raises(InvalidInput, match="max_tokens"):
            await ask("x", user="u", max_tokens=max_tokens)
