"""Readers that behave badly, for the tests of reading apart."""

import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from memu_py.errors import InvalidInput


def count(data: bytes, *, times: int) -> dict[str, Any]:
    return {"bytes": len(data) * times, "text": data.decode()}


def chatter(data: bytes) -> str:
    print("a library says something")  # noqa: T201 - that is the point
    return "the answer"


def hang(data: bytes) -> None:
    time.sleep(60)


def eat(data: bytes) -> int:
    return len(bytearray(4 * 1024**3))


def crash(data: bytes) -> None:
    os.abort()


def recurse(data: bytes) -> None:
    recurse(data)


def refuse(data: bytes) -> NoReturn:
    msg = "it is locked"
    raise InvalidInput(msg, hint="give the password")


def fail(data: bytes) -> NoReturn:
    raise KeyError("xref")


def where(data: bytes) -> tuple[list[str], str]:
    return sys.path, str(Path.cwd())


def environment(data: bytes) -> dict[str, str]:
    return dict(os.environ)


def flood(data: bytes) -> None:
    while True:
        os.write(1, b"x" * 65_536)


def complain(data: bytes) -> str:
    for _ in range(100):
        os.write(2, b"x" * 65_536)
    return "the answer"


def forge(data: bytes, *, answer: str) -> NoReturn:
    """Answer as a parser might that was taken over."""
    os.write(1, b"\n#answer#" + answer.encode())
    os._exit(0)


def note(data: bytes, *, note: str) -> None:
    """Write down which process it is, and hang."""
    Path(note).write_text(str(os.getpid()))
    time.sleep(60)
