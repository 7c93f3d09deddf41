"""The benchmarks that ask a chat model, with a real one.

On a small conversation of our own, or on the folder of conversations that MEMU_LOCOMO names.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from local_llm_kit import LocalModel
from locomo_kit import QUESTIONS, TURNS, config_file, conversation_folder

from benchmarks.answers import RAW
from benchmarks.extraction import main as extraction
from benchmarks.locomo import main as locomo

pytestmark = [pytest.mark.local_llm, pytest.mark.timeout(240)]


def config(local_llm: LocalModel, folder: Path, max_tokens: int) -> Path:
    # The block for the prompt is short: the tiny model reads fifty tokens a second.
    profile: dict[str, Any] = local_llm.quick_config(folder, max_tokens=max_tokens)
    more = {"retrieve": {"max_tokens": 100}, "prompts": profile.get("prompts", {})} if local_llm.tiny else {}
    return config_file(folder / "config.yaml", profile["llm"]["default"], **more)


def test_five_questions_are_answered_and_marked(
    local_llm: LocalModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = os.environ.get("MEMU_LOCOMO")
    data = Path(named) if named else conversation_folder(tmp_path / "data")
    given = ["--data", str(data), "--config", str(config(local_llm, tmp_path, 40))]
    out = tmp_path / "figures.json"
    asked = ["--answer", "default", "--judge", "judge", "--raw", str(tmp_path / "raw"), "--limit", "5"]

    assert locomo([*given, *asked, "--json", str(out)]) == 0

    lines = [json.loads(line) for line in (tmp_path / "raw" / RAW).read_text(encoding="utf-8").splitlines()]
    assert len({line["id"] for line in lines}) == len(lines) == len(QUESTIONS)
    assert [line["category"] for line in sorted(lines, key=lambda line: str(line["category"]))] == list(
        "12345"
    )
    # Of what nobody said (afraid of heights?), nothing is found.
    assert sum(bool(line["context"]) for line in lines) >= len(QUESTIONS) - 1
    # An answer that is late, and a judge that is cut off, are errors that are told, never an answer or a mark.
    assert all(line["answer"] or line["error"] for line in lines)
    assert any(line["answer"] for line in lines)
    assert all(line["label"] or line["error"] for line in lines if line["category"] != "5")
    figures = json.loads(out.read_text(encoding="utf-8"))["figures"]
    assert figures["all"]["questions"] == 4
    assert figures["all"]["tokens"] > 0
    assert "marked by local/" in capsys.readouterr().out


def test_survival_of_extraction_is_measured_on_a_sample(local_llm: LocalModel, tmp_path: Path) -> None:
    data = conversation_folder(tmp_path / "data")
    out = tmp_path / "figures.json"
    given = ["--data", str(data), "--config", str(config(local_llm, tmp_path, 60)), "--json", str(out)]
    sample = ["--limit", "1", "--around", "0"] if local_llm.tiny else []

    assert extraction([*given, "--profile", "default", *sample]) == 0

    runs = json.loads(out.read_text(encoding="utf-8"))["runs"]
    assert runs["verbatim"]["means"]["all"]["cited"] == 1.0
    assert sum(runs["default"]["outcomes"].values()) == (1 if local_llm.tiny else len(TURNS))
    assert runs["default"]["calls"] >= 1
    if not local_llm.tiny:
        assert runs["default"]["means"]["all"]["cited"] >= 0.8
