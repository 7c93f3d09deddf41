"""The demo, run as a person runs it; and the conversations that come with the project."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
CONVERSATIONS = EXAMPLES / "conversations"
QUESTIONS: dict[str, list[dict[str, Any]]] = json.loads(
    (CONVERSATIONS / "questions.json").read_text(encoding="utf-8")
)


def demo(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "demo.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def messages(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((CONVERSATIONS / name).read_text(encoding="utf-8"))
    return loaded


def answers(output: str) -> dict[str, str]:
    """The lines under each question."""
    blocks = output.split("\n? ")[1:]
    return {block.partition("\n")[0].strip(): block.partition("\n")[2] for block in blocks}


def test_the_shipped_conversations_answer_their_questions(tmp_path: Path) -> None:
    done = demo(folder=tmp_path)

    assert done.returncode == 0, done.stderr
    found = answers(done.stdout)
    asked = [one["question"] for questions in QUESTIONS.values() for one in questions]
    assert list(found) == asked
    assert [question for question in asked if "✓" not in found[question]] == []
    assert done.stdout.count("the block for a prompt") == 2
    assert "What is remembered" in done.stdout
    assert "记忆" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_ones_own_is_asked_what_one_likes(tmp_path: Path) -> None:
    path = CONVERSATIONS / "kitchen_meeting.txt"

    done = demo(
        str(path), "--ask", "When does the mixer arrive?", "--ask", "Who was in Lyon?", folder=tmp_path
    )

    assert done.returncode == 0, done.stderr
    found = answers(done.stdout)
    assert "14th of April" in found["When does the mixer arrive?"].splitlines()[0] + "\n".join(
        found["When does the mixer arrive?"].splitlines()[:2]
    )
    assert "Ines" in found["Who was in Lyon?"].splitlines()[0]


def test_questions_are_made_up_for_a_file_that_nobody_asked(tmp_path: Path) -> None:
    done = demo(str(CONVERSATIONS / "garden_notebook.md"), folder=tmp_path)

    assert done.returncode == 0, done.stderr
    found = answers(done.stdout)
    assert len(found) == 5
    assert "strawberry" in found["What do you know about Otto?"]


def test_a_missing_file_is_told_without_a_traceback(tmp_path: Path) -> None:
    done = demo("no-such-file.txt", folder=tmp_path)

    assert done.returncode == 1
    assert "no-such-file.txt" in done.stderr
    assert "Traceback" not in done.stderr


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
