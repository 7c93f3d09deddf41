"""The recall benchmark, run as a person runs it, on a small conversation."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.locomo import SYSTEMS, main, parse

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


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "conv-1.json").write_text(json.dumps(conversation()), encoding="utf-8")
    return folder


def test_every_system_is_scored_with_and_without_the_gate(tmp_path: Path, data: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "locomo.py"),
        "--data",
        str(data),
        "--json",
        "figures.json",
    ]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

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


def test_systems_gate_and_configuration_can_be_chosen(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("database: {path: ./mine.db}\nretrieve: {profile: similarity}\n", encoding="utf-8")
    chosen = [
        "--systems",
        "keyword",
        "--keep-all",
        "--config",
        str(config),
        "--json",
        str(tmp_path / "f.json"),
    ]

    assert main(["--data", str(data), *chosen]) == 0

    figures = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert set(figures["systems"]) == {"keyword"}
    assert list(figures["runs"]) == ["every turn kept"]
    assert "| cosine |" not in capsys.readouterr().out
    assert not (tmp_path / "mine.db").exists()


def test_recall_by_names_is_measured_beside_its_absence(tmp_path: Path, data: Path) -> None:
    chosen = ["--systems", "default", "--keep-all", "--entities", "--json", str(tmp_path / "f.json")]

    assert main(["--data", str(data), *chosen]) == 0

    figures = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert list(figures["systems"]) == ["default", "no entities"]
    assert figures["systems"]["default"]["overall"]["recall@10"] == 1.0


def test_a_folder_without_conversations_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2

    assert "no conversation" in capsys.readouterr().err


def test_an_unknown_system_names_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--data", ".", "--systems", "cosine,vector"])

    assert "vector: there are cosine, keyword, default" in capsys.readouterr().err
