"""The service for code that is not async."""

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from memu_py.config.settings import Settings
from memu_py.errors import InvalidInput, StoreError
from memu_py.records.scope import Scope, ScopeId
from memu_py.service.api_keys import ApiKeys
from memu_py.service.blocks import Blocks
from memu_py.service.conversations import Conversations
from memu_py.service.emotions import Emotions
from memu_py.service.grants import Grants
from memu_py.service.graph import GraphPart
from memu_py.service.jobs import Jobs
from memu_py.service.kv import KeyValues
from memu_py.service.profile import Profiles
from memu_py.service.runtime import Clock, utc_now
from memu_py.service.scopes import Custom
from memu_py.service.service import MemoryService
from memu_py.service.timeline import Timelines
from memu_py.service.watch import Turns, Watched

T = TypeVar("T")

Part = (
    ApiKeys | Blocks | Conversations | Emotions | Grants | GraphPart | Jobs | KeyValues | Profiles | Timelines
)
"""The parts of a service that have calls of their own."""


class _Loop:
    """An event loop in a thread of its own, for callers in other threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="memu-sync", daemon=True)
        self._thread.start()
        self._ending = threading.Lock()
        self._ended = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; an interrupted caller cancels it.

        Raises:
            InvalidInput: the caller is this loop's own thread, which would wait for itself.
            StoreError: the loop has ended.
        """
        self._check(work)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _check(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._ended:
            work.close()
            msg = "this service is closed"
            raise StoreError(msg, hint="make a new one")
        if threading.current_thread() is self._thread:
            work.close()
            msg = (
                "a sync call from inside the service, such as from a progress callback, would wait for itself"
            )
            raise InvalidInput(msg, hint="make it from another thread, or after the call that is under way")

    def end(self, last: Coroutine[Any, Any, None]) -> None:
        """Run a last coroutine and end the thread; idempotent, and safe from several threads."""
        with self._ending:
            if self._ended:
                last.close()
                return
            self._check(last)
            try:
                self.run(last)
            finally:
                self._ended = True
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()


class _Plain:
    """Something whose coroutine methods are plain calls here."""

    _target: Any
    _loop: _Loop

    def __getattr__(self, name: str) -> Any:
        if name in ("_target", "_loop"):
            raise AttributeError(name)
        value = getattr(self._target, name)
        if isinstance(value, Part):
            return SyncPart(value, self._loop)
        if not inspect.iscoroutinefunction(value):
            return value

        @functools.wraps(value)
        def plain(*args: Any, **kwargs: Any) -> Any:
            return self._loop.run(value(*args, **kwargs))

        return plain


class SyncPart(_Plain):
    """A part of the service, such as `service.jobs`, with plain calls."""

    def __init__(self, part: Part, loop: _Loop) -> None:
        self._target = part
        self._loop = loop


class _Handed:
    """An async iterator of what is handed to it, one piece at a time."""

    def __init__(self) -> None:
        self.piece: Turns = ()

    def __aiter__(self) -> AsyncIterator[Turns]:
        return self

    async def __anext__(self) -> Turns:
        return self.piece


class SyncMemoryService(_Plain):
    """A `MemoryService` whose coroutine methods are plain calls; it runs an event loop in a thread of its own.

    Everything else is the same: `SyncMemoryService.from_config("config.yaml").memorize(text=…, user=…)`. Any number of
    threads may use it.

    Args:
        service: the service, or what one is made from: a path to a config.yaml, a mapping, settings, or None for the
            packaged defaults.

    Raises:
        ConfigError: the configuration, a plug-in or a workflow is wrong.
    """

    def __init__(
        self, service: MemoryService | Settings | Mapping[str, Any] | str | Path | None = None
    ) -> None:
        self._target = service if isinstance(service, MemoryService) else MemoryService(service)
        self._loop = _Loop()

    @classmethod
    def from_config(cls, config: str | Path | None = None, *, clock: Clock = utc_now) -> Self:
        """Build the service from a config file; None takes the packaged defaults."""
        return cls(MemoryService.from_config(config, clock=clock))

    def for_user(
        self,
        user: ScopeId,
        *,
        agent: ScopeId | None = None,
        session: ScopeId | None = None,
        custom: Custom | None = None,
    ) -> Self:
        """Return a view of this service that is bound to a user; closing one closes both."""
        return self._view(self._target.for_user(user, agent=agent, session=session, custom=custom))

    def for_scope(self, scope: Scope) -> Self:
        """Return a view of this service that is bound to a scope; closing one closes both."""
        return self._view(self._target.for_scope(scope))

    def watch(self, turns: Iterable[Turns], **given: Any) -> Iterator[Watched]:
        """Follow a conversation; see `MemoryService.watch`.

        Args:
            turns: pieces as they come.
            **given: what `MemoryService.watch` takes.

        Yields:
            One result for each piece.
        """
        handed = _Handed()
        watched = self._target.watch(handed, **given)

        async def following() -> Watched:
            return await anext(watched)

        async def ending() -> None:
            await watched.aclose()

        try:
            for piece in turns:
                handed.piece = piece
                yield self._loop.run(following())
        finally:
            self._loop.run(ending())

    def _view(self, target: MemoryService) -> Self:
        view = type(self).__new__(type(self))
        view._target = target
        view._loop = self._loop
        return view

    def close(self) -> None:
        """Close the service and end its thread; idempotent."""
        self._loop.end(self._target.close())

    def __enter__(self) -> Self:
        try:
            self._loop.run(self._target.open())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
