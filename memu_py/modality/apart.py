"""Reading a file in a process of its own, with limits on its time and its memory.

Parsers of binary formats hang, crash and eat memory on bytes made to do so. What a child process answers is JSON: a
parser that was taken over by a file can say wrong words, and nothing else.
"""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from memu_py.errors import ConfigError, InvalidInput, MemuError, UnsupportedModality
from memu_py.records.record import Record

ANSWER = b"\n#answer#"
"""Stands before what the child answers: what else is in its output was printed by somebody's library."""

_ERRORS: Mapping[str, type[MemuError]] = {
    error.__name__: error for error in (InvalidInput, UnsupportedModality, ConfigError)
}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Limits(Record):
    """What a reading may take.

    Attributes:
        timeout_s: seconds.
        memory_mb: address space beside what the interpreter has at its start, in MB; not held where the system cannot.
    """

    timeout_s: float
    memory_mb: int


def read_apart(reader: str, data: bytes, options: Mapping[str, Any], *, limits: Limits, what: str) -> Any:
    """Call a function in a process of its own and return what it returns. Blocks: call it in a thread.

    Args:
        reader: `package.module:function` of this package; it takes the bytes, and the options by keyword, and returns
            plain data.
        data: handed to it.
        options: plain data.
        limits: of time and memory.
        what: what is being read, for messages, such as `a PDF document`.

    Raises:
        InvalidInput: it says so; or it takes too long, too much memory, or crashes.
        ConfigError: what it needs is not installed.
    """
    task = json.dumps({"reader": reader, "options": dict(options), "memory_mb": limits.memory_mb})
    command = [sys.executable, "-X", "utf8", "-m", "memu_py.modality.apart_child", task]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limits.timeout_s, check=False)
    except subprocess.TimeoutExpired as error:
        msg = f"reading {what} took longer than {limits.timeout_s:g} s"
        raise InvalidInput(msg, hint="raise `documents.timeout_s`, or split it") from error
    _, found, answer = done.stdout.rpartition(ANSWER)
    if not found:
        raise _died(what, done.returncode, done.stderr)
    return _returned(json.loads(answer))


def _returned(answer: Mapping[str, Any]) -> Any:
    if "error" not in answer:
        return answer["value"]
    raise _ERRORS.get(answer["error"], InvalidInput)(answer["message"], hint=answer.get("hint"))


def _died(what: str, code: int, said: bytes) -> InvalidInput:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1][:200] if lines else f"its reader ended with {code}"
    return InvalidInput(f"{what} cannot be read: {reason}", hint="is it damaged?")
