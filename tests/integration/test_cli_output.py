"""What the command line prints into pipes, files and terminals."""

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_kit import CONFIG, Memu, take

from memu_py.cli.app import main, run
from memu_py.cli.console import print_json, tolerate

LONG = "Ann " + "really " * 25 + "likes tea."
KIT = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("MEMU_CONFIG", "COLUMNS", "FORCE_COLOR", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.yaml").write_text(CONFIG)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    paths = os.pathsep.join([KIT, os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, **more}


# Pipes


def test_a_pipe_gets_whole_lines_parted_by_tabs_without_colours(memu: Memu) -> None:
    take(memu, "a.txt", LONG)
    (item,) = json.loads(memu("items", "--json")[1])["records"]
    _, out, _ = memu("items")
    assert "\x1b" not in out
    heads, row = [line.split("\t") for line in out.splitlines()]
    assert heads == ["id", "type", "said", "×", "memory"]
    assert row == [item["id"], "knowledge", "", "1", LONG]
    lines = memu("history", item["id"])[1].splitlines()
    assert [line.split("\t")[2] for line in lines] == ["what", "create"]
    found = memu("retrieve", "tea")[1].splitlines()[1].split("\t")
    assert found[1] == LONG
    assert len(found) == 7
    summary = memu("memorize", "a.txt")[1].splitlines()[1].split("\t")
    assert summary == ["a.txt", "1", "0", "0", "0", "0", "unchanged"]
    assert (
        any(LONG in line for line in memu("categories")[1].splitlines()) or "summary" in memu("categories")[1]
    )


def test_what_people_wrote_is_printed_as_they_wrote_it(memu: Memu) -> None:
    text = "Ann wrote :coffee: and [bold]not bold[/bold] and [red] in her diary."
    take(memu, "a.txt", text)
    assert text in memu("items")[1]
    assert text in memu("retrieve", "diary")[1]
    assert text in memu("retrieve", "diary", "--context")[1]
    assert json.loads(memu("items", "--json")[1])["records"][0]["text"] == text


def test_a_text_of_several_lines_is_one_row(memu: Memu) -> None:
    take(memu, "a.txt", "Ann likes tea\nand she owns\ta boat.")
    assert len(memu("items")[1].splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["memorize", "a.txt", "b.bin", "--json"], list),
        (["retrieve", "nothing like it", "--json"], dict),
        (["items", "--json"], dict),
        (["items", "--user", "nobody", "--json"], dict),
        (["categories", "--json"], dict),
        (["workflows", "show", "--json"], dict),
        (["plugins", "--json"], list),
        (["doctor", "--json"], list),
    ],
)
def test_json_is_always_one_document(memu: Memu, arguments: list[str], kind: type) -> None:
    take(memu, "a.txt", "我喜欢红茶。")
    Path("b.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    _, out, _ = memu(*arguments)

    def refuse(constant: str) -> Any:
        pytest.fail(f"{constant} is no JSON")

    assert isinstance(json.loads(out, parse_constant=refuse), kind)


def test_json_of_a_memorize_tells_each_file_and_its_error(memu: Memu) -> None:
    Path("a.txt").write_text("Ann likes tea.")
    Path("b.bin").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    code, out, _ = memu("memorize", "a.txt", "b.bin", "--json")
    good, bad = json.loads(out)
    assert (code, good["path"], good["outcomes"][0]["status"]) == (1, "a.txt", "stored")
    assert (bad["path"], "PNG" in bad["error"]) == ("b.bin", True)


def test_an_output_that_cannot_say_chinese_gets_escapes_and_no_traceback(
    memu: Memu, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(memu, "a.txt", "我喜欢红茶🍵。")
    for arguments in (["items"], ["items", "--json"]):
        written = io.BytesIO()
        with monkeypatch.context() as patch, io.TextIOWrapper(written, encoding="ascii") as stream:
            patch.setattr(sys, "stdout", stream)
            tolerate()
            assert run(arguments) == 0
            stream.flush()
            shown = written.getvalue()
        assert b"\\u6211" in shown
    assert json.loads(shown)["records"][0]["text"] == "我喜欢红茶🍵。"


def test_a_reader_that_goes_away_early_is_no_error_to_shout_about(memu: Memu, folder: Path) -> None:
    take(memu, "a.txt", "\n\n".join(f"Guest {n} brought dish number {n}." for n in range(300)))
    with subprocess.Popen(
        [sys.executable, "-m", "memu_py.cli", "items", "--limit", "1000", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(60) in (0, 1)
    assert b"Traceback" not in err
    assert b"BrokenPipe" not in err


def on_a_terminal(folder: Path, width: int, *arguments: str) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "memu_py.cli", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment(COLUMNS=str(width), TERM="xterm-256color"),
    ) as process:
        os.close(theirs)
        found = bytearray()
        try:
            while part := os.read(ours, 65536):
                found += part
        except OSError:
            pass  # the other end is closed: this is how a terminal ends
        os.close(ours)
        assert process.wait(60) == 0
    return found.decode()


def test_a_terminal_gets_a_table_that_fits_cuts_nothing_and_is_not_steered(memu: Memu, folder: Path) -> None:
    text = "我喜欢喝美式咖啡，不加糖不加奶，每周五会去星巴克，坐在窗边看书，一直看到很晚才回家。"
    chat = [{"role": "user", "content": text + "\x1b]0;owned\x07"}]
    take(memu, "chat.json", json.dumps(chat))
    (item,) = json.loads(memu("items", "--json")[1])["records"]
    shown = on_a_terminal(folder, 80, "items")
    assert "\x1b[1m" in shown
    assert item["id"] in shown
    assert "…" not in shown
    assert "".join(one for one in shown if 0x2E80 < ord(one) < 0xFFF0) == text
    context = on_a_terminal(folder, 80, "retrieve", "咖啡", "--context")
    assert any(text in line for line in context.splitlines())
    for output in (shown, context, memu("items")[1], memu("retrieve", "咖啡")[1]):
        assert "\x1b]" not in output
        assert "\x07" not in output


# Input


def test_an_empty_folder_and_a_missing_file_are_told_before_anything_is_read(
    memu: Memu, folder: Path
) -> None:
    (folder / "empty").mkdir()
    Path("a.txt").write_text("Ann likes tea.")
    for arguments, message in (
        (["a.txt", "empty"], "there is no file in empty"),
        (["a.txt", "none.txt"], "there is no file none.txt"),
    ):
        code, out, err = memu("memorize", *arguments)
        assert (code, out) == (1, "")
        assert message in err
    assert memu("items")[1] == ""


def test_a_file_that_cannot_be_read_does_not_keep_the_others_out(memu: Memu, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "empty.txt").write_text("")
    Path("a.txt").write_text("Ann likes tea.")
    code, out, err = memu("memorize", "pipe", "empty.txt", "a.txt")
    assert code == 1
    assert [line.split("\t")[-1] for line in out.splitlines()[1:]] == ["failed", "failed", "stored"]
    assert "pipe: " in err
    assert "no regular file" in err
    assert "likes tea" in memu("items")[1]


def test_many_files_come_once_each_with_their_paths(memu: Memu, folder: Path) -> None:
    for name in ("one", "two"):
        (folder / "notes" / name).mkdir(parents=True)
        for number in range(15):
            (folder / "notes" / name / f"{number}.txt").write_text(f"Note {number} of {name} is here.")
    code, out, _ = memu("memorize", "notes", "notes/one/3.txt", str(folder / "notes"))
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert code == 0
    assert len(rows) == 30
    assert {row[0] for row in rows} == {f"notes/{name}/{n}.txt" for name in ("one", "two") for n in range(15)}


def test_pages_go_on_by_the_cursor_that_is_printed(memu: Memu) -> None:
    take(memu, "a.txt", "\n\n".join(f"Guest {n} brought dish number {n}." for n in range(5)))
    seen: list[str] = []
    more: list[str] = []
    for size in (2, 2, 1):
        code, out, err = memu("items", "--limit", "2", *more)
        assert code == 0
        rows = out.splitlines()[1:]
        assert len(rows) == size
        seen += [row.split("\t")[0] for row in rows]
        more = ["--cursor", err.split("--cursor ")[1].strip()] if "--cursor" in err else []
    assert more == []
    assert len(set(seen)) == 5
    code, _, err = memu("items", "--cursor", "nonsense")
    assert (code, "cursor" in err) == (1, True)


def test_the_scope_is_what_is_named_then_the_configured_then_local(memu: Memu, folder: Path) -> None:
    take(memu, "a.txt", "Ann likes tea.")
    (item,) = json.loads(memu("items", "--json")[1])["records"]
    assert item["scope"] == {"user": "local"}
    (folder / "config.yaml").write_text(CONFIG + "scope: {default: {user: ann, agent: bot}}\n")
    take(memu, "b.txt", "Ann owns a boat.", "--session", "s1")
    (item,) = json.loads(memu("items", "--json")[1])["records"]
    assert item["scope"] == {"user": "ann", "agent": "bot", "session": "s1"}
    assert "tea" in memu("items", "--user", "local")[1]
    assert memu("items", "--user", "ann", "--agent", "other")[1] == ""


def test_days_are_those_of_the_users_zone(memu: Memu, folder: Path) -> None:
    (folder / "config.yaml").write_text(CONFIG + "timezones: {mei: Asia/Shanghai}\n")
    chat = [{"role": "user", "content": "I like tea.", "created_at": "2026-03-02T20:00:00Z"}]
    for user, day in (("mei", "2026-03-03"), ("ann", "2026-03-02")):
        take(memu, "chat.json", json.dumps(chat), "--user", user)
        assert memu("items", "--user", user)[1].splitlines()[1].split("\t")[2] == day
        assert memu("retrieve", "tea", "--user", user)[1].splitlines()[1].split("\t")[2] == day


class Interrupted(io.BytesIO):
    """An input at which somebody presses Ctrl-C."""

    def read(self, size: int | None = -1) -> bytes:
        raise KeyboardInterrupt


def test_ctrl_c_while_waiting_for_input_ends_with_130(memu: Memu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    code, out, err = memu("memorize", "-")
    assert (code, out) == (130, "")
    assert err.startswith("Stopped.")


# Commands


def test_the_command_ends_with_the_exit_code_of_what_ran(
    memu: Memu, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["memu", "history", "none"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "no history" in capsys.readouterr().err


def test_a_stream_that_is_no_file_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    tolerate()
    print_json({"tea": "茶"})
    assert json.loads(written.getvalue()) == {"tea": "茶"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["history", "none"], "no history of 'none'"),
        (["workflows", "show", "memorise"], "did you mean `memorize`"),
        (["workflows", "check", "none.yaml"], "none.yaml"),
        (["memorize", "a.txt", "--timezone", "Mars"], "Mars"),
        (["memorize", "a.txt", "--modality", "txt"], "txt"),
        (["items", "--user", ""], "cannot be empty"),
        (["items", "--type", "fact", "--cursor", "x"], "cursor"),
    ],
)
def test_a_mistake_is_one_error_and_exit_code_1(memu: Memu, arguments: list[str], message: str) -> None:
    Path("a.txt").write_text("Ann likes tea.")
    code, _, err = memu(*arguments)
    assert code == 1
    assert message in err
    assert "Error:" in err
    assert "Traceback" not in err


def test_settings_of_steps_are_shown_where_they_differ(memu: Memu, folder: Path) -> None:
    (folder / "config.yaml").write_text(
        CONFIG
        + "workflows:\n  memorize:\n    steps:\n"
        + "      - {use: assess_value, with: {keep: all}}\n"
        + "      - extract_entities\n"
        + "      - {use: drop_drafts, name: privacy, with: {containing: x}, on_error: skip, when: {modality: text}}\n"
        + "      - update_categories\n"
    )
    code, out, err = memu("workflows", "show", "memorize")
    assert (code, err) == (0, "")
    rows = {line.split("\t")[1]: line.split("\t")[3] for line in out.splitlines()[2:]}
    assert rows["assess_value"] == "keep='all'"
    assert "use=drop_drafts" in rows["privacy"]
    assert "on_error=skip" in rows["privacy"]
    assert "when=" in rows["privacy"]
    retrieve = memu("workflows", "show", "retrieve_rag")[1]
    assert retrieve.count("∥") == 6
