"""`rag` with a model that routes and judges, where that is configured; `auto`, which asks one only where it must."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from reading_kit import TEXTS, asked, data, judged, read, routed, service_at

from memu_py import MemoryService
from memu_py.index.partition import PartitionIndex
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

LAYERS = ["recall_categories", "recall_resources", "expand_context"]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def service(server: ScriptedServer) -> AsyncIterator[MemoryService]:
    async with await service_at(server) as made:
        yield made


def with_steps(*steps: Any) -> dict[str, Any]:
    return {"retrieve_rag": {"steps": [*steps, *LAYERS]}}


@pytest.fixture
async def judging(server: ScriptedServer) -> AsyncIterator[MemoryService]:
    """A service whose `rag` has its hits judged."""
    async with await service_at(server, workflows=with_steps("judge_sufficiency")) as made:
        yield made


async def reads(service: MemoryService) -> dict[str, int]:
    await service.flush()
    return {item.text: item.access_count for item in await service.list_items(user="ann")}


class Searches:
    """Counts the searches of the index by meaning and by words."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = {"contextual": 0, "keyword": 0}
        for name in self.count:
            monkeypatch.setattr(PartitionIndex, name, self._counting(name))

    def _counting(self, name: str) -> Any:
        search = getattr(PartitionIndex, name)

        def counted(index: PartitionIndex, *arguments: Any) -> Any:
            self.count[name] += 1
            return search(index, *arguments)

        return counted


async def test_rag_asks_no_model_where_one_is_configured(
    server: ScriptedServer, service: MemoryService
) -> None:
    found = await service.retrieve("Where does Ann play?", user="ann", history=["Bo: I met her."])
    assert found.usage.chat_calls == 0
    assert asked(server) == []


async def test_search_asks_nobody_whatever_is_configured(server: ScriptedServer) -> None:
    workflows = with_steps("route_query", "judge_sufficiency")
    async with await service_at(server, workflows=workflows, retrieve={"method": "llm"}) as service:
        found = await service.search("cello", user="ann")
        assert found.items[0].record.text == TEXTS[1]
    assert asked(server) == []


async def test_enough_costs_one_call_and_changes_nothing(
    server: ScriptedServer, judging: MemoryService
) -> None:
    server.script(CHAT, judged(True, question="What else?"))
    found = await judging.retrieve("What does Ann play?", user="ann", history=["Bo: I met her."])

    assert found.items[0].record.text == TEXTS[1]
    assert found.rewritten_query is None
    (request,) = asked(server)
    assert f"] {TEXTS[1]}" in data(request)
    assert "Bo: I met her." in data(request)
    step = found.trace.step("judge_sufficiency")
    assert step is not None
    assert step.notes["sufficient"] is True
    assert len(step.notes["model_calls"]) == 1


@pytest.mark.parametrize(
    ("asked_for", "question", "query"),
    [
        ("Quarterly forecast?", "What does Leo own?", "red canoe"),
        ("季度预测？", "Leo有什么？", "Leo has a red canoe"),
    ],
)
async def test_what_is_not_enough_is_searched_once_more_in_other_words_and_then_no_more(
    server: ScriptedServer, judging: MemoryService, asked_for: str, question: str, query: str
) -> None:
    server.script(CHAT, judged(False, question=question, queries=[query, " "]))
    found = await judging.retrieve(asked_for, user="ann", min_score=0.2)

    assert found.items[0].record.text == TEXTS[2]
    assert found.rewritten_query == question
    assert found.usage.chat_calls == 1
    assert [one.step for one in found.trace.steps].count("fuse") == 2
    assert found.trace.workflow == "retrieve_rag"
    starts = [one.started_ms for one in found.trace.steps]
    assert found.trace.ms >= max(starts)
    # The first search's steps came before the second's.
    places = [place for place, one in enumerate(found.trace.steps) if one.step == "judge_sufficiency"]
    assert len(places) == 2
    assert starts[places[0]] < starts[places[1]]
    assert (await reads(judging))[TEXTS[2]] == 1


@pytest.mark.parametrize(
    "answer",
    [
        failed(500, "out of order"),
        chat("I think so."),
        judged(False),
        judged(False, question="What does Ann play?"),
    ],
)
async def test_a_judge_that_fails_or_knows_no_other_words_changes_nothing(
    server: ScriptedServer, judging: MemoryService, answer: Any
) -> None:
    server.script(CHAT, answer, answer)
    found = await judging.retrieve("What does Ann play?", user="ann")
    assert found.items[0].record.text == TEXTS[1]
    assert found.rewritten_query is None
    assert [one.step for one in found.trace.steps].count("fuse") == 1


async def test_rag_may_route_and_judge(server: ScriptedServer) -> None:
    workflows = with_steps("route_query", {"use": "judge_sufficiency", "with": {"queries": 1}})
    async with await service_at(server, workflows=workflows) as service:
        order = [step.name for step in service.workflows["retrieve_rag"].steps]
        assert order[0] == "route_query"
        assert order.index("judge_sufficiency") == order.index("rank") + 1

        server.script(CHAT, routed(needs_memory=False))
        assert not await service.retrieve("What is two plus two?", user="ann")
        assert len(asked(server)) == 1

        server.script(
            CHAT, routed(question="What does Leo row?"), judged(False, queries=["red canoe", "boat"])
        )
        found = await service.retrieve("What does he row?", user="ann")
        assert len(asked(server)) == 3
        assert found.items[0].record.text == TEXTS[2]
        assert found.rewritten_query == "What does Leo row?"
        assert found.needs_retrieval
        (judge,) = [data(request) for request in asked(server) if "[block records" in data(request)]
        assert "What does he row?\nWhat does Leo row?" in judge


async def test_auto_asks_the_model_only_where_the_best_hit_is_not_good_enough(
    server: ScriptedServer, service: MemoryService
) -> None:
    good = await service.retrieve("Ann plays the cello in Porto", method="auto", user="ann")
    assert good.items[0].record.text == TEXTS[1]
    assert asked(server) == []

    server.script(CHAT, routed(), read("i1", answer="Nobody knows.", sufficient=True))
    poor = await service.retrieve("Quarterly revenue forecast?", method="auto", user="ann", min_score=0)
    assert str(poor.answer) == "Nobody knows."
    assert poor.usage.chat_calls == 2
    names = [step.step for step in poor.trace.steps]
    assert names.index("build_response") < names.index("route_query") < names.index("read_layers")


async def test_auto_searches_each_wording_once_and_counts_what_it_returns_once(
    server: ScriptedServer, service: MemoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = Searches(monkeypatch)
    server.script(CHAT, routed(), read("i1"))
    found = await service.retrieve("Quarterly forecast?", method="auto", user="ann", min_score=0)
    assert searches.count == {"contextual": 1, "keyword": 1}
    assert len(found.items) == 1
    counts = await reads(service)
    assert counts.pop(found.items[0].record.text) == 1
    assert set(counts.values()) == {0}

    server.script(CHAT, routed(queries=["red canoe"]), read("i1"))
    await service.retrieve("Monthly forecast?", method="auto", user="ann", min_score=0)
    assert searches.count == {"contextual": 3, "keyword": 3}


async def test_auto_takes_the_word_of_a_judge(server: ScriptedServer, judging: MemoryService) -> None:
    server.script(CHAT, judged(True))
    found = await judging.retrieve("Quarterly forecast?", method="auto", user="ann", min_score=0)
    assert (found.answer, len(asked(server))) == (None, 1)

    server.script(CHAT, judged(False), routed(), read("i1", answer="Nobody knows."))
    found = await judging.retrieve("Monthly forecast?", method="auto", user="ann", min_score=0)
    assert (str(found.answer), len(asked(server))) == ("Nobody knows.", 4)
