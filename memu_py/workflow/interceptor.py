"""Interceptors stand around calls: of steps here, of models elsewhere; accounting and tracing are such."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

from memu_py.errors import InvalidInput
from memu_py.nearest import unknown

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Call:
    """What is about to be called.

    Attributes:
        kind: `step` for a step of a workflow; other callers choose their own word, such as `chat`.
        name: which one, such as the name of the step.
        payload: what it is called with, by name; not to be changed in place.
        labels: where it belongs: `run_id` and `workflow` for a step.
        amendable: whether interceptors may put another payload in its place, by `amend`.
    """

    kind: str
    name: str
    payload: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    amendable: bool = False

    def amended(self, **payload: Any) -> "Call":
        """Return the call with some of its payload replaced; for `amend`.

        Args:
            **payload: new values by name.

        Raises:
            InvalidInput: a name is not in the payload.
        """
        for name in payload:
            if name not in self.payload:
                raise InvalidInput(unknown("part of the call", name, self.payload))
        return dataclasses.replace(self, payload=MappingProxyType({**self.payload, **payload}))


class Interceptor(Protocol):
    """Sees every call of what it is put around.

    It watches, and it may refuse: an exception from `before` or `after` takes the place of the call's result.
    It cannot change what comes out, and what goes in only as an `Amender`. Of several, the first is the outermost:
    its `before` comes first, its `after` and `on_error` last. For each call whose `before` came through, exactly one
    of `after` and `on_error` follows.
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


@runtime_checkable
class Amender(Interceptor, Protocol):
    """An interceptor that may also change what goes in, for calls that are `amendable`: those of chat models."""

    async def amend(self, call: Call) -> Call:
        """Called first of all; its own `before` and all that lies inside see what it returns.

        An exception from here takes the place of the call's result, and neither `after` nor `on_error` follows.

        Args:
            call: as interceptors further outside have left it.

        Returns:
            The call itself, or `call.amended(…)`; only its payload counts.
        """
        ...


async def intercept(
    call: Call, interceptors: Sequence[Interceptor], work: Callable[[Call], Awaitable[T]]
) -> T:
    """Do some work with interceptors around it.

    Args:
        call: what the interceptors are told.
        interceptors: outermost first.
        work: does it; awaited once, with the call as it was amended.

    Returns:
        What the work gave.
    """
    if not interceptors:
        return await work(call)
    first, rest = interceptors[0], interceptors[1:]
    if call.amendable and isinstance(first, Amender):
        call = dataclasses.replace(call, payload=(await first.amend(call)).payload)
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
