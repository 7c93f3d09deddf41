"""Readers that behave badly, for the tests of reading apart."""

import os
import time
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
