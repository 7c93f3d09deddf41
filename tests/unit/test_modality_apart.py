"""A reader in a process of its own can neither hang, crash nor fill the one that asked."""

from pathlib import Path
from typing import Any

import pytest

from memu_py.errors import InvalidInput
from memu_py.modality.apart import Limits, read_apart

LIMITS = Limits(timeout_s=30, memory_mb=256)


@pytest.fixture(autouse=True)
def _readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def read(name: str, data: bytes = b"", limits: Limits = LIMITS, **options: Any) -> Any:
    return read_apart(f"apart_readers:{name}", data, options, limits=limits, what="a test file")


def test_bytes_and_options_go_in_and_plain_data_comes_out() -> None:
    assert read("count", "é".encode(), times=3) == {"bytes": 6, "text": "é"}


def test_what_libraries_print_is_no_answer() -> None:
    assert read("chatter") == "the answer"


def test_a_reader_that_hangs_is_stopped() -> None:
    with pytest.raises(InvalidInput, match=r"a test file took longer than 0\.5 s"):
        read("hang", limits=LIMITS.evolve(timeout_s=0.5))


def test_a_reader_that_eats_memory_is_stopped() -> None:
    with pytest.raises(InvalidInput, match=r"documents\.memory_mb"):
        read("eat")


def test_a_crash_is_an_error_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="a test file cannot be read"):
        read("crash")


def test_a_file_that_nests_without_end_is_an_error_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="nested too deep"):
        read("recurse")


def test_typed_errors_come_through_with_their_hint() -> None:
    with pytest.raises(InvalidInput, match=r"it is locked \(give the password\)"):
        read("refuse")


def test_any_other_error_of_a_reader_is_one_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="KeyError"):
        read("fail")
