"""The layers around a chat model: counting, budget, cache, interceptors."""

import asyncio
import logging
from typing import Any

import pytest
from llm_kit import ASK, A, Facts, meter_of

from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.errors import AnswerError, BudgetExceeded, ConfigError, InvalidInput, ModelError, StoreError
from memu_py.llm.ask import Chat
from memu_py.llm.backend import ChatRequest, Completion
from memu_py.llm.cached import answer_key
from memu_py.llm.factory import ChatBackends, register_chat_models
from memu_py.llm.meter import HeldTokens, Meter
from memu_py.llm.metered import MeteredBackend
from memu_py.llm.scoped import ScopedChats
from memu_py.llm.structured import StructuredChat
from memu_py.records.usage import Usage
from memu_py.testing.chat import ScriptedBackend, ScriptedChatModel
from memu_py.testing.store_samples import NOW
from memu_py.workflow.interceptor import Call, Interceptor
from memu_py.workflow.registry import Registry

COUNTED = Completion(text=A, prompt_tokens=30, completion_tokens=12, mode="schema")
BAD = Completion(text="no", prompt_tokens=5, completion_tokens=1)


class DictAnswers:
    """A cache in a dictionary; it may be out of order."""

    def __init__(self) -> None:
        self.rows: dict[bytes, str] = {}
        self.broken = False

    async def load(self, key: bytes) -> str | None:
        return self.rows.get(key)

    async def save(self, key: bytes, text: str) -> None:
        if self.broken:
            raise StoreError("the disk is full")
        self.rows[key] = text


class House:
    """The layers over a scripted backend."""

    def __init__(
        self, *script: Any, meter: Meter | None = None, watch: tuple[Interceptor, ...] = (), **profile: Any
    ) -> None:
        self.backend = ScriptedBackend(script)
        self.cache = DictAnswers()
        self.meter = meter or meter_of()
        registry = Registry()
        register_chat_models(registry)
        registry.add("chat", "scripted", lambda settings, name: self.backend)
        config = {"llm": {"default": {"backend": "scripted", "model": "m", **profile}}}
        settings = load_settings(config, env={})
        self.backends = ChatBackends(settings, registry)
        self.chats = ScopedChats(
            settings, self.backends, cache=self.cache, meter=self.meter, interceptors=watch
        )

    @property
    def model(self) -> Chat:
        return self.chats.chat(purpose="test")


async def test_calls_are_counted_by_profile_and_purpose() -> None:
    house = House(COUNTED, BAD, COUNTED, Completion(text="hello"))
    await house.model.chat(ASK, Facts)
    await house.model.chat([*ASK, *ASK], Facts)
    answer = await house.model.chat(ASK)

    assert answer.estimated
    assert (answer.prompt_tokens, answer.completion_tokens) == (9, 2)
    total = Usage(chat_calls=4, repaired_calls=1, estimated_calls=1, prompt_tokens=74, completion_tokens=27)
    assert house.meter.total == total
    assert total.tokens == 101
    (row,) = house.meter.take()
    assert (row.profile, row.purpose, row.usage) == ("default", "test", total)
    assert house.meter.take() == ()


async def test_a_known_answer_costs_nothing() -> None:
    house = House(COUNTED)
    first = await house.model.chat(ASK, Facts)
    seen: list[str] = []
    again = await house.model.chat(ASK, Facts, on_text=seen.append)

    assert len(house.backend.requests) == 1
    assert (again.value, again.text, again.cached, again.calls, again.prompt_tokens) == (
        first.value,
        first.text,
        True,
        0,
        0,
    )
    assert seen == [A]
    assert house.meter.total.cached_calls == 1
    assert house.meter.total.chat_calls == 1


async def test_the_repaired_answer_is_what_is_known() -> None:
    house = House(BAD, COUNTED)
    await house.model.chat(ASK, Facts)

    assert (await house.model.chat(ASK, Facts)).cached
    assert list(house.cache.rows.values()) == [A]


async def test_dropped_records_are_told_of_a_known_answer_too() -> None:
    house = House('{"facts": [{"text": "a"}, {"text": 1}]}')
    assert (await house.model.chat(ASK, Facts)).dropped == 1
    again = await house.model.chat(ASK, Facts)

    assert (again.cached, again.dropped, len(again.reasons)) == (True, 1, 1)


@pytest.mark.parametrize(
    "said",
    [
        Completion(text='{"facts": [{"text": "a"}, {"te', finish="length"),
        Completion(text=A, finish="content_filter"),
    ],
)
async def test_what_is_not_whole_is_not_kept(said: Completion) -> None:
    house = House(said, COUNTED)
    await house.model.chat(ASK, Facts)

    assert house.cache.rows == {}
    assert not (await house.model.chat(ASK, Facts)).cached


async def test_what_does_not_fit_is_not_kept() -> None:
    house = House("no", "no")
    with pytest.raises(AnswerError):
        await house.model.chat(ASK, Facts)

    assert house.cache.rows == {}
    assert house.meter.total.repaired_calls == 1


async def test_a_kept_answer_that_fits_no_more_is_asked_again() -> None:
    house = House(COUNTED)
    house.cache.rows[answer_key(house.backend.id, ChatRequest(messages=tuple(ASK), schema=Facts))] = "worn"

    assert not (await house.model.chat(ASK, Facts)).cached


async def test_a_cache_out_of_order_costs_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    house = House(COUNTED)
    house.cache.broken = True

    assert (await house.model.chat(ASK, Facts)).value is not None
    assert "an answer could not be cached: the disk is full" in caplog.text


async def test_a_profile_may_go_without_the_cache() -> None:
    house = House("one", "two", cache=False)

    assert [(await house.model.chat(ASK)).text for _ in range(2)] == ["one", "two"]


def test_an_answer_is_known_by_all_that_changes_it() -> None:
    request = ChatRequest(messages=tuple(ASK), schema=Facts)
    others = [
        ChatRequest(messages=tuple(ASK)),
        ChatRequest(messages=(*ASK, *ASK), schema=Facts),
        ChatRequest(messages=tuple(ASK), schema=Facts, temperature=0.0),
        ChatRequest(messages=tuple(ASK), schema=Facts, max_tokens=5),
    ]
    keys = {answer_key("m", one) for one in (request, *others)} | {answer_key("other", request)}

    assert len(keys) == 6
    assert answer_key("m", request) == answer_key(
        "m", ChatRequest(messages=tuple(ASK), schema=Facts, repair=True)
    )


async def test_a_run_stops_before_the_call_that_would_go_over() -> None:
    house = House(COUNTED, COUNTED, meter=meter_of(tokens_per_run=50))
    await house.model.chat(ASK, Facts)

    with pytest.raises(BudgetExceeded, match="14 tokens, and 42 of 50 are spent") as told:
        await house.model.chat([*ASK, {"role": "user", "content": "And?"}])
    assert (told.value.budget, told.value.limit) == ("tokens_per_run", 50)
    assert len(house.backend.requests) == 1
    # Known answers cost nothing, whatever is left.
    assert (await house.model.chat(ASK, Facts)).cached


async def test_the_length_of_the_answer_counts_beforehand() -> None:
    house = House("hello", "hello", meter=meter_of(tokens_per_run=50))

    with pytest.raises(BudgetExceeded):
        await house.model.chat(ASK, max_tokens=45)
    assert (await house.model.chat(ASK, max_tokens=41)).text == "hello"


async def test_a_repair_is_not_made_over_the_budget() -> None:
    house = House("no", COUNTED, meter=meter_of(tokens_per_run=40))

    with pytest.raises(BudgetExceeded):
        await house.model.chat(ASK, Facts)
    assert house.meter.total.chat_calls == 1


class Waiting(ScriptedBackend):
    """Answers when it is let go."""

    def __init__(self) -> None:
        super().__init__(reply=lambda request: "hello")
        self.go = asyncio.Event()

    async def complete(self, request: ChatRequest) -> Completion:
        said = await super().complete(request)
        await self.go.wait()
        return said


async def test_calls_at_the_same_time_share_a_budget() -> None:
    backend = Waiting()
    meter = meter_of(tokens_per_run=70)
    model = Chat(StructuredChat(MeteredBackend(backend, meter, profile="default", purpose="test")))
    calls = [asyncio.ensure_future(model.chat(ASK, max_tokens=20)) for _ in range(3)]
    # Two of 29 are let in; the third is refused while they are still under way.
    with pytest.raises(BudgetExceeded, match="58 of 70"):
        await calls[2]
    assert len(backend.requests) == 2
    backend.go.set()

    assert [(await call).text for call in calls[:2]] == ["hello", "hello"]
    # What they did not use is free again.
    assert (await model.chat(ASK, max_tokens=20)).text == "hello"


async def test_a_day_is_shared_by_the_runs_of_a_user() -> None:
    held = HeldTokens()
    one = meter_of(held=held, spent=100, tokens_per_day=200)
    two = meter_of(held=held, spent=100, tokens_per_day=200)
    other = meter_of("bob", held=held, spent=100, tokens_per_day=200)
    one.count("default", "test", Usage(chat_calls=1, prompt_tokens=60))

    with pytest.raises(BudgetExceeded, match="tokens_per_day"):
        await two.reserve(50)
    with await other.reserve(100):
        pass
    # Stored, it is no longer held here: the store would tell it from now on.
    one.stored(one.take())
    with await two.reserve(100):
        assert held.of(NOW.date(), one.scope) == 100


async def test_a_failed_call_holds_nothing() -> None:
    house = House(ModelError("away"), "hello", meter=meter_of(tokens_per_run=10))
    with pytest.raises(ModelError, match="away"):
        await house.model.chat(ASK)

    assert (await house.model.chat(ASK)).text == "hello"


class Editor:
    """Hides a word, and keeps what it saw."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def amend(self, call: Call) -> Call:
        messages = [
            {**one, "content": one["content"].replace("know", "…")} for one in call.payload["messages"]
        ]
        return call.amended(messages=messages, max_tokens=7)

    async def before(self, call: Call) -> None:
        self.seen.append(call)

    async def after(self, call: Call, result: Any) -> None:
        self.seen.append(result)

    async def on_error(self, call: Call, error: BaseException) -> None:
        self.seen.append(error)


async def test_interceptors_see_and_change_what_is_asked() -> None:
    editor = Editor()
    house = House(COUNTED, watch=(editor,), temperature=0.5)
    answer = await house.model.chat(ASK, Facts)

    (asked,) = house.backend.requests
    assert asked.messages == ({"role": "user", "content": "What do you …?"},)
    assert (asked.temperature, asked.max_tokens, asked.schema) == (0.5, 7, Facts)
    call, result = editor.seen
    assert (call.kind, call.name, call.labels) == (
        "chat",
        "default",
        {"purpose": "test", "model": "scripted/model"},
    )
    assert result == answer
    assert result.ms > 0
    # The cache is asked by what was changed, and is seen too.
    assert (await house.model.chat(ASK, Facts)).cached
    assert editor.seen[-1].cached


async def test_interceptors_see_errors_and_may_refuse() -> None:
    class Refuse(Editor):
        async def before(self, call: Call) -> None:
            raise InvalidInput("not this")

    editor = Editor()
    house = House(ModelError("away"), watch=(editor,))
    with pytest.raises(ModelError, match="away"):
        await house.model.chat(ASK)
    assert str(editor.seen[-1]) == "away"
    refusing = House("hello", watch=(Refuse(),))
    with pytest.raises(InvalidInput, match="not this"):
        await refusing.model.chat(ASK)
    assert refusing.backend.requests == []


def test_a_profile_that_is_missing_says_what_to_configure() -> None:
    house = House()
    assert house.chats.has()
    assert not house.chats.has("cheap")
    with pytest.raises(ConfigError, match=r"cheap.*set `llm\.cheap\.model`"):
        house.chats.chat("cheap", purpose="test")
    empty = load_settings({}, env={})
    none = ScopedChats(empty, ChatBackends(empty, Registry()), cache=DictAnswers(), meter=meter_of())
    with pytest.raises(ConfigError, match=r"needs a chat model, and .* has none.*llm\.default\.model"):
        none.chat(purpose="test")


def test_a_backend_that_is_unknown_is_told_at_once() -> None:
    settings = load_settings({"llm": {"default": {"backend": "opnai", "model": "m"}}}, env={})
    registry = Registry()
    register_chat_models(registry)

    with pytest.raises(ConfigError, match=r"llm\.default\.backend: .*`openai`"):
        ChatBackends(settings, registry)


async def test_a_model_is_made_once_and_closed() -> None:
    class Closing(ScriptedBackend):
        closed = 0

        async def close(self) -> None:
            self.closed += 1

    made: list[Closing] = []

    def make(settings: Settings, name: str) -> Closing:
        made.append(Closing(["hello"]))
        return made[-1]

    registry = Registry()
    registry.add("chat", "closing", make)
    settings = load_settings({"llm": {"default": {"backend": "closing", "model": "m"}}}, env={})
    backends = ChatBackends(settings, registry)

    assert backends.get("default") is backends.get("default")
    await backends.close()
    await backends.close()
    assert [one.closed for one in made] == [1]


async def test_a_chat_needs_messages() -> None:
    model = ScriptedChatModel(["hello"])
    with pytest.raises(InvalidInput, match="at least one message"):
        await model.chat([])
    assert (await model.chat(ASK)).text == "hello"
    with pytest.raises(ModelError, match="at its end"):
        await model.chat(ASK)
    model.backend.say("more")
    assert (await model.chat(ASK)).text == "more"
    assert len(model.requests) == 3
