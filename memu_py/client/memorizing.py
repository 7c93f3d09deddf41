"""The one method whose result depends on an argument: its types, for both clients."""

from collections.abc import Coroutine
from typing import Any, Literal, Protocol, Unpack, overload

from memu_py.client.call import Call
from memu_py.client.transport import InLoop, Plain
from memu_py.records.job import Job
from memu_py.service.memorize import MemorizeKeys
from memu_py.service.results import MemorizeResult
from memu_py.service.service import MemoryService


class PlainMemorize(Protocol):
    """`memorize` as a plain call."""

    @overload
    def __call__(self, *, wait: Literal[True] = True, **given: Unpack[MemorizeKeys]) -> MemorizeResult: ...

    @overload
    def __call__(self, *, wait: Literal[False], **given: Unpack[MemorizeKeys]) -> Job: ...


class MemorizeInLoop(Protocol):
    """`memorize` as a coroutine."""

    @overload
    def __call__(
        self, *, wait: Literal[True] = True, **given: Unpack[MemorizeKeys]
    ) -> Coroutine[Any, Any, MemorizeResult]: ...

    @overload
    def __call__(
        self, *, wait: Literal[False], **given: Unpack[MemorizeKeys]
    ) -> Coroutine[Any, Any, Job]: ...


class MemorizeCall:
    """`memorize` of both clients."""

    def __init__(self) -> None:
        self._call: Any = Call(MemoryService.memorize)
        self.__doc__ = MemoryService.memorize.__doc__

    @overload
    def __get__(self, client: Plain, owner: object) -> PlainMemorize: ...

    @overload
    def __get__(self, client: InLoop, owner: object) -> MemorizeInLoop: ...

    @overload
    def __get__(self, client: None, owner: object) -> "MemorizeCall": ...

    def __get__(self, client: Any, owner: object) -> Any:
        """Return the method, bound to a client."""
        return self if client is None else self._call.__get__(client, owner)
