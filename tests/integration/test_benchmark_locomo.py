"""The recall benchmark, run as a person runs it, on a small conversation."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo import SYSTEMS, parse

ROOT = Path(__file__).parents[2]
TEXTS = (
    "Good morning!",
    "I adopted a greyhound called Biscuit last week.",
    "My sister plays the cello in Porto.",
    "I work at a wind farm and fix the turbines.",
    "On Tuesdays I go to a pottery class.",
)


def conversation() -> dict[str, Any]:
    turns = [
        {"id": f"D1:{number}", "speaker": ("Ann", "Leo")[number % 2], "text": text}
        for number, text in enumerate(TEXTS)
    ]
    questions = [
        {"question": "Who is Biscuit?", "category": 4, "evidence": ["D1:1"]},
        {
            "question": "What do they play in Porto, and where do they work?",
            "category": 1,
            "evidence": ["D1:2", "D1:3"],
        },
    ]
    sessions = [{"n": 1, "date_time": "2024-03-08T13:56:00", "turns": turns}]
    return {"id": "conv-1", "sessions": sessions, "questions": questions}


def locomo(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "locomo.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "conv-1.json").write_text(json.dumps(conversation()), encoding="utf-8")
    return folder


def test_every_system_is_scored_with_and_without_the_gate(tmp_path: Path, data: Path) -> None:
    done = locomo("--data", str(data), "--json", "figures.json", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert set(figures["systems"]) == set(SYSTEMS)
    overall = figures["systems"]["default"]["overall"]
    assert overall["recall@10"] == 1.0
    assert overall["questions"] == 2
    assert set(figures["systems"]["default"]["by_category"]) == {"1", "4"}
    gate, everything = figures["runs"]["value gate"], figures["runs"]["every turn kept"]
    assert (gate["items"], everything["items"], gate["turns"]) == (4, 5, 5)
    assert figures["systems"] == gate["systems"]
    assert "| default | 1.000 |" in done.stdout
    assert "4 single-hop" in done.stdout


def test_systems_and_the_gate_can_be_chosen(tmp_path: Path, data: Path) -> None:
    done = locomo(
        "--data", str(data), "--systems", "keyword", "--keep-all", "--json", "f.json", folder=tmp_path
    )

    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert set(figures["systems"]) == {"keyword"}
    assert list(figures["runs"]) == ["every turn kept"]


def test_a_config_of_ones_own_is_used_but_not_its_database(tmp_path: Path, data: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("database: {path: ./mine.db}\nretrieve: {profile: similarity}\n", encoding="utf-8")

    done = locomo("--data", str(data), "--config", str(config), "--systems", "default", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "mine.db").exists()


def test_a_folder_without_conversations_is_told_without_a_traceback(tmp_path: Path) -> None:
    done = locomo("--data", str(tmp_path), folder=tmp_path)

    assert done.returncode == 2
    assert "no conversation" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_system_names_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--data", ".", "--systems", "cosine,vector"])

    assert "vector: there are cosine, keyword, default" in capsys.readouterr().err
