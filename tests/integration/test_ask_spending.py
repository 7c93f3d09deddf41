"""The use case "analyse his spending trend": from a conversation to an answer that cites what it rests on."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from cli_kit import Memu
from models_kit import VERBATIM
from reading_kit import data, model_at, read, routed

from memu_py.testing.chat_answers import CHAT
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

ENGLISH = {
    "turns": [
        ("2026-01-31", "I spent 40 euros on books in January."),
        ("2026-02-10", "My sister adopted a dog called Rex."),
        ("2026-02-28", "I spent 80 euros on books in February."),
        ("2026-03-15", "I moved to the third floor."),
        ("2026-03-31", "I spent 160 euros on books in March."),
    ],
    "history": "What about his spending trend?",
    "question": "Analyse Bo's spending trend.",
    "queries": ["How much did Bo spend?", "euros spent on books"],
    "amount": r"spent (\d+) euros",
    "answer": "Bo's spending goes up: {} euros.",
}
CHINESE = {
    "turns": [
        ("2026-01-31", "我一月份买书花了40欧元。"),
        ("2026-02-10", "我妹妹养了一只叫雷克斯的狗。"),
        ("2026-02-28", "我二月份买书花了80欧元。"),
        ("2026-03-15", "我搬到了三楼。"),
        ("2026-03-31", "我三月份买书花了160欧元。"),
    ],
    "history": "那他的消费趋势呢？",
    "question": "分析Bo的消费趋势。",
    "queries": ["Bo花了多少钱？", "买书花了多少欧元"],
    "amount": r"花了(\d+)欧元",
    "answer": "Bo的消费在上升：{}欧元。",
}


class Analyst:
    """A model that reads amounts out of what it is shown, and cites them; and an id that it made up."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.requests: list[Request] = []

    async def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        if "[block records" not in data(request):
            return routed(question=self.case["question"], queries=self.case["queries"])
        lines = [line for line in data(request).splitlines() if re.match(r"\[[cip]\d+\]", line)]
        found = [(line[1 : line.index("]")], amount) for line in lines if (amount := self._amount(line))]
        names = [name for name, _ in found]
        told = self.case["answer"].format(", ".join(map(str, sorted(amount for _, amount in found))))
        enough = len(found) == 3
        return read(*names, answer=told, sufficient=enough, citations=(*names, "i99"))

    def _amount(self, line: str) -> int | None:
        found = re.search(self.case["amount"], line)
        return int(found[1]) if found else None


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server in a thread of its own, since a command has its own event loop."""
    ready: Future[ScriptedServer] = Future()
    stop = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with ScriptedServer() as running:
            ready.set_result(running)
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    yield ready.result(timeout=10)
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@pytest.mark.parametrize("case", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_a_spending_trend_is_analysed_from_what_was_said_over_months(
    case: dict[str, Any], memu: Memu, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    analyst = Analyst(case)
    server.route(CHAT, analyst.answer)
    config = {"llm": model_at(server), "workflows": {"memorize": {"steps": [VERBATIM]}}}
    Path("config.yaml").write_text(json.dumps(config))
    chat = [
        {"role": "user", "name": "Bo", "content": text, "created_at": f"{day}T18:00:00Z"}
        for day, text in case["turns"]
    ]
    Path("chat.json").write_text(json.dumps(chat))
    assert memu("memorize", "chat.json")[0] == 0
    assert analyst.requests == []

    code, out, err = memu("ask", case["history"], "--json")
    assert code == 0, err
    result = json.loads(out)
    answer = result["answer"]
    assert answer["text"] == case["answer"].format("40, 80, 160")
    assert answer["sufficient"] is True
    assert result["rewritten_query"] == case["question"]
    spent = [text for _, text in case["turns"] if re.search(case["amount"], text)]
    returned = {hit["record"]["id"]: hit["record"]["text"] for hit in result["items"]}
    assert sorted(returned[one] for one in answer["item_ids"]) == sorted(spent)
    assert sorted(returned.values()) == sorted(spent)

    assert len(analyst.requests) == result["usage"]["chat_calls"] <= 4
    steps = {one["step"]: one["notes"] for one in result["trace"]["steps"]}
    assert steps["read_layers"]["strangers"] == steps["read_layers"]["pages"] == len(analyst.requests) - 1
    calls = [*steps["route_query"]["model_calls"], *steps["read_layers"]["model_calls"]]
    assert len(calls) == len(analyst.requests)
    assert all(call["prompt_tokens"] == call["completion_tokens"] == 10 and call["ms"] > 0 for call in calls)
    assert {call["purpose"] for call in calls} == {"route_query", "read_layers"}

    # A person sees the answer and what it rests on.
    code, out, _ = memu("ask", case["history"])
    told, *grounds = out.splitlines()
    assert (code, told) == (0, answer["text"])
    assert sorted(line.partition("  ")[2] for line in grounds) == sorted(spent)
    assert all(re.match(r"2026-0[123]-\d\d  ", line) for line in grounds)


def test_a_model_that_fails_is_a_failure_of_the_command(
    memu: Memu, server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    Path("config.yaml").write_text(json.dumps({"llm": model_at(server)}))
    code, out, err = memu("ask", "Where does Ann live?")
    assert (code, out) == (1, "")
    assert "The model gave no answer" in err
