"""The floors of the house: who may import whom."""

import tomllib
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[2]


def test_no_room_imports_from_a_floor_above_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)

    status = lint_imports(no_cache=True)

    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_nothing_stands_on_the_test_helpers() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (contract for contract in tables["contracts"] if contract["id"] == "testing")
    rooms = {
        f"memu_py.{path.name}"
        for path in (ROOT / "memu_py").iterdir()
        if (path / "__init__.py").exists() and path.name != "testing"
    }

    assert set(contract["source_modules"]) == rooms
