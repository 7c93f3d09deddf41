"""Reading a file in a process of its own, with limits on its time, its memory and what it answers.

Parsers of binary formats hang, crash and eat memory on bytes made to do so. The process has none of the secrets in the
environment, imports nothing from the working directory, and answers JSON. It is no sandbox: a parser that a file has
taken over still runs as the same user, who may read files and open connections.
"""

import asyncio
import dataclasses
import json
import os
import sys
import weakref
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memu_py.errors import ConfigError, InvalidInput, MemuError, UnsupportedModality
from memu_py.modality.apart_child import ANSWER
from memu_py.modality.apart_pipes import Said, killed, talk
from memu_py.records.record import Record

MAX_ANSWER_MB = 256
AT_ONCE = max(2, os.cpu_count() or 1)
"""Processes of one event loop; who comes later waits, and its time does not run meanwhile."""
CHECK_S = 0.2

_START = (
    f"import sys; sys.path.append({str(Path(__file__).parents[2])!r}); "
    "from memu_py.modality.apart_child import main; main()"
)
"""This package is found where it lies, after all that is installed."""
_ROOT = Path(sys.executable).anchor
"""A working directory into which nobody puts modules."""
_KEPT = frozenset(
    {"PATH", "HOME", "USERPROFILE", "APPDATA", "SYSTEMROOT", "SYSTEMDRIVE", "TMPDIR", "TEMP", "TMP", "TZ", "LANG",
     "LANGUAGE", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV",
     "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
)  # fmt: skip
_KEPT_STARTS = ("LC_", "COVERAGE_", "COV_CORE_")
_ERRORS: Mapping[str, type[MemuError]] = {
    error.__name__: error for error in (InvalidInput, UnsupportedModality, ConfigError)
}
_places: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = weakref.WeakKeyDictionary()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Limits(Record):
    """What a reading may take.

    Attributes:
        timeout_s: seconds.
        memory_mb: address space beside what the interpreter has at its start, in MB; not held where the system cannot.
        answer_mb: what it may answer, in MB.
        section: of the configuration that sets the first two, for messages; None where none does.
    """

    timeout_s: float
    memory_mb: int
    answer_mb: int = MAX_ANSWER_MB
    section: str | None = None

    def hint(self, key: str) -> str:
        """Say what helps against a limit that is too low."""
        return f"raise `{self.section}.{key}`, or split it" if self.section else "split it"


async def read_apart(
    reader: str,
    data: bytes,
    options: Mapping[str, Any],
    *,
    limits: Limits,
    what: str,
    check: Callable[[], None] = lambda: None,
) -> Any:
    """Call a function in a process of its own and return what it returns. The process ends with the call.

    Args:
        reader: `package.module:function` of this package; it takes the bytes, and the options by keyword, and returns
            plain data.
        data: handed to it.
        options: plain data.
        limits: of time and memory.
        what: what is being read, for messages, such as `a PDF document`.
        check: raises when nobody waits for it any more; asked all the time.

    Raises:
        InvalidInput: it says so; or it takes too long, too much memory, or crashes.
        ConfigError: what it needs is not installed.
    """
    task = json.dumps(
        {
            "reader": reader,
            "options": dict(options),
            "memory_mb": limits.memory_mb,
            "hint": limits.hint("memory_mb"),
        }
    )
    async with _places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)):
        check()
        said = await _said(task, data, limits, what, check)
    # An answer may have many megabytes.
    return await asyncio.to_thread(_value, said, limits, what)


async def _said(task: str, data: bytes, limits: Limits, what: str, check: Callable[[], None]) -> Said:
    process = await _started(task)
    work = asyncio.ensure_future(talk(process, data, limits.answer_mb * 1024 * 1024))
    try:
        async with asyncio.timeout(limits.timeout_s):
            while not work.done():
                check()
                await asyncio.wait([work], timeout=CHECK_S)
    except TimeoutError as error:
        msg = f"reading {what} took longer than {limits.timeout_s:g} s"
        raise InvalidInput(msg, hint=limits.hint("timeout_s")) from error
    finally:
        await killed(process, work)
    return work.result()


async def _started(task: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-X", "utf8", "-c", _START, task),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=_ROOT,
        env=_environment(),
        # Ctrl-C reaches this process, which ends the other one.
        start_new_session=True,
    )


def _environment() -> dict[str, str]:
    """What the other process may know: where things are installed, and no keys."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT or name.upper().startswith(_KEPT_STARTS)
    }
    # An empty entry is the working directory; one that is relative was meant from here.
    paths = [str(Path(one).absolute()) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)} if paths else kept


def _value(said: Said, limits: Limits, what: str) -> Any:
    if said.cut:
        msg = f"{what} cannot be read: what was read of it has more than {limits.answer_mb} MB"
        raise InvalidInput(msg, hint="split it")
    _, found, answer = said.out.rpartition(ANSWER)
    if not found:
        raise _died(what, said.code, said.err)
    try:
        return _returned(json.loads(answer))
    except MemuError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        msg = f"{what} cannot be read: its reader gave no answer that can be understood"
        raise InvalidInput(msg, hint="is it damaged?") from error


def _returned(answer: Mapping[str, Any]) -> Any:
    if "error" not in answer:
        return answer["value"]
    raise _ERRORS.get(answer["error"], InvalidInput)(answer["message"], hint=answer.get("hint"))


def _died(what: str, code: int, said: bytes) -> InvalidInput:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1][:200] if lines else f"its reader ended with {code}"
    return InvalidInput(f"{what} cannot be read: {reason}", hint="is it damaged?")
