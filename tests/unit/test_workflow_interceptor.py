"""Interceptors around a call."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from memu_py.workflow.interceptor import Call, intercept

CALL = Call(kind="chat", name="default", payload={"text": "hi"})


class Witness:
    """Writes down what it sees; raises where it is told to."""

    def __init__(self, name: str, book: list[str], *, raises: Sequence[str] = ()) -> None:
        self.name = name
        self.book = book
        self.raises = raises

    async def before(self, call: Call) -> None:
        self._see("before", call.name)

    async def after(self, call: Call, result: Any) -> None:
        self._see("after", f"{call.kind} {result}")

    async def on_error(self, call: Call, error: BaseException) -> None:
        self._see("on_error", f"{call.payload['text']} {type(error).__name__}")

    def _see(self, what: str, detail: str) -> None:
        self.book.append(f"{self.name} {what} {detail}")
        if what in self.raises:
            raise RuntimeError(f"{self.name} refuses {what}")


async def give(_: Call) -> int:
    return 42


async def fail(_: Call) -> int:
    raise ValueError("no")


async def test_the_first_is_the_outermost() -> None:
    book: list[str] = []
    assert await intercept(CALL, [Witness("a", book), Witness("b", book)], give) == 42
    assert book == ["a before default", "b before default", "b after chat 42", "a after chat 42"]


async def test_without_interceptors_the_work_is_done() -> None:
    assert await intercept(CALL, [], give) == 42


async def test_all_are_told_of_an_error_and_it_goes_on() -> None:
    book: list[str] = []
    with pytest.raises(ValueError, match="no"):
        await intercept(CALL, [Witness("a", book), Witness("b", book)], fail)
    assert book[2:] == ["b on_error hi ValueError", "a on_error hi ValueError"]


async def test_before_may_refuse_and_only_those_that_had_begun_are_told() -> None:
    book: list[str] = []
    watchers = [Witness("a", book), Witness("b", book, raises=["before"]), Witness("c", book)]
    with pytest.raises(RuntimeError, match="b refuses before"):
        await intercept(CALL, watchers, give)
    assert book == ["a before default", "b before default", "a on_error hi RuntimeError"]


async def test_after_may_refuse_the_result() -> None:
    book: list[str] = []
    watchers = [Witness("a", book), Witness("b", book, raises=["after"])]
    with pytest.raises(RuntimeError, match="b refuses after"):
        await intercept(CALL, watchers, give)
    assert book[2:] == ["b after chat 42", "a on_error hi RuntimeError"]


async def test_an_error_in_on_error_does_not_hide_the_first() -> None:
    with pytest.raises(ValueError, match="no") as caught:
        await intercept(CALL, [Witness("a", [], raises=["on_error"])], fail)
    assert caught.value.__notes__ == ["Witness.on_error failed too: RuntimeError('a refuses on_error')"]


async def test_a_cancelled_call_is_told_too() -> None:
    book: list[str] = []
    begun = asyncio.Event()

    async def wait(_: Call) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(intercept(CALL, [Witness("a", book)], wait))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert book[-1] == "a on_error hi CancelledError"
