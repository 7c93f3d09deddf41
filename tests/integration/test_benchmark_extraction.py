"""What survives extraction, measured on a small conversation."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from locomo_kit import config_file, conversation_folder

from benchmarks.dialogues import load_dialogues
from benchmarks.extraction import main, sampled
from memu_py.testing.chat_answers import chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

CHAT = "/chat/completions"
FOUND = [
    {"type": "event", "text": "Ann adopted a greyhound.", "source": ["t1"], "happened_words": "yesterday"},
    {"type": "fact", "text": "Carla plays the cello.", "source": ["t0"]},
    {"type": "fact", "text": "Ann goes to a pottery class.", "source": ["t4"]},
]


@pytest.fixture
def base_url() -> Iterator[str]:
    """A model that finds three facts, one of them cited wrongly; on a loop of its own, since the benchmark has one."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = ScriptedServer()

    async def start() -> None:
        await server.__aenter__()
        server.route(CHAT, answer)

    async def answer(_: Request) -> Answer:
        return chat(json.dumps({"items": FOUND}))

    asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    yield server.base_url
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def figures(path: Path, run: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["runs"][run]
    return data


def shares(run: dict[str, Any]) -> dict[str, list[float]]:
    return {
        name: [one["cited"], one["words"], one["one item"]]
        for name, one in run["means"].items()
        if name != "all"
    }


def test_sources_and_words_are_looked_for_in_what_a_model_made_and_in_the_turns(
    base_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = {"provider": "local", "base_url": base_url, "model": "m", "max_retries": 0}
    config = config_file(tmp_path / "config.yaml", profile)
    out = tmp_path / "figures.json"
    given = ["--data", str(conversation_folder(tmp_path / "data")), "--config", str(config)]

    assert main([*given, "--profile", "default", "--json", str(out)]) == 0

    verbatim, model = figures(out, "verbatim"), figures(out, "default")
    assert shares(verbatim) == {
        "1": [1.0, 1.0, 1.0],
        "2": [1.0, 1.0, 1.0],
        "3": [1.0, 0.25, 0.0],
        "4": [1.0, 1.0, 1.0],
    }
    assert (verbatim["calls"], verbatim["tokens"]) == (0, 0)
    # "swim" is lost; the day is worked out; nobody says that Leo is not afraid; the cello has the wrong source.
    assert shares(model)["1"] == [1.0, 0.5, 0.0]
    assert shares(model)["2"] == [1.0, 1.0, 1.0]
    assert shares(model)["3"] == [0.0, 0.0, 0.0]
    assert shares(model)["4"] == [0.0, 0.0, 1.0]
    assert (model["items"], model["calls"]) == (3, 1)
    assert sum(model["outcomes"].values()) == 5
    shown = capsys.readouterr().out
    assert "| 4 single-hop | 1 | 100.0 / 100.0 / 100.0 | 0.0 / 0.0 / 100.0 |" in shown


def test_a_sample_holds_the_turns_around_the_evidence(tmp_path: Path) -> None:
    (dialogue,) = sampled(load_dialogues(conversation_folder(tmp_path / "data")), 2, 1)

    assert [question.category for question in dialogue.questions] == ["1", "2"]
    assert [message["id"] for message in dialogue.messages] == ["D1:1", "D1:2", "D1:3", "D1:4", "D1:5"]
    (alone,) = sampled(load_dialogues(tmp_path / "data"), 1, 0)
    assert [message["id"] for message in alone.messages] == ["D1:5"]
    (whole,) = sampled(load_dialogues(tmp_path / "data"), 1, None)
    assert len(whole.messages) == 5


def test_a_profile_that_there_is_not_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = conversation_folder(tmp_path / "data")

    assert main(["--data", str(data), "--profile", "default"]) == 2
    assert "llm.default is not configured" in capsys.readouterr().err
