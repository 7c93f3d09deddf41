"""`memu memorize` of exports, folders and zips: what it tells first, what it takes in, what it leaves out."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu

from memu_py.testing.exports import WHATSAPP, as_bytes, chatgpt, telegram, zipped

FILES: dict[str, Any] = {
    "gpt/conversations.json": [chatgpt("c1"), chatgpt("c2", "旅行 [bold]")],
    "result.json": telegram(),
    "notes.md": "# Garden\n\nThe roses need water on Mondays.\n",
    "thanks.txt": "Thank you!\n",
    "blob.bin": bytes(range(256)) * 8,
    ".DS_Store": bytes(10),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("MEMU_CONFIG", "COLUMNS", "FORCE_COLOR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "export.zip").write_bytes(zipped(FILES))
    return tmp_path


def rows(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


def test_a_dry_run_tells_what_there_is_and_makes_no_database(memu: Memu, folder: Path) -> None:
    code, out, err = memu("memorize", "export.zip", "--dry-run")
    assert code == 0
    assert rows(out) == [
        ["resource", "kind", "messages", "first", "last", "bytes"],
        ["Trip to Rome", "chatgpt", "2", "2023-05-08", "2023-05-08", ""],
        ["旅行 [bold]", "chatgpt", "2", "2023-05-08", "2023-05-08", ""],
        ["小美", "telegram", "1", "2023-05-08", "2023-05-08", ""],
        ["export.zip/notes.md", "markdown", "", "", "", "43"],
        ["export.zip/thanks.txt", "text", "", "", "", "11"],
    ]
    assert "Left out: export.zip/blob.bin: this looks like binary data, which nothing here reads\n" in err
    assert "3 conversations with 5 messages, 2 other files. Nothing is stored." in err
    assert sorted(path.name for path in folder.iterdir()) == ["config.yaml", "export.zip"]
    found = json.loads(memu("memorize", "export.zip", "--dry-run", "--json")[1])
    assert [one["url"] for one in found["conversations"]] == ["chatgpt:c1", "chatgpt:c2", "telegram:4711"]
    assert (len(found["files"]), len(found["left_out"])) == (2, 1)
    assert memu("memorize", "-", "--dry-run")[0] == 1


def test_a_zip_is_taken_in_and_again_changes_nothing(memu: Memu) -> None:
    code, out, err = memu("memorize", "export.zip")
    assert code == 0
    assert [(row[0], row[-1]) for row in rows(out)[1:]] == [
        ("chatgpt: Trip to Rome", "stored"),
        ("chatgpt: 旅行 [bold]", "stored"),
        ("telegram: 小美", "stored"),
        ("export.zip/notes.md", "stored"),
        ("export.zip/thanks.txt", "nothing to remember"),
    ]
    assert "DS_Store" not in out + err
    assert "上海" in memu("items")[1]
    out = memu("memorize", "export.zip")[1]
    assert {row[-1] for row in rows(out)[1:]} == {"unchanged"}


def test_one_importer_may_be_asked_for(memu: Memu) -> None:
    code, out, err = memu("memorize", "export.zip", "--importer", "telegram")
    assert code == 0
    assert [row[0] for row in rows(out)[1:]] == ["telegram: 小美"]
    assert "an export of chatgpt, and only telegram is asked for" in err
    assert "Left out: export.zip/notes.md: only exports of telegram are asked for" in err
    code, _, err = memu("memorize", "export.zip", "--importer", "telegramm")
    assert (code, "did you mean `telegram`" in err) == (1, True)


def test_an_export_may_be_named_by_its_own_file(memu: Memu, folder: Path) -> None:
    (folder / "WhatsApp Chat with Ann.txt").write_text(WHATSAPP, encoding="utf-8")
    (folder / "conversations.json").write_bytes(as_bytes([chatgpt()]))
    code, out, _ = memu("memorize", "WhatsApp Chat with Ann.txt", "conversations.json", "--json")
    found = json.loads(out)
    assert code == 0
    assert [one["path"] for one in found] == ["whatsapp: Ann", "chatgpt: Trip to Rome"]
    assert [one["resource"]["url"] for one in found] == ["whatsapp:Ann", "chatgpt:c1"]


def test_what_a_folder_holds_and_nobody_reads_is_no_failure_but_what_is_damaged_is(
    memu: Memu, folder: Path
) -> None:
    mixed = folder / "mixed"
    mixed.mkdir()
    (mixed / "a.txt").write_text("Ann keeps bees.")
    (mixed / "b.bin").write_bytes(bytes(range(256)))
    code, out, err = memu("memorize", "mixed", "--json")
    assert (code, err.strip()) == (0, "")
    assert [("left_out" in one, one["path"]) for one in json.loads(out)] == [
        (False, "mixed/a.txt"),
        (True, "mixed/b.bin"),
    ]
    (mixed / "bad.zip").write_bytes(b"PK\x03\x04" + bytes(60))
    code, out, err = memu("memorize", "mixed")
    assert code == 1
    assert [row[-1] for row in rows(out)[1:]] == ["unchanged", "failed"]
    assert "Error: mixed/bad.zip: mixed/bad.zip is no usable zip" in err
    assert memu("memorize", "mixed/b.bin")[0] == 1


def test_paths_that_nobody_means_or_can_be_are_told_at_once(memu: Memu, folder: Path) -> None:
    (folder / "a.txt").write_text("Ann keeps bees.")
    for name, message in (
        ("", "the path is empty"),
        ("  ", "the path is empty"),
        ("~nouser/x", "~nouser/x is no usable path"),
        ("n" * 300, "is no usable path: File name too long"),
        ("n" * 300 + "/x", "is no usable path: File name too long"),
    ):
        for more in ([], ["--dry-run"]):
            code, out, err = memu("memorize", "a.txt", name, *more)
            assert (code, out) == (1, "")
            assert message in " ".join(err.split())
            assert "Traceback" not in err
    assert memu("items")[1] == ""


def test_no_wait_writes_each_conversation_down(memu: Memu) -> None:
    code, out, err = memu("memorize", "export.zip", "--no-wait")
    assert (code, "memu worker" in err) == (0, True)
    assert [(row[0], row[2]) for row in rows(out)[1:3]] == [
        ("chatgpt: Trip to Rome", "queued"),
        ("chatgpt: 旅行 [bold]", "queued"),
    ]
    assert memu("worker", "--once")[0] == 0
    assert "peanuts" in memu("items")[1]


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(memu: Memu, folder: Path) -> None:
    many = [chatgpt(f"c{number}", f"Talk {number}") for number in range(60)]
    (folder / "conversations.json").write_bytes(as_bytes(many))
    kit = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "memu_py.cli", "memorize", "conversations.json"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": kit, "FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "COLUMNS": "200"},
    )
    assert process.stderr is not None
    shown = b""
    while b"[3/60]" not in shown:
        shown += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"run the same command again to go on" in err
    assert b"Traceback" not in err
    code, out, _ = memu("memorize", "conversations.json")
    verdicts = [row[-1] for row in rows(out)[1:]]
    assert (code, len(verdicts)) == (0, 60)
    assert verdicts[:2] == ["unchanged", "unchanged"]
    assert verdicts[-1] == "stored"


def test_the_memorys_own_files_are_not_taken_in(
    memu: Memu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.chdir(own)
    (own / "config.yaml").write_text(CONFIG)
    (own / "chat.txt").write_text("Ann: I moved to Lisbon.\nBen: My sister plays the cello.\n")

    first = memu("memorize", ".")
    again = memu("memorize", ".")

    assert (first[0], again[0]) == (0, 0)
    assert (own / "memu.db.blobs").is_dir()
    assert again[2].strip() == ""
    rows = [line.split("\t") for line in again[1].splitlines()[1:]]
    assert [(row[0], row[-1]) for row in rows] == [("./chat.txt", "unchanged")]
