"""Retrieval by a model: what it is shown, when it stops, what of its answer counts."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from memu_py import MemoryService
from memu_py.errors import ConfigError
from memu_py.testing.chat_answers import chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

CHAT = "/chat/completions"
TEXTS = ("Ann works at Google.", "Ann plays the cello in Porto.", "Leo has a red canoe.")


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def service(server: ScriptedServer) -> AsyncIterator[MemoryService]:
    config = {
        "database": {"backend": "memory"},
        "llm": {"default": {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}},
    }
    async with MemoryService(config) as made:
        for text in TEXTS:
            await made.create_item(text, user="ann")
        yield made


def routed(**fields: Any) -> Answer:
    return chat(json.dumps({"needs_memory": True, "question": "", "queries": []} | fields))


def read(
    *relevant: str, answer: str = "", sufficient: bool = True, citations: tuple[str, ...] = ()
) -> Answer:
    said = {"relevant": relevant, "sufficient": sufficient, "answer": answer, "citations": citations}
    return chat(json.dumps(said))


def asked(server: ScriptedServer) -> list[Request]:
    return [request for request in server.requests if request.path.endswith(CHAT)]


def data(request: Request) -> str:
    return str(request.json["messages"][1]["content"])


def number_of(request: Request, text: str) -> str:
    (line,) = [line for line in data(request).splitlines() if text in line and line.startswith("[i")]
    return line[1 : line.index("]")]


async def test_the_answer_comes_with_the_items_it_rests_on_and_stops_early(
    server: ScriptedServer, service: MemoryService
) -> None:
    async def reader(request: Request) -> Answer:
        number = number_of(request, "cello")
        return read(number, answer="Ann plays the cello.", citations=(number, "i99"))

    server.script(CHAT, routed())
    server.route(CHAT, reader)
    found = await service.retrieve("What does Ann play?", method="llm", user="ann")

    assert str(found.answer) == "Ann plays the cello."
    assert [hit.record.text for hit in found.items] == [TEXTS[1]]
    assert found.answer is not None
    assert found.answer.item_ids == (found.items[0].record.id,)
    assert found.answer.sufficient
    assert len(asked(server)) == 2
    assert found.usage.chat_calls == 2
    assert TEXTS[1] in found.context


async def test_a_question_is_rewritten_from_its_history_and_searched_in_all_wordings(
    server: ScriptedServer, service: MemoryService
) -> None:
    server.script(CHAT, routed(question="Where does Ann work?", queries=["Ann employer Google"]), read())
    history: list[dict[str, Any] | str] = [
        {"role": "user", "name": "Bo", "content": "I met Ann today."},
        "assistant: How is she?",
    ]
    found = await service.retrieve("Where does she work?", method="llm", history=history, user="ann")

    assert found.rewritten_query == "Where does Ann work?"
    assert "Bo: I met Ann today.\nassistant: How is she?" in data(asked(server)[0])
    assert number_of(asked(server)[1], TEXTS[0])


async def test_a_question_that_needs_no_memory_costs_one_call_and_finds_nothing(
    server: ScriptedServer, service: MemoryService
) -> None:
    server.script(CHAT, routed(needs_memory=False))
    found = await service.retrieve("What is two plus two?", method="llm", user="ann")

    assert not found.needs_retrieval
    assert not found
    assert found.answer is None
    assert len(asked(server)) == 1


async def test_layers_are_read_until_one_is_enough_and_never_more_than_four_calls(
    server: ScriptedServer,
) -> None:
    config = {
        "database": {"backend": "memory"},
        "llm": {"default": {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}},
        "categories": {"defaults": [{"name": "music", "description": "Ann plays the cello, music"}]},
        "workflows": {
            "memorize": {
                "steps": [
                    {"use": "extract_entities", "with": {"mode": "verbatim"}},
                    "classify_items",
                    "update_categories",
                ]
            }
        },
    }
    messages = [
        {"role": "user", "name": "Ann", "content": text}
        for text in (
            "I play the cello in Porto.",
            "The concert was great.",
            "I love Bach's music on the cello.",
        )
    ]

    async def never_enough(request: Request) -> Answer:
        if "needs_memory" in json.dumps(request.json["messages"][0]):
            return routed()
        return read(answer="Something.", sufficient=False)

    server.route(CHAT, never_enough)
    async with MemoryService(config) as service:
        await service.memorize(messages=messages, user="ann")
        found = await service.retrieve("What music does Ann play?", method="llm", top_k=1, user="ann")

    shown = [data(request) for request in asked(server)[1:]]
    assert len(shown) == 3
    assert ["[c1]" in shown[0], "[i1]" in shown[1], "[p1]" in shown[2]] == [True, True, True]
    assert "Something." in shown[1].split("[block records")[0]
    assert found.answer is not None
    assert not found.answer.sufficient


@pytest.mark.parametrize("answer", [failed(500, "out of order"), chat("I do not know, sorry.")])
async def test_a_model_that_fails_leaves_what_was_found_without_it(
    server: ScriptedServer, service: MemoryService, answer: Answer
) -> None:
    async def always(_: Request) -> Answer:
        return answer

    server.route(CHAT, always)
    found = await service.retrieve("What does Ann play?", method="llm", user="ann")
    plain = await service.retrieve("What does Ann play?", user="ann")

    assert found.answer is None
    assert [hit.record.id for hit in found.items] == [hit.record.id for hit in plain.items]
    failures = [step.step for step in found.trace.steps if "failed" in step.notes]
    assert failures == ["route_query", "read_layers"]


async def test_auto_asks_the_model_only_where_the_best_hit_is_not_good_enough(
    server: ScriptedServer, service: MemoryService
) -> None:
    good = await service.retrieve("Ann plays the cello in Porto", method="auto", user="ann")
    assert good.items[0].record.text == TEXTS[1]
    assert asked(server) == []

    server.script(CHAT, routed(), read("i1", answer="Nobody knows.", sufficient=True))
    poor = await service.retrieve("Quarterly revenue forecast?", method="auto", user="ann", min_score=0)
    assert str(poor.answer) == "Nobody knows."


async def test_another_users_memories_are_never_shown_to_the_model(
    server: ScriptedServer, service: MemoryService
) -> None:
    await service.create_item("Ben's cello is blue.", user="ben")
    server.script(CHAT, routed(), read())
    await service.retrieve("Whose cello is blue?", method="llm", user="ann", min_score=0)

    assert "blue" not in data(asked(server)[1]).split("[block records")[1]


async def test_without_a_model_llm_says_what_to_set_and_auto_is_rag() -> None:
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        await service.create_item("Ann plays the cello.", user="ann")
        with pytest.raises(ConfigError, match=r"llm\.default is not configured"):
            await service.retrieve("What does Ann play?", method="llm", user="ann")
        found = await service.retrieve("What does Ann play?", method="auto", user="ann")
        assert found.items[0].record.text == "Ann plays the cello."
        with pytest.raises(ConfigError, match="`rga`; did you mean `rag`"):
            await service.retrieve("What?", method="rga", user="ann")  # type: ignore[arg-type]
