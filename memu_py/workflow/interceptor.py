"""Interceptors stand around calls: of steps here, of models elsewhere; accounting and tracing are such."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Call:
    """What is about to be called.

    Attributes:
        kind: `step` for a step of a workflow; other callers choose their own word, such as `chat`.
        name: which one, such as the name of the step.
        payload: what it is called with, by name; not to be changed.
        labels: where it belongs: `run_id` and `workflow` for a step.
    """

    kind: str
    name: str
    payload: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Interceptor(Protocol):
    """Sees every call of what it is put around.

    It watches, and it may refuse: an exception from `before` or `after` takes the place of the call's result.
    It cannot change what goes in or comes out. Of several, the first is the outermost: its `before` comes
    first, its `after` and `on_error` last. For each call whose `before` came through, exactly one of `after`
    and `on_error` follows.
    """

    async def before(self, call: Call) -> None:
        """Called before the work."""
        ...

    async def after(self, call: Call, result: Any) -> None:
        """Called when the work is done.

        Args:
            call: as in `before`.
            result: what it gave; for a step the keys it writes, with their values.
        """
        ...

    async def on_error(self, call: Call, error: BaseException) -> None:
        """Called when the work failed, also by `asyncio.CancelledError`. The error is raised on afterwards.

        An exception from here is added to the error as a note, and does not take its place.
        """
        ...


async def intercept(call: Call, interceptors: Sequence[Interceptor], work: Callable[[], Awaitable[T]]) -> T:
    """Do some work with interceptors around it.

    Args:
        call: what the interceptors are told.
        interceptors: outermost first.
        work: does it; awaited once.

    Returns:
        What the work gave.
    """
    if not interceptors:
        return await work()
    first, rest = interceptors[0], interceptors[1:]
    await first.before(call)
    try:
        result = await intercept(call, rest, work)
    except (Exception, asyncio.CancelledError) as error:
        await _tell(first, call, error)
        raise
    await first.after(call, result)
    return result


async def _tell(interceptor: Interceptor, call: Call, error: BaseException) -> None:
    try:
        await interceptor.on_error(call, error)
    except Exception as second:
        error.add_note(f"{type(interceptor).__name__}.on_error failed too: {second!r}")
