"""Chat models inside of runs: cache, usage, budget, trace, interceptors; over real sockets."""

import json
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_kit import Memu
from models_kit import KEY, VERBATIM, asking
from service_kit import NOW

from memu_py import MemoryService
from memu_py.errors import AnswerError, BudgetExceeded, ConfigError, InvalidInput, MemuError, ScopeRequired
from memu_py.records.usage import Usage
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.clock import FixedClock
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer
from memu_py.workflow.interceptor import Call
from memu_py.workflow.trace import trace_of

FACTS = '{"facts": [{"text": "Ann likes tea."}]}'
TEXT = "Ann likes tea."


def holding(folder: Path, text: str) -> list[str]:
    """The files that have a text somewhere in them."""
    files = [one for one in folder.rglob("*") if one.is_file()]
    return [one.name for one in files if text.encode() in one.read_bytes()]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async def answer(request: Request) -> Answer:
        return chat(FACTS)

    async with ScriptedServer() as server:
        server.route(CHAT, answer)
        yield server


async def test_a_run_says_what_its_models_cost(server: ScriptedServer) -> None:
    server.script(CHAT, chat("no"))
    async with MemoryService(asking(server.base_url), clock=FixedClock(NOW)) as service:
        result = await service.memorize(text=TEXT, user="ann")
        usage = Usage(chat_calls=2, repaired_calls=1, prompt_tokens=20, completion_tokens=20)
        assert result.usage.evolve(embedded_texts=0, cached_texts=0) == usage
        assert result.trace is not None
        step = result.trace.step("ask_model")
        assert step is not None
        first, second = step.notes["model_calls"]
        assert (first["profile"], first["model"], first["purpose"]) == ("default", "local/m", "ask_model")
        assert (first["prompt_tokens"], first["completion_tokens"], first["finish"]) == (10, 10, "stop")
        assert (first["repair"], second["repair"]) == (False, True)
        assert 0 < first["ms"] < step.ms

        (row,) = report = await service.usage(user="ann")
        assert (row.day, row.profile, row.purpose, row.usage) == (NOW.date(), "default", "ask_model", usage)
        assert (report.total, len(report)) == (usage, 1)
        assert len(await service.usage(user="bob")) == 0


async def test_a_run_that_died_pays_nothing_twice(server: ScriptedServer, tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    clock = FixedClock(NOW)
    async with MemoryService(asking(server.base_url, path, fail=True), clock=clock) as service:
        with pytest.raises(MemuError, match="after it had paid") as died:
            await service.memorize(text=TEXT, user="ann")
        trace = trace_of(died.value)
        assert trace is not None
        assert len(trace.steps[-1].notes["model_calls"]) == 1
        # Also a run that fails has cost something.
        assert (await service.usage(user="ann")).total.chat_calls == 1
    clock.advance(timedelta(days=1))
    async with MemoryService(asking(server.base_url, path), clock=clock) as service:
        result = await service.memorize(text=TEXT, user="ann")
        assert (result.usage.chat_calls, result.usage.cached_calls) == (0, 1)
        assert len(server.requests) == 1
        newest, oldest = await service.usage(user="ann")
        assert (newest.usage.cached_calls, oldest.usage.chat_calls) == (1, 1)
        assert len(await service.usage(user="ann", days=1)) == 1
        # Another user's answers are not looked at, and an erased user's are gone.
        assert (await service.memorize(text=TEXT, user="bob")).usage.chat_calls == 1
        await service.clear(user="ann")
        assert (await service.memorize(text=TEXT, user="ann")).usage.chat_calls == 1
        assert await service.integrity() == []


async def test_an_erased_answer_is_nowhere_in_the_file(server: ScriptedServer, tmp_path: Path) -> None:
    secret = "xyzzy-4711-plugh"
    server.script(CHAT, chat(json.dumps({"facts": [{"text": secret}]})))
    path = tmp_path / "memu.db"
    async with MemoryService(asking(server.base_url, path)) as service:
        await service.memorize(text=TEXT, user="ann")
    assert holding(tmp_path, secret) == ["memu.db"]
    async with MemoryService(asking(server.base_url, path)) as service:
        await service.clear(user="ann")
    assert holding(tmp_path, secret) == []


async def test_budgets_stop_a_run_and_a_day(server: ScriptedServer) -> None:
    clock = FixedClock(NOW)
    per_run = asking(server.base_url, budget={"tokens_per_run": 5})
    async with MemoryService(per_run, clock=clock) as service:
        with pytest.raises(BudgetExceeded, match="tokens_per_run"):
            await service.memorize(text=TEXT, user="ann")
        assert await service.list_items(user="ann") == await service.list_items(user="nobody")
    assert server.requests == []
    per_day = asking(server.base_url, budget={"tokens_per_day": 25})
    async with MemoryService(per_day, clock=clock) as service:
        await service.memorize(text=TEXT, user="ann")
        with pytest.raises(BudgetExceeded, match="20 of 25 are spent") as told:
            await service.memorize(text="Ann plays the cello.", user="ann")
        assert told.value.budget == "tokens_per_day"
        await service.memorize(text=TEXT, user="bob")
        clock.advance(timedelta(days=1))
        await service.memorize(text="Ann plays the cello.", user="ann")
    assert len(server.requests) == 3


async def test_interceptors_stand_around_models_too(server: ScriptedServer) -> None:
    class Hide:
        def __init__(self) -> None:
            self.seen: list[Call] = []

        async def amend(self, call: Call) -> Call:
            return call.amended(messages=[{"role": "user", "content": "hidden"}])

        async def before(self, call: Call) -> None:
            self.seen.append(call)

        async def after(self, call: Call, result: Any) -> None:
            """Say nothing."""

        async def on_error(self, call: Call, error: BaseException) -> None:
            """Say nothing."""

    hide = Hide()
    async with MemoryService(asking(server.base_url)) as service:
        service.intercept(hide)
        await service.memorize(text=TEXT, user="ann", run_id="run-1")

    assert [request.json["messages"] for request in server.requests] == [
        [{"role": "user", "content": "hidden"}]
    ]
    (asked,) = [call for call in hide.seen if call.kind == "chat"]
    assert asked.labels["step"] == asked.labels["purpose"] == "ask_model"
    assert (asked.labels["workflow"], asked.labels["run_id"]) == ("memorize", "run-1")
    assert len([call for call in hide.seen if call.kind == "step"]) > 1


async def test_failures_are_typed_and_without_the_key(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script(CHAT, chat("no"), chat(f"no, and your key is {KEY}"))
    async with MemoryService(asking(server.base_url)) as service:
        with pytest.raises(AnswerError) as told:
            await service.memorize(text=TEXT, user="ann")
        assert "in step `ask_model`" in "".join(told.value.__notes__)
        assert (await service.usage(user="ann")).total.repaired_calls == 1
        assert KEY not in repr(service.settings) + caplog.text
        assert await service.try_model("default") == "local/m"
        with pytest.raises(ConfigError, match="cheap"):
            await service.try_model("cheap")


async def test_without_a_profile_the_step_says_what_to_configure(server: ScriptedServer) -> None:
    without = {**asking(server.base_url), "llm": {}}
    async with MemoryService(without) as service:
        with pytest.raises(ConfigError, match=r"needs a chat model.*llm\.default\.model"):
            await service.memorize(text=TEXT, user="ann")
        with pytest.raises(ScopeRequired):
            await service.usage()
        with pytest.raises(InvalidInput, match="days"):
            await service.usage(user="ann", days=0)


def test_the_command_line_shows_what_was_used(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = memu("usage")
    assert (code, out) == (0, "day\tprofile\tpurpose\tcalls\trepaired\tcached\tsent\tanswered\n")
    config = {
        "plugins": ["service_kit", "models_kit"],
        "embedding": {"backend": "hashing"},
        "llm": {"default": {"backend": "canned", "model": "m"}},
        "workflows": {"memorize": {"steps": ["ask_model", VERBATIM]}},
    }
    Path("config.yaml").write_text(json.dumps(config))
    Path("a.txt").write_text(TEXT)
    assert memu("memorize", "a.txt")[0] == 0
    lines = memu("usage", "--days", "1")[1].splitlines()
    assert lines[1].split("\t")[1:] == ["default", "ask_model", "1", "0", "0", "20", "7"]
    assert lines[2].split("\t") == ["total", "", "", "1", "0", "0", "20", "7"]
    told = json.loads(memu("usage", "--json")[1])
    assert told["total"]["chat_calls"] == told["rows"][0]["usage"]["chat_calls"] == 1
    assert len(told["rows"][0]["day"]) == len("2026-06-01")
