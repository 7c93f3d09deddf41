"""`memu watch` and `memu due`, and the share of memories that were used."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take

HERE = Path(__file__).parent
NOTE = "I will fly to Rome tomorrow, says Ann.\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    Path("config.yaml").write_text(CONFIG)
    return tmp_path


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_file_is_taken_in_and_tells_what_comes_next(memu: Memu) -> None:
    take(memu, "note.txt", "Ann plays the cello in Porto.\n")
    Path("chat.jsonl").write_text('{"role": "user", "content": "Where is my cello?"}\n')
    code, out, err = memu("watch", "chat.jsonl", "--once")

    assert code == 0, err
    assert out.splitlines()[0] == "Likely next: places: Ann plays the cello in Porto."
    assert "Ann plays the cello in Porto." in out.splitlines()[1]
    (told,) = lines(memu("watch", "chat.jsonl", "--once", "--json", "--needs", "1")[1])
    assert (told["turns"], told["added"], len(told["intent"]["needs"])) == (1, 0, 1)
    assert told["intent"]["by"] == "statistic"


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        ('{"role": "user", "content": "I own a cello"}\nplain words\n', ["I own a cello", "plain words"]),
        ("Ann: I own a cello\nBen: I own a boat\n", ["Ann: I own a cello", "Ben: I own a boat"]),
        ("小李：我有一把大提琴\n小王：我也有\n", ["小李: 我有一把大提琴", "小王: 我也有"]),
        ("I own a cello\n\n{not json\n", ["I own a cello", "{not json"]),
    ],
    ids=["json", "english", "chinese", "plain"],
)
def test_standard_input_is_read_line_by_line(
    memu: Memu, monkeypatch: pytest.MonkeyPatch, typed: str, texts: list[str]
) -> None:
    type_in(monkeypatch, typed)
    code, out, err = memu("watch", "-", "--json", "--conversation", "talk")
    assert code == 0, err
    assert lines(out)[-1]["turns"] == len(texts)

    # The same conversation goes on, and what is said again is another turn.
    type_in(monkeypatch, typed + typed.splitlines()[0] + "\n")
    assert lines(memu("watch", "-", "--json", "--conversation", "talk")[1])[-1]["turns"] == len(texts) + 1
    rows = json.loads(memu("items", "--json")[1])["records"]
    found = [f"{one['speaker']}: {one['text']}" if one["speaker"] else one["text"] for one in rows]
    assert sorted(found) == sorted(texts)


def test_each_run_over_standard_input_is_a_conversation_of_its_own(
    memu: Memu, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = set()
    for _ in range(2):
        type_in(monkeypatch, "I own a cello\n")
        ids.add(lines(memu("watch", "-", "--json")[1])[0]["resource_id"])

    assert len(ids) == 2


def test_nothing_to_watch(memu: Memu, monkeypatch: pytest.MonkeyPatch) -> None:
    assert memu("watch", "missing.txt")[0] == 1
    type_in(monkeypatch, "\n")
    assert memu("watch", "-")[:2] == (0, "")
    type_in(monkeypatch, "I own a cello\n")
    assert "Nothing can be told yet." in memu("watch", "-")[2]
    assert memu("watch", "-", "--modality", "text")[0] == 1


def test_a_file_that_grows_is_followed_until_ctrl_c(memu: Memu) -> None:
    take(memu, "note.txt", "Ann plays the cello in Porto.\n")
    chat = Path("chat.jsonl")
    chat.write_text('{"role": "user", "content": "Where is my cello?"}\n{"role": "us')
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "memu_py.cli", "watch", "chat.jsonl", "--json"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as watching:
        try:
            assert watching.stderr is not None
            assert watching.stdout is not None
            assert watching.stderr.readline().startswith("Watching")
            chat.write_text('{"role": "user", "content": "Where is my cello?"}\n')
            first = json.loads(watching.stdout.readline())
            with chat.open("a") as growing:
                growing.write('{"role": "user", "content": "And the bow?"}\n')
            second = json.loads(watching.stdout.readline())
            watching.send_signal(signal.SIGINT)
            rest = watching.stderr.read()
        finally:
            watching.kill()
    assert [one["turns"] for one in (first, second)] == [1, 2]
    assert first["resource_id"] == second["resource_id"]
    assert watching.returncode == 130
    assert rest.startswith("Stopped.")
    assert "Traceback" not in rest


def test_ctrl_c_ends_it_while_it_waits_for_input(memu: Memu) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "memu_py.cli", "watch", "-"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as watching:
        try:
            assert watching.stderr is not None
            assert watching.stderr.readline().startswith("Watching")
            began = time.monotonic()
            watching.send_signal(signal.SIGINT)
            rest = watching.stderr.read()
        finally:
            watching.kill()
    assert (watching.returncode, rest.splitlines()[:1]) == (
        130,
        ["Stopped. What was already written stays; run the same command again to go on."],
    )
    assert time.monotonic() - began < 10


def test_what_is_due_is_shown_until_it_is_taken(memu: Memu) -> None:
    assert "Nothing is due." in memu("due")[2]
    take(memu, "note.txt", NOTE)
    code, out, _ = memu("due", "--within", "3")
    assert code == 0
    assert out.splitlines()[1].split("\t")[1:] == ["plan", "", NOTE.strip()]
    (told,) = json.loads(memu("due", "--take", "--json")[1])
    assert (told["occasion"]["kind"], told["item"]["text"]) == ("plan", NOTE.strip())
    assert memu("due")[1] == ""
    assert memu("due", "--user", "ben", "--told")[1] == ""
    assert NOTE.strip() in memu("due", "--told", "--overdue")[1]


def test_a_worker_looks_for_what_is_due(memu: Memu) -> None:
    take(memu, "note.txt", NOTE)
    assert "1 jobs ended" in memu("worker", "--once")[2]
    (job,) = json.loads(memu("jobs", "list", "--json")[1])["records"]
    assert (job["kind"], job["status"], job["result"]["added"]) == ("scan", "done", 1)
    assert "0 jobs ended" in memu("worker", "--once")[2]


def test_usage_says_how_much_was_used(memu: Memu) -> None:
    take(memu, "note.txt", NOTE)
    assert "Memories:" not in memu("usage")[2]
    memu("retrieve", "Who flies to Rome?")
    assert "Memories: 1 retrieved, 0 told to be used (0%)." in memu("usage")[2]
    told = json.loads(memu("usage", "--json")[1])
    assert (told["memories"]["retrieved"], told["share_used"]) == (1, 0.0)
