"""The benchmark of the border to Rust calls everything that there is."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.border import CALLS
from memu_py import _core

ROOT = Path(__file__).parents[2]


def border() -> set[str]:
    classes = (_core.KeywordIndex, _core.RowIds)
    methods = {f"{one.__name__}.{name}" for one in classes for name in vars(one) if not name.startswith("_")}
    return methods | {name for name in _core.__all__ if callable(getattr(_core, name))}


def test_every_function_has_its_call() -> None:
    assert set(CALLS) == border()


@pytest.mark.parametrize("name", CALLS)
def test_each_call_can_be_repeated(name: str) -> None:
    assert repr(CALLS[name]()).partition(" at ")[0] == repr(CALLS[name]()).partition(" at ")[0]


def test_it_runs_by_its_name_and_is_not_collected_otherwise() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--benchmark-disable"]

    done = subprocess.run(
        [*command, "benchmarks/border.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout
    assert f"{len(CALLS)} passed" in done.stdout
    listed = subprocess.run(
        [*command, "--collect-only", "benchmarks"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "test_border" not in listed.stdout
