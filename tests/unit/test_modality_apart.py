"""A reader in a process of its own can neither hang, crash nor fill the one that asked."""

import asyncio
import os
import select
import signal
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memu_py.errors import Cancelled, InvalidInput
from memu_py.modality import apart
from memu_py.modality.apart import Limits, read_apart

LIMITS = Limits(timeout_s=30, memory_mb=256)
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))


async def read(name: str, data: bytes = b"", limits: Limits = LIMITS, **options: Any) -> Any:
    return await read_apart(f"apart_readers:{name}", data, options, limits=limits, what="a test file")


async def test_bytes_and_options_go_in_and_plain_data_comes_out() -> None:
    assert await read("count", "é".encode(), times=3) == {"bytes": 6, "text": "é"}
    size = 3_000_001
    assert (await read("count", b"x" * size, times=1))["bytes"] == size


async def test_what_libraries_print_is_no_answer() -> None:
    assert await read("chatter") == "the answer"


async def test_a_reader_that_hangs_is_stopped() -> None:
    with pytest.raises(InvalidInput, match=r"a test file took longer than 0\.5 s \(split it\)"):
        await read("hang", limits=LIMITS.evolve(timeout_s=0.5))
    with pytest.raises(InvalidInput, match=r"\(raise `video\.timeout_s`, or split it\)"):
        await read("hang", limits=LIMITS.evolve(timeout_s=0.5, section="video"))


async def test_a_reader_that_eats_memory_is_stopped() -> None:
    with pytest.raises(InvalidInput, match=r"more memory than is allowed \(raise `documents\.memory_mb`"):
        await read("eat", limits=LIMITS.evolve(section="documents"))


async def test_a_crash_is_an_error_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="a test file cannot be read"):
        await read("crash")


async def test_a_file_that_nests_without_end_is_an_error_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="nested too deep"):
        await read("recurse")


async def test_typed_errors_come_through_with_their_hint() -> None:
    with pytest.raises(InvalidInput, match=r"it is locked \(give the password\)"):
        await read("refuse")


async def test_any_other_error_of_a_reader_is_one_of_the_input() -> None:
    with pytest.raises(InvalidInput, match="KeyError"):
        await read("fail")


async def test_nothing_is_imported_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = tmp_path / "executed"
    evil = f"import pathlib; pathlib.Path({str(witness)!r}).touch()"
    for module in ("pypdf", "json", "sitecustomize", "apart_readers"):
        (tmp_path / f"{module}.py").write_text(evil)
    monkeypatch.chdir(tmp_path)

    path, folder = await read("where")

    assert not witness.exists()
    assert "" not in path
    assert str(tmp_path) not in path
    assert folder == Path(sys.executable).anchor

    # A stray colon means the working directory too.
    monkeypatch.setenv("PYTHONPATH", f":{HERE}:")
    assert str(tmp_path) not in (await read("where"))[0]
    assert not witness.exists()


async def test_the_package_is_found_where_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")
    with pytest.raises(InvalidInput, match="No module named 'apart_readers'"):
        await read("where")


async def test_the_keys_in_the_environment_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@host")
    monkeypatch.setenv("LC_TIME", "C")

    seen: Mapping[str, str] = await read("environment")

    assert "secret" not in str(seen)
    assert (seen["PATH"], seen["LC_TIME"]) == (os.environ["PATH"], "C")


async def test_an_answer_without_end_is_stopped() -> None:
    with pytest.raises(InvalidInput, match="what was read of it has more than 1 MB"):
        await read("flood", limits=LIMITS.evolve(answer_mb=1))
    # What it says of errors is taken, and not kept.
    assert await read("complain") == "the answer"


@pytest.mark.parametrize("answer", ["[1]", "{", "{}", '{"error": 1}', "[" * 100_000, "7"])
async def test_an_answer_that_is_none_is_an_error_of_the_input(answer: str) -> None:
    with pytest.raises(InvalidInput, match="a test file cannot be read"):
        await read("forge", answer=answer)


def waited(path: Path) -> int:
    for _ in range(2000):
        if path.exists() and (said := path.read_text()):
            return int(said)
        select.select([], [], [], 0.01)
    raise AssertionError("the reader has not begun")


async def started(path: Path) -> int:
    """Return the id of the process that a reader has written down."""
    return await asyncio.to_thread(waited, path)


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


async def test_a_reading_that_is_cancelled_ends_its_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    task = asyncio.ensure_future(read("note", note=str(note)))
    process = await started(note)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert gone(process)


async def test_a_run_that_is_cancelled_ends_its_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"

    def check() -> None:
        if note.exists() and note.read_text():
            raise Cancelled("the run was cancelled")

    with pytest.raises(Cancelled):
        await read_apart(
            "apart_readers:note", b"", {"note": str(note)}, limits=LIMITS, what="a test file", check=check
        )

    assert gone(int(note.read_text()))


async def test_ctrl_c_ends_the_process(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = textwrap.dedent(
        f"""
        import asyncio
        from memu_py.modality.apart import Limits, read_apart
        limits = Limits(timeout_s=60, memory_mb=256)
        asyncio.run(read_apart("apart_readers:note", b"", {{"note": {str(note)!r}}}, limits=limits, what="x"))
        """
    )
    asked = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stderr=asyncio.subprocess.PIPE
    )
    process = await started(note)

    asked.send_signal(signal.SIGINT)
    _, said = await asked.communicate()

    assert b"KeyboardInterrupt" in said
    assert gone(process)


async def test_readings_beyond_the_processors_wait_and_block_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "AT_ONCE", 1)
    notes = [tmp_path / "first", tmp_path / "second"]
    first = asyncio.ensure_future(read("note", note=str(notes[0])))
    await started(notes[0])
    second = asyncio.ensure_future(read("note", note=str(notes[1])))

    # Threads of the loop are free, however many readings there are.
    assert await asyncio.to_thread(lambda: "free") == "free"
    first.cancel()
    await started(notes[1])
    second.cancel()

    found = await asyncio.gather(first, second, return_exceptions=True)
    assert [type(one) for one in found] == [asyncio.CancelledError] * 2
