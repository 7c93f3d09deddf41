"""The service for code that is not async."""

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memu_py.service.conversations import Conversations
from memu_py.service.service import MemoryService


class SyncMemoryService:
    """A `MemoryService` whose coroutine methods are plain calls; it runs an event loop in a thread of its own.

    Everything else is the same: `SyncMemoryService.from_config("config.yaml").memorize(text=…, user=…)`.
    """

    def __init__(self, service: MemoryService) -> None:
        self._service = service
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memu-sync", daemon=True)
        self._thread.start()

    @classmethod
    def from_config(cls, config: str | Path | None = None) -> Self:
        """Build the service from a config file."""
        return cls(MemoryService.from_config(config))

    def __getattr__(self, name: str) -> Any:
        return self._plain(getattr(self._service, name))

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Conversations):
            return _SyncView(value, self._run)
        if inspect.iscoroutinefunction(value):
            return _plain_call(value, self._run)
        return value

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def for_user(self, *args: Any, **keys: Any) -> "_SyncView":
        """Return a view of the service that is bound to a user; closing this service closes it too."""
        return _SyncView(self._service.for_user(*args, **keys), self._run)

    def close(self) -> None:
        """Close the service and end its thread; idempotent."""
        if self._loop.is_closed():
            return
        self._run(self._service.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        self._run(self._service.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _SyncView:
    def __init__(self, target: object, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._target = target
        self._run = run

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if isinstance(value, Conversations):
            return _SyncView(value, self._run)
        return _plain_call(value, self._run) if inspect.iscoroutinefunction(value) else value


def _plain_call(
    call: Callable[..., Any], run: Callable[[Coroutine[Any, Any, Any]], Any]
) -> Callable[..., Any]:
    @functools.wraps(call)
    def plain(*args: Any, **kwargs: Any) -> Any:
        return run(call(*args, **kwargs))

    return plain
