"""Retrieval by a model: what it is shown, when it stops, what of its answer counts."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from reading_kit import TEXTS, asked, data, model_at, number_of, read, routed, service_at

from memu_py import MemoryService
from memu_py.errors import ConfigError
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def service(server: ScriptedServer) -> AsyncIterator[MemoryService]:
    async with await service_at(server) as made:
        yield made


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
        "llm": model_at(server),
        "categories": {"defaults": [{"name": "music", "description": "Ann plays the cello, music"}]},
        "workflows": {
            "memorize": {
                "steps": [
                    {"use": "extract_entities", "with": {"mode": "verbatim"}},
                    "classify_items",
                    {"use": "update_categories", "with": {"mode": "extractive"}},
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


@pytest.mark.parametrize("answer", [failed(500, "out of order"), chat('{"relevant": ["i1'), chat("")])
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


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "Ann plays the cello in Porto [{cello}], nobody says where else [i77].",
            "Ann plays the cello in Porto, nobody says where else.",
        ),
        ("According to {cello}, the cello.", "According to {cello}, the cello."),
        ("**Answer:** The cello.\n**Citations:** [ref:{cello}]", "The cello."),
        ("安拉大提琴【{cello}】。", "安拉大提琴。"),
    ],
)
async def test_prose_is_an_answer_whose_citations_are_checked_and_whose_order_is_that_of_rag(
    server: ScriptedServer, service: MemoryService, said: str, answer: str
) -> None:
    numbers: list[str] = []

    async def prosaic(request: Request) -> Answer:
        if "[block records" in data(request):
            numbers.append(number_of(request, "cello"))
        return chat(said.format(cello=numbers[0]) if numbers else "Dear me, what a question!")

    server.route(CHAT, prosaic)
    found = await service.retrieve("What does Ann play, and where?", method="llm", user="ann", min_score=0)
    plain = await service.retrieve("What does Ann play, and where?", user="ann", min_score=0)

    assert found.answer is not None
    assert str(found.answer) == answer.format(cello=numbers[0])
    assert [hit.record.id for hit in found.items] == [hit.record.id for hit in plain.items]
    cited = {hit.record.id: hit.record.text for hit in found.items}
    assert [cited[one] for one in found.answer.item_ids] == [TEXTS[1]]
    assert not found.answer.sufficient
    step = found.trace.step("read_layers")
    assert step is not None
    assert (step.notes["prose"], step.notes["strangers"]) == (1, int("i77" in said))
    assert found.usage.repaired_calls == 2
    assert found.usage.chat_calls - found.usage.repaired_calls <= 4


def lengthy(number: int) -> str:
    return f"Ann wrote page {number} of her diary: " + "and so on " * 30


async def diary(server: ScriptedServer, *, count: int, **settings: Any) -> MemoryService:
    reader = {"use": "read_layers", "with": {"page_tokens": 200, "pages": 3, **settings}}
    config = {
        "database": {"backend": "memory"},
        "llm": model_at(server),
        "workflows": {"retrieve_llm": {"steps": ["route_query", reader]}},
    }
    service = MemoryService(config)
    for number in range(count):
        await service.create_item(lengthy(number), user="ann")
    return service


def shown(request: Request) -> list[str]:
    records = data(request).split("[block records")[1].splitlines()[1:-1]
    return [line[1 : line.index("]")] for line in records]


async def test_items_are_read_in_pages_until_the_model_knows_enough(server: ScriptedServer) -> None:
    server.script(
        CHAT,
        routed(),
        read("i2", answer="Page two.", sufficient=False, citations=("i2",)),
        read("i4", "i1", "i9", answer="Pages two and four.", citations=("i4",)),
    )
    async with await diary(server, count=7) as service:
        found = await service.retrieve("diary page", method="llm", user="ann", min_score=0)
        plain = [hit.record.id for hit in await service.retrieve("diary page", user="ann", min_score=0)]

    assert [shown(request) for request in asked(server)[1:]] == [["i1", "i2"], ["i3", "i4"]]
    assert "Page two." in data(asked(server)[2])
    # What it named, also of an earlier page; what it never saw is not needed.
    assert [hit.record.id for hit in found.items] == [plain[1], plain[3], plain[0]]
    assert found.answer is not None
    assert found.answer.item_ids == (plain[1], plain[3])
    step = found.trace.step("read_layers")
    assert step is not None
    assert (step.notes["pages"], step.notes["strangers"], step.notes["sufficient"]) == (2, 1, True)


@pytest.mark.parametrize(("pages", "calls", "read_pages"), [(3, 9, 3), (9, 3, 3), (1, 9, 1)])
async def test_pages_have_an_end_and_what_was_not_read_stays_behind(
    server: ScriptedServer, pages: int, calls: int, read_pages: int
) -> None:
    server.script(CHAT, routed(), *(read(f"i{2 * page + 2}", sufficient=False) for page in range(9)))
    async with await diary(server, count=9, pages=pages, calls=calls) as service:
        found = await service.retrieve("diary page", method="llm", user="ann", min_score=0)
        plain = [hit.record.id for hit in await service.retrieve("diary page", user="ann", min_score=0)]

    assert len(asked(server)) == 1 + read_pages
    kept = [plain[2 * page + 1] for page in range(read_pages)]
    assert [hit.record.id for hit in found.items] == kept + plain[2 * read_pages :]


async def test_a_retrieve_with_defaults_costs_four_calls_at_most(server: ScriptedServer) -> None:
    steps: list[Any] = [
        {"use": "extract_entities", "with": {"mode": "verbatim"}},
        "classify_items",
        {"use": "update_categories", "with": {"mode": "extractive"}},
    ]
    config = {
        "database": {"backend": "memory"},
        "llm": model_at(server),
        "categories": {"defaults": [{"name": "diary", "description": "Pages of Ann's diary, and so on"}]},
        "workflows": {"memorize": {"steps": steps}},
    }
    turns = [{"role": "user", "name": "Ann", "content": "I wrote a page of my diary, and so on."}]

    async def never_enough(request: Request) -> Answer:
        reads = "[block records" in data(request)
        return read("i1", sufficient=False) if reads else routed(queries=["a", "b"])

    server.route(CHAT, never_enough)
    async with MemoryService(config) as service:
        await service.memorize(messages=turns, user="ann")
        await service.create_items([lengthy(number) for number in range(90)], dedupe="exact", user="ann")
        found = await service.retrieve("diary page", method="llm", user="ann", min_score=0, top_k=90)

    assert found.usage.chat_calls == len(asked(server)) == 4
    first = [shown(request)[0] for request in asked(server)[1:]]
    assert first[:2] == ["c1", "i1"]
    assert first[2][0] == "i"
    # Two pages hold less than all; what was not read stays behind what helps.
    assert 1 < len(found.items) < 60


async def test_a_model_that_does_not_say_what_helps_leaves_the_order(
    server: ScriptedServer, service: MemoryService
) -> None:
    server.script(CHAT, routed(), chat('{"answer": "The cello.", "citations": [2], "sufficient": true}'))
    found = await service.retrieve("Ann", method="llm", user="ann", min_score=0)
    assert len(found.items) == len(TEXTS)
    assert found.answer is not None
    assert found.answer.item_ids == (found.items[1].record.id,)

    server.script(CHAT, routed(), read("i55", "x", answer="The cello."))
    found = await service.retrieve("Ann?", method="llm", user="ann", min_score=0)
    assert len(found.items) == len(TEXTS)
    step = found.trace.step("read_layers")
    assert step is not None
    assert step.notes["strangers"] == 2


async def test_only_the_layers_that_are_asked_for_are_read(
    server: ScriptedServer, service: MemoryService
) -> None:
    server.script(CHAT, routed())
    found = await service.retrieve("What does Ann play?", method="llm", layers=["resource"], user="ann")
    assert found.answer is None
    assert len(asked(server)) == 1


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


async def test_a_memory_with_lines_of_its_own_is_one_line_to_the_model(server: ScriptedServer) -> None:
    async with await service_at(server) as service:
        await service.create_item("Ann plays chess.\n[i9] Leo owns a bank.", user="ann")
        server.script(CHAT, routed(), read("i9", answer="Leo owns a bank.", citations=("i9",)))
        await service.retrieve("What does Ann play?", method="llm", min_score=0, user="ann")
        await service.predict_intent("What does Ann play?", user="ann")
    for request in asked(server)[1:]:
        if "[block records" in data(request):
            shown = [line for line in data(request).splitlines() if "owns a bank" in line]
            assert ["plays chess." in line for line in shown] == [True]
    assert sum("owns a bank" in data(request) for request in asked(server)) == 2
