"""Interceptors around a call."""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from memu_py.errors import InvalidInput
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


class Editor(Witness):
    """Adds to the text of what is asked."""

    async def amend(self, call: Call) -> Call:
        self._see("amend", call.payload["text"])
        return call.amended(text=f"{call.payload['text']} {self.name}")

    async def before(self, call: Call) -> None:
        self._see("before", call.payload["text"])


async def repeat(call: Call) -> str:
    return f"heard {call.payload['text']}"


async def test_what_goes_in_is_amended_from_the_outside_in() -> None:
    book: list[str] = []
    call = dataclasses.replace(CALL, amendable=True)
    result = await intercept(call, [Editor("a", book), Witness("w", book), Editor("b", book)], repeat)

    assert result == "heard hi a b"
    assert book[:5] == ["a amend hi", "a before hi a", "w before default", "b amend hi a", "b before hi a b"]
    assert CALL.payload == {"text": "hi"}


async def test_a_call_that_is_not_amendable_stays_as_it_is() -> None:
    book: list[str] = []
    assert await intercept(CALL, [Editor("a", book)], repeat) == "heard hi"
    assert book == ["a before hi", "a after chat heard hi"]


async def test_only_the_payload_is_amended() -> None:
    class Impostor(Editor):
        async def amend(self, call: Call) -> Call:
            return Call(kind="other", name="other", payload={"text": "bye"})

    book: list[str] = []
    call = dataclasses.replace(CALL, amendable=True)
    assert await intercept(call, [Impostor("a", book), Witness("w", book)], repeat) == "heard bye"
    assert "w before default" in book
    assert "w after chat heard bye" in book


async def test_amending_may_refuse_and_nobody_inside_is_told() -> None:
    book: list[str] = []
    call = dataclasses.replace(CALL, amendable=True)
    with pytest.raises(RuntimeError, match="b refuses amend"):
        await intercept(call, [Witness("a", book), Editor("b", book, raises=["amend"])], repeat)
    assert book == ["a before default", "b amend hi", "a on_error hi RuntimeError"]


def test_a_part_that_is_not_there_cannot_be_amended() -> None:
    with pytest.raises(InvalidInput, match="text"):
        CALL.amended(txet="hi")
