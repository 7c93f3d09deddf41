"""The command line as people use it: what it prints, where, and with which exit code."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_kit import Memu, take

CHAT = Path(__file__).parents[2] / "examples" / "conversations" / "ann_and_leo.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMU_CONFIG", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_memorize_then_retrieve_a_file_from_anywhere(memu: Memu) -> None:
    code, out, _ = memu("memorize", str(CHAT))
    assert code == 0
    assert "ann_and_leo.json" in out
    assert "stored" in out
    code, out, _ = memu("memorize", str(CHAT))
    assert (code, "unchanged" in out) == (0, True)
    questions = json.loads(CHAT.with_name("questions.json").read_text())
    assert questions
    code, out, _ = memu("retrieve", "Where did Ann move?", "--json")
    assert code == 0
    assert json.loads(out)["items"]


def test_text_files_in_english_and_chinese(memu: Memu, folder: Path) -> None:
    (folder / "en.txt").write_text("Ann is allergic to peanuts.\n")
    (folder / "zh.txt").write_text("我喜欢喝美式咖啡，不加糖不加奶。每周五会去星巴克。\n")
    assert memu("memorize", "en.txt", "zh.txt")[0] == 0
    code, out, _ = memu("retrieve", "用户喜欢什么类型的咖啡？", "--json")
    assert "美式咖啡" in json.loads(out)["items"][0]["record"]["text"]
    code, out, _ = memu("retrieve", "peanut allergy")
    assert (code, "allergic to peanuts" in out) == (0, True)
    code, out, _ = memu("retrieve", "peanut allergy", "--context")
    assert "What is remembered" in out
    assert "allergic to peanuts" in out


def test_a_folder_is_taken_in_file_by_file_and_hidden_ones_are_left(memu: Memu, folder: Path) -> None:
    notes = folder / "notes"
    (notes / "deep").mkdir(parents=True)
    (notes / "deep" / "a.md").write_text("# Garden\n\nThe roses need water.\n")
    (notes / ".hidden").write_text("secret\n")
    (notes / "b.bin").write_bytes(b"\x7fELF\x02" + bytes(100))
    code, out, err = memu("memorize", "notes")
    assert code == 0
    assert "b.bin" not in out
    assert "Left out: notes/b.bin: this looks like a program" in err
    assert memu("memorize", "notes/b.bin")[0] == 1
    assert "roses" in memu("items")[1]
    assert "secret" not in memu("items")[1]


def test_items_categories_and_history_in_tables_and_json(memu: Memu, folder: Path) -> None:
    (folder / "a.txt").write_text("My favourite dish is ramen.\n\nI run every morning.\n")
    memu("memorize", "a.txt")
    items = json.loads(memu("items", "--json")[1])["records"]
    assert [item["text"] for item in items]
    assert "ramen" in memu("items")[1]
    assert memu("items", "--type", "event")[2].startswith("Nothing here yet")
    first = memu("items", "--limit", "1", "--json")[1]
    code, out, err = memu("items", "--limit", "1")
    if json.loads(first)["next_cursor"]:
        assert "--cursor" in err
    code, out, _ = memu("history", items[0]["id"])
    assert (code, "create" in out) == (0, True)
    assert json.loads(memu("history", items[0]["id"], "--json")[1])[0]["op"] == "create"
    assert json.loads(memu("categories", "--json")[1])["records"]
    assert "items" in memu("categories")[1]


def test_users_are_apart(memu: Memu, folder: Path) -> None:
    (folder / "a.txt").write_text("Ann owns a kayak.\n")
    memu("memorize", "a.txt", "--user", "ann")
    assert memu("retrieve", "kayak", "--user", "bob")[1] == ""
    assert "kayak" in memu("retrieve", "kayak", "--user", "ann")[1]


def test_standard_input(memu: Memu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ann owns a kayak.\n")))
    code, out, _ = memu("memorize", "-")
    assert (code, "standard input" in out) == (0, True)
    assert "kayak" in memu("items")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["memorize", "none.txt"], 1, "there is no file none.txt"),
        (["history", "nothing"], 1, "no history"),
        (["retrieve", "x", "--profile", "best"], 1, "no scoring profile `best`"),
        (["retrieve", "x", "--config", "none.yaml"], 1, "none.yaml"),
        (["retrieve"], 2, "Missing argument"),
        (["retrieve", "x", "--top-k", "0"], 2, "--top-k"),
        (["remember"], 2, "No such command"),
        (["retrieve", " "], 1, "a query is text"),
    ],
)
def test_mistakes_are_told_on_standard_error_without_a_traceback(
    memu: Memu, arguments: list[str], code: int, message: str
) -> None:
    found, out, err = memu(*arguments)
    assert (found, out) == (code, "")
    assert message in err.replace("\n", " ")
    assert "Traceback" not in err


def test_a_typo_in_the_yaml_is_told_with_file_line_and_nearest_name(memu: Memu, folder: Path) -> None:
    (folder / "config.yaml").write_text("database:\n  backnd: sqlite\n")
    code, _, err = memu("items")
    assert code == 1
    assert "config.yaml:2" in err
    assert "backend" in err


def test_an_unknown_step_is_told_with_its_line(memu: Memu, folder: Path) -> None:
    (folder / "config.yaml").write_text("workflows:\n  memorize:\n    steps:\n      - extract_entitys\n")
    code, _, err = memu("items")
    assert code == 1
    assert "config.yaml:4" in err
    assert "extract_entities" in err


def test_a_missing_key_is_told_when_it_is_needed(
    memu: Memu, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (folder / "config.yaml").write_text(
        'llm:\n  default: {provider: openai, model: gpt-4o, api_key: "${OPENAI_API_KEY}"}\n'
        "embedding: {backend: openai, model: text-embedding-3-small}\n"
    )
    assert memu("items")[0] == 0
    (folder / "a.txt").write_text("Ann owns a kayak.\n")
    code, _, err = memu("memorize", "a.txt")
    assert code == 1
    assert "OPENAI_API_KEY" in err
    code, out, _ = memu("doctor")
    assert "missing" in out
    assert "OPENAI_API_KEY" in out


def test_doctor_tells_what_is_there(memu: Memu, folder: Path) -> None:
    code, out, _ = memu("doctor")
    assert code == 0
    assert "sqlite" in out
    assert "512 dimensions" in out
    assert {one["what"] for one in json.loads(memu("doctor", "--json")[1])} >= {"database", "embedder"}
    (folder / "config.yaml").write_text("timezone: Mars\n")
    code, out, _ = memu("doctor")
    assert (code, "wrong" in out) == (1, True)


def test_workflows_are_shown_and_checked(memu: Memu, folder: Path) -> None:
    code, out, _ = memu("workflows", "show", "memorize")
    assert code == 0
    assert out.index("ingest_resource") < out.index("persist") < out.index("build_response")
    shown = json.loads(memu("workflows", "show", "--json")[1])
    assert set(shown) == {"maintain", "memorize", "retrieve_rag", "retrieve_llm"}
    good = folder / "good.yaml"
    good.write_text((Path(__file__).parents[2] / "workflows" / "memorize.yaml").read_text())
    assert "fine, 10 steps" in memu("workflows", "check", str(good))[1]
    bad = folder / "bad.yaml"
    bad.write_text("name: memorize\nsteps:\n  - ingest_resource\n  - presist\n")
    code, _, err = memu("workflows", "check", str(bad))
    assert code == 1
    assert "bad.yaml:4" in err
    (folder / "other.yaml").write_text("name: other\nsteps: [a]\n")
    assert "one of memorize, maintain, retrieve_rag" in memu("workflows", "check", "other.yaml")[2].replace(
        "\n", " "
    )


def test_plugins_are_listed_with_what_they_bring(memu: Memu) -> None:
    code, out, _ = memu("plugins")
    assert code == 0
    assert "builtin" in out
    assert "extract_entities" in out
    rows = json.loads(memu("plugins", "--json")[1])
    assert "bundled" in rows[0]["registers"]["embedder"]


def test_migrate_and_reindex(memu: Memu, folder: Path) -> None:
    assert memu("migrate")[0] == 0
    code, out, _ = memu("migrate")
    assert (code, "already" in out) == (0, True)
    (folder / "a.txt").write_text("Ann owns a kayak.\n")
    memu("memorize", "a.txt")
    code, out, _ = memu("reindex")
    assert (code, "Reindexed 1 items." in out) == (0, True)
    assert "kayak" in memu("retrieve", "kayak")[1]


def test_the_version_and_the_help(memu: Memu) -> None:
    assert memu("--version")[1].startswith("memu ")
    assert "memorize" in memu("--help")[1]


def test_ctrl_c_ends_with_130_and_leaves_a_sound_store(memu: Memu, folder: Path) -> None:
    lines = "\n".join(
        f"Visitor {number} came from town {number * 7} and bought {number} apples." for number in range(3000)
    )
    (folder / "long.txt").write_text(lines.replace("\n", "\n\n"))
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "memu_py.cli", "memorize", "long.txt"],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    assert process.stderr is not None
    process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Stopped" in err
    assert b"Traceback" not in err
    assert memu("doctor")[0] == 0


def test_all_that_a_question_calls_to_mind(memu: Memu) -> None:
    assert memu("recall", "Who is Mia?")[2].startswith("Nothing comes to mind.")
    take(memu, "a.txt", "Mia leads the Phoenix project.")

    out = memu("recall", "Who leads the Phoenix project?")[1]
    assert "Mia leads Phoenix project" in out and "- Mia leads the Phoenix project." in out
    told = json.loads(memu("recall", "Who leads the Phoenix project?", "--json")[1])
    assert told["graph"][0]["subject"] == "Mia"
    code, _, err = memu("recall", "Mia", "--as-of", "yesterday")
    assert code == 2 and "Traceback" not in err


def test_what_a_model_could_not_read_is_said_and_is_a_failure(memu: Memu, folder: Path) -> None:
    (folder / "note.txt").write_text("Ann plays the cello.")
    profile = {"provider": "vllm", "base_url": "http://127.0.0.1:9/v1", "model": "m", "max_retries": 0}
    (folder / "config.yaml").write_text(json.dumps({"llm": {"default": profile}}))

    code, out, err = memu("memorize", "note.txt")

    assert code == 1
    assert "partial" in out
    assert "parts that could not be read: 1" in err
    assert "vllm cannot be reached" in err
