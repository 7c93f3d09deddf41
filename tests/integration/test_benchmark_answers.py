"""Answers to long conversations: made by one model, marked by another, kept, and taken up again."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from locomo_kit import QUESTIONS, config_file, conversation_folder

from benchmarks.answers import RAW, Exam, RawFile, Reply, examine, figures
from benchmarks.asking import Models
from benchmarks.dialogues import load_dialogues
from benchmarks.locomo import main, service_in
from memu_py.testing.chat_answers import chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import ScriptedServer

CHAT = "/chat/completions"
SAID = {
    "What does Ann do in a week?": "Pottery",
    "When did Ann adopt a dog?": "7 March 2024",
    "Is Leo afraid of heights?": "No",
    "What does Carla play?": "the cello",
    "What does Carla teach?": "Not mentioned.",
}


def data_of(request: Request) -> str:
    return str(request.json["messages"][1]["content"])


class Examined:
    """A server that answers, and marks wrong what is not what was expected; and what it was asked."""

    def __init__(self, server: ScriptedServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.broken = ""
        self.data = conversation_folder(folder / "data")
        profile = {"provider": "local", "base_url": server.base_url, "model": "m", "max_retries": 0}
        self.config = config_file(folder / "config.yaml", profile)
        server.route(CHAT, self._answer)

    async def _answer(self, request: Request) -> Answer:
        data = data_of(request)
        question = next(one for one in SAID if one in data)
        if question == self.broken:
            return failed(500, "out of order")
        if "[block expected" not in data:
            return chat(SAID[question])
        label = "WRONG" if "Ann do" in question else "CORRECT"
        return chat(json.dumps({"reason": "As it is.", "label": label}))

    async def run(self, **more: Any) -> list[Reply]:
        async with service_in(self.folder / "raw", self.config) as service:
            models = Models(service.settings)
            exam = Exam(models=models, answer="default", judge="judge")
            try:
                return await examine(
                    load_dialogues(self.data), service, exam, RawFile(self.folder / "raw"), **more
                )
            finally:
                await models.close()

    def lines(self) -> list[dict[str, Any]]:
        text = (self.folder / "raw" / RAW).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def asked(self) -> list[str]:
        return [data_of(request) for request in self.server.requests if request.path.endswith(CHAT)]


@pytest.fixture
async def examined(tmp_path: Path) -> AsyncIterator[Examined]:
    async with ScriptedServer() as server:
        yield Examined(server, tmp_path)


async def test_every_question_is_answered_from_memory_and_marked_but_for_adversarial_ones(
    examined: Examined,
) -> None:
    found = figures(await examined.run())

    assert {name: one["judge"] for name, one in found.items() if one["marked"]} == {
        "1": 0.0,
        "2": 1.0,
        "3": 1.0,
        "4": 1.0,
        "all": 0.75,
    }
    assert [found[name]["f1"] for name in ("1", "2", "3", "4", "5")] == [0.5, 1.0, 1.0, 1.0, 1.0]
    assert found["5"]["marked"] == 0
    assert found["all"]["questions"] == 4
    asked = examined.asked()
    assert len(asked) == 9
    (cello,) = [data for data in asked if "What does Carla play?" in data and "[block memories" in data]
    assert "My sister Carla plays the cello in Porto." in cello
    assert "Saturday, 9 March 2024" in cello
    (marked,) = [data for data in asked if "What does Carla play?" in data and "[block expected" in data]
    assert "the cello" in marked


async def test_what_came_is_kept_and_only_what_failed_is_asked_again(examined: Examined) -> None:
    examined.broken = "What does Carla play?"
    first = await examined.run()
    (broken,) = [one for one in first if one.error]
    assert "out of order" in str(broken.error)
    assert figures(first)["4"] == {
        "questions": 1,
        "marked": 0,
        "judge": 0.0,
        "f1": 0.0,
        "failed": 1,
        "tokens": 0,
    }

    before = len(examined.asked())
    examined.broken = ""
    again = await examined.run()

    assert {one.id for one in again} == {f"conv-1/{number}" for number in range(len(QUESTIONS))}
    assert [one.error for one in again] == [None] * len(QUESTIONS)
    assert all("Carla play" in data for data in examined.asked()[before:])
    lines = examined.lines()
    assert len(lines) == len(QUESTIONS) + 1
    assert {line["by"] for line in lines} == {"local/m, marked by local/m, rag"}
    assert all(line["context"] for line in lines if line["category"] in "124")


async def test_a_limit_takes_of_every_category_in_turn(examined: Examined) -> None:
    assert sorted(one.category for one in await examined.run(limit=2)) == ["1", "2"]
    assert sorted(line["category"] for line in examined.lines()) == ["1", "2"]


def test_it_is_asked_for_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = conversation_folder(tmp_path / "data")
    config = config_file(
        tmp_path / "config.yaml", {"provider": "local", "base_url": "http://[::1]:1/v1", "model": "m"}
    )
    given = ["--data", str(data), "--config", str(config)]

    with pytest.raises(SystemExit):
        main([*given, "--answer", "default"])
    assert "--answer needs --raw" in capsys.readouterr().err

    assert main([*given, "--answer", "defualt", "--raw", str(tmp_path / "raw")]) == 2
    assert "did you mean `default`?" in capsys.readouterr().err
