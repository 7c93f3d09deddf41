"""The floors of the house: who may import whom."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_room_imports_from_a_floor_above_its_own() -> None:
    # In a process of its own: the linter's set-up of logging silences every logger that is there already.
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_stands_on_the_test_helpers() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (contract for contract in tables["contracts"] if contract["id"] == "testing")
    rooms = {
        f"memu_py.{path.name}"
        for path in (ROOT / "memu_py").iterdir()
        if (path / "__init__.py").exists() and path.name != "testing"
    }

    assert set(contract["source_modules"]) == rooms
