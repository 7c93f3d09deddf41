"""A real model through our own client: what any model must do, however little it knows."""

import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest
from local_llm_kit import Chats, LocalModel
from pydantic import BaseModel

from memu_py import MemoryService
from memu_py.errors import AnswerError, ModelError
from memu_py.llm.chat import Message
from memu_py.llm.provider_error import ProviderError
from memu_py.records.outcome import Outcome
from memu_py.workflow.trace import Trace

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(240)]

ENGLISH = ("I moved to Lisbon in May 2023.", "My sister Carla plays the cello.")
CHINESE = ("我每天早上喝美式咖啡。", "我上周搬到了上海。")
REASONED = ("skipped", "failed")


class Place(BaseModel):
    """Nothing in it can run on for ever."""

    kind: Literal["city", "river", "mountain"]
    inhabited: bool


class Essay(BaseModel):
    title: str
    chapters: list[str]


@pytest.fixture
async def chats(local_llm: LocalModel) -> AsyncIterator[Chats]:
    made = Chats(local_llm)
    yield made
    await made.close()


def ask(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


def messages(texts: tuple[str, ...], who: str) -> list[dict[str, Any]]:
    return [
        {"role": "user", "name": who, "content": text, "created_at": "2024-03-04T09:00:00Z"} for text in texts
    ]


def notes(trace: Trace | None, step: str) -> dict[str, Any]:
    assert trace is not None
    (found,) = [one for one in trace.steps if one.step == step]
    return dict(found.notes)


async def test_a_question_is_answered_in_words_and_counted_by_the_server(chats: Chats) -> None:
    answer = await chats(max_tokens=16).chat(ask("Say hello."))

    assert answer.text.strip()
    assert (answer.calls, answer.estimated, answer.mode) == (1, False, None)
    assert 0 < answer.completion_tokens <= 16
    assert answer.prompt_tokens > 0


@pytest.mark.parametrize("question", ["What is Paris?", "巴黎是什么？"])
async def test_decoding_is_held_to_the_schema(chats: Chats, question: str) -> None:
    answer = await chats(max_tokens=100).chat(ask(question), Place)

    assert (answer.mode, answer.calls, answer.finish) == ("schema", 1, "stop")
    assert set(json.loads(answer.text)) == {"kind", "inhabited"}
    assert answer.value == Place.model_validate_json(answer.text)


@pytest.mark.parametrize("schema", [None, Place])
async def test_an_answer_is_told_as_it_grows(chats: Chats, schema: type[BaseModel] | None) -> None:
    told: list[str] = []
    model = chats(max_tokens=60)
    if schema is None:
        text = (await model.chat(ask("Describe the sea."), on_text=told.append)).text
    else:
        text = (await model.chat(ask("What is Paris?"), schema, on_text=told.append)).text

    assert len(told) > 2
    assert told[-1] == text
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(told))


async def test_an_answer_that_is_cut_off_says_so(chats: Chats) -> None:
    model = chats()
    answer = await model.chat(ask("Write a long story about a whale."), max_tokens=5)
    assert answer.cut
    assert answer.completion_tokens == 5

    with pytest.raises(AnswerError, match="raise `max_tokens`") as caught:
        await model.chat(ask("Write an essay about whales with ten chapters."), Essay, max_tokens=8)
    assert (caught.value.finish, caught.value.mode) == ("length", "schema")


@pytest.mark.parametrize("stream", [False, True])
async def test_a_server_that_takes_too_long_is_given_up_and_can_be_asked_again(
    chats: Chats, stream: bool
) -> None:
    with pytest.raises(ModelError, match=r"within 0\.01 s|broke off"):
        await chats(timeout_s=0.01, stream=stream).chat(ask("Count to fifty."), max_tokens=50)

    assert (await chats(stream=stream).chat(ask("Say yes."), max_tokens=4)).text


async def test_a_wrong_path_is_told_with_what_to_check(local_llm: LocalModel, chats: Chats) -> None:
    with pytest.raises(ModelError, match=r"404.*base_url"):
        await chats(base_url=f"{local_llm.base_url}/nowhere").chat(ask("Hello?"))


def assert_nothing_is_lost(outcomes: tuple[Outcome, ...], status: str, texts: tuple[str, ...]) -> None:
    """Every segment has its outcome, and every one that made no item says why."""
    assert [one.text for one in outcomes] == list(texts)
    assert {one.status for one in outcomes} <= {"stored", "reinforced", *REASONED}
    assert all(one.reason for one in outcomes if one.status in REASONED)
    assert all(one.item_id for one in outcomes if one.status not in REASONED)
    assert status == ("partial" if any(one.status == "failed" for one in outcomes) else "complete")


async def test_whatever_it_answers_becomes_items_or_outcomes_with_a_reason(
    local_llm: LocalModel, tmp_path: Path
) -> None:
    async with MemoryService(local_llm.quick_config(tmp_path, max_tokens=60)) as service:
        result = await service.memorize(messages=messages(CHINESE, "安娜"), infer=True, user="ann")
        stored = await service.list_items(user="ann")

    assert_nothing_is_lost(result.outcomes, result.resource.status, CHINESE)
    noted = notes(result.trace, "extract_entities")
    assert noted["mode"] == "llm"
    assert noted["failed"] == sum(one.status == "failed" for one in result.outcomes)
    assert {one.id for one in stored} >= {one.item_id for one in result.outcomes if one.item_id}
    assert all(source.ordinal < len(CHINESE) for one in stored for source in one.sources)
    assert result.usage.chat_calls >= 1
    assert result.usage.prompt_tokens > 0


async def test_the_packaged_prompt_is_read_and_what_comes_of_it_is_told(local_llm: LocalModel) -> None:
    size = {"max_tokens": 40} if local_llm.tiny else {}
    async with MemoryService(local_llm.config(**size)) as service:
        result = await service.memorize(messages=messages(ENGLISH[:1], "Ann"), infer=True, user="ann")

    assert_nothing_is_lost(result.outcomes, result.resource.status, ENGLISH[:1])


async def test_a_text_beyond_its_context_is_told_as_that(local_llm: LocalModel, chats: Chats) -> None:
    if not local_llm.tiny:
        pytest.skip("only the context of the tiny model is known")
    with pytest.raises(ProviderError, match="context size") as caught:
        await chats(max_tokens=60).chat(ask("I counted one more sheep. " * 1000), Place)

    assert caught.value.too_long
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("texts", "question"), [(ENGLISH, "What does Carla play?"), (CHINESE, "用户早上喝什么？")]
)
async def test_reading_by_a_model_answers_or_says_why_it_did_not(
    local_llm: LocalModel, tmp_path: Path, texts: tuple[str, ...], question: str
) -> None:
    async with MemoryService(local_llm.quick_config(tmp_path, max_tokens=80)) as service:
        for text in texts:
            await service.create_item(text, user="ann")
        plain = await service.retrieve(question, user="ann")
        found = await service.retrieve(question, method="llm", user="ann")

    known = {hit.record.id for hit in plain.items}
    assert plain.items
    assert {hit.record.id for hit in found.items} <= known
    reading = notes(found.trace, "read_layers")
    if found.answer is None:
        assert reading.get("failed") or not found.needs_retrieval or reading["pages"]
    else:
        assert str(found.answer)
        assert set(found.answer.item_ids) <= known
    if "failed" in reading and not reading["pages"]:
        assert {hit.record.id for hit in found.items} == known
    assert found.usage.chat_calls >= 1
