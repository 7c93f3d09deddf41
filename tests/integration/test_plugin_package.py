"""The example plug-in, installed as a package: found, named in YAML, configured, at work, removed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MEMU = Path(sys.executable).with_name("memu")
PLUGIN = ROOT / "examples" / "step_plugin"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CONFIG = """
database:
  backend: memory
workflows:
  memorize:
    steps:
      - extract_entities
      - use: drop_matching
        with:
          patterns: ['(?i)pin code', '密码']
      - classify_items
      - update_categories
"""

SCRIPT = """
import asyncio, json
from memu_py import MemoryService

MESSAGES = [
    {"role": "user", "content": "I adopted a grey cat called Miso in Porto."},
    {"role": "user", "content": "My PIN code is 4711, please keep it safe."},
    {"role": "user", "content": "我的银行密码是八个字母。"},
]

async def texts(service, user):
    result = await service.memorize(messages=MESSAGES, user=user)
    stored = [item.text for item in await service.list_items(user=user)]
    return {"stored": stored, "outcomes": [[one.status, one.reason] for one in result.outcomes]}

async def main():
    async with MemoryService.from_config("config.yaml") as service:
        memorize = service.workflows["memorize"]
        report = {"steps": [step.name for step in memorize.steps]}
        report["dropping"] = await texts(service, "ann")
        memorize.config_step("drop_matching", {"patterns": ["Miso"]})
        report["other_patterns"] = await texts(service, "ben")
        memorize.remove_step("drop_matching")
        report["steps_after"] = [step.name for step in memorize.steps]
        report["removed"] = await texts(service, "cem")
    print(json.dumps(report, ensure_ascii=False))

asyncio.run(main())
"""


def install(plugin: Path, folder: Path) -> Path:
    """Install a plug-in, built by its own backend, into a folder."""
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(plugin)], check=True, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in, built by its own backend and installed into a folder of its own."""
    return install(PLUGIN, tmp_path_factory.mktemp("plugin"))


def run(*command: str | Path, cwd: Path, path: Path | None) -> subprocess.CompletedProcess[str]:
    variables = {"PYTHONUTF8": "1"} | ({"PYTHONPATH": str(path)} if path else {})
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "MEMU_CONFIG"} | variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def report(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("use")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    done = run(sys.executable, "-W", "error", "-c", SCRIPT, cwd=folder, path=installed)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_step_runs_where_the_file_names_it(report: dict[str, Any]) -> None:
    steps = report["steps"]

    assert steps[steps.index("extract_entities") + 1] == "drop_matching"


def test_matching_items_are_dropped_and_the_outcome_says_so(report: dict[str, Any]) -> None:
    assert report["dropping"]["stored"] == ["I adopted a grey cat called Miso in Porto."]
    assert report["dropping"]["outcomes"][0][0] == "stored"
    assert report["dropping"]["outcomes"][1] == ["skipped", "dropped by a step"]
    assert report["dropping"]["outcomes"][2] == ["skipped", "dropped by a step"]


def test_other_patterns_take_effect_while_the_service_runs(report: dict[str, Any]) -> None:
    stored = report["other_patterns"]["stored"]

    assert len(stored) == 2
    assert not any("Miso" in text for text in stored)


def test_a_removed_step_drops_nothing(report: dict[str, Any]) -> None:
    assert "drop_matching" not in report["steps_after"]
    assert len(report["removed"]["stored"]) == 3


def test_the_command_line_lists_it_only_while_it_is_installed(installed: Path, tmp_path: Path) -> None:
    listed = run(MEMU, "plugins", cwd=tmp_path, path=installed)
    bare = run(MEMU, "plugins", cwd=tmp_path, path=None)

    assert (listed.returncode, bare.returncode) == (0, 0), listed.stderr + bare.stderr
    assert "drop_matching" in listed.stdout
    assert "drop_matching" not in bare.stdout


def test_a_workflow_that_names_an_absent_step_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")

    done = run(sys.executable, "-c", SCRIPT, cwd=tmp_path, path=None)

    assert done.returncode != 0
    assert "drop_matching" in done.stderr
    assert "config.yaml:8" in done.stderr
