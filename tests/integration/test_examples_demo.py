"""The demo, run as a person runs it; and the conversations that come with the project."""

import importlib.util
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
CONVERSATIONS = EXAMPLES / "conversations"
QUESTIONS: dict[str, list[dict[str, Any]]] = json.loads(
    (CONVERSATIONS / "questions.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    """The script as a module; `examples` is no package."""
    spec = importlib.util.spec_from_file_location("memu_demo", EXAMPLES / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def messages(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((CONVERSATIONS / name).read_text(encoding="utf-8"))
    return loaded


def answers(output: str) -> dict[str, str]:
    """The lines under each question."""
    blocks = output.split("\n? ")[1:]
    return {block.partition("\n")[0].strip(): block.partition("\n")[2] for block in blocks}


def test_the_shipped_conversations_answer_their_questions(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "demo.py")]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    found = answers(done.stdout)
    asked = [one["question"] for questions in QUESTIONS.values() for one in questions]
    assert list(found) == asked
    assert [question for question in asked if "✓" not in found[question]] == []
    assert done.stdout.count("the block for a prompt") == 2
    assert "What is remembered" in done.stdout
    assert "记忆" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_ones_own_is_asked_what_one_likes(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    path = CONVERSATIONS / "kitchen_meeting.txt"

    code = demo.main([str(path), "--ask", "When does the mixer arrive?", "--ask", "Who was in Lyon?"])

    found = answers(capsys.readouterr().out)
    assert code == 0
    assert found["When does the mixer arrive?"].split(maxsplit=1)[1].startswith("Tom: The new dough mixer")
    assert found["Who was in Lyon?"].split(maxsplit=1)[1].startswith("Ines: I will. I worked")


def test_questions_are_made_up_for_a_file_that_nobody_asked(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    code = demo.main([str(CONVERSATIONS / "garden_notebook.md")])

    found = answers(capsys.readouterr().out)
    assert code == 0
    assert len(found) == 5
    assert "strawberry" in found["What do you know about Otto?"]


def test_a_missing_file_is_told_without_a_traceback(
    demo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    code = demo.main(["no-such-file.txt"])

    error = capsys.readouterr().err
    assert code == 1
    assert "no-such-file.txt" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_messages_have_ids_and_times_in_order(name: str) -> None:
    known = messages(name)
    times = [datetime.fromisoformat(message["created_at"]) for message in known]

    assert len({message["id"] for message in known}) == len(known) >= 40
    assert times == sorted(times)
    assert all(time.tzinfo for time in times)
    assert len({time.date() for time in times}) >= 4
    assert all(message["name"] and message["content"] for message in known)


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_five_questions_name_the_messages_that_answer(name: str) -> None:
    ids = {message["id"] for message in messages(name)}

    assert len(QUESTIONS[name]) == 5
    assert all(one["expected"] and set(one["expected"]) <= ids for one in QUESTIONS[name])
