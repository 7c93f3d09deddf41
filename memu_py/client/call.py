"""A method of the clients: named, typed and described as the service's own, and sent."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from memu_py.client.bound import narrowed
from memu_py.client.calling import arguments
from memu_py.client.exchange import Progress, Talk, converse, wait_for
from memu_py.client.transport import InLoop, Plain
from memu_py.wire.operations import OPERATIONS

P = ParamSpec("P")
T = TypeVar("T")

WAIT = "jobs.wait"


class Call(Generic[P, T]):
    """A method of both clients.

    Args:
        method: of the service.
        operation: its id; the method's name when left out.
    """

    def __init__(
        self, method: Callable[Concatenate[Any, P], Awaitable[T]], operation: str | None = None
    ) -> None:
        self._operation = OPERATIONS[operation or method.__name__]
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, client: Plain, owner: object) -> Callable[P, T]: ...

    @overload
    def __get__(self, client: InLoop, owner: object) -> Callable[P, Coroutine[Any, Any, T]]: ...

    @overload
    def __get__(self, client: None, owner: object) -> Self: ...

    def __get__(self, client: Any, owner: object) -> Any:
        """Return the method, bound to a client."""
        if client is None:
            return self

        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            given, progress = arguments(self._operation, args, kwargs)
            return client.drive(self._talk(narrowed(client.scope, given), client.patience, progress))

        call.__name__, call.__doc__ = self._operation.id, self.__doc__
        return call

    def _talk(self, given: Mapping[str, Any], patience: Any, progress: Progress | None) -> Talk:
        if self._operation.id == WAIT:
            return wait_for(self._operation, given, patience)
        return converse(self._operation, given, patience, progress=progress)
