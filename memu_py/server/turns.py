"""How many calls are worked on at the same time: the others stand in line, and past its end they are sent away.

A memorize is mostly arithmetic here, unless a chat model does it elsewhere: hundreds at once are no quicker than a few,
hold up every question, and take memory. Calls that only look something up by its id, and those that wait for a job,
need no turn.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from memu_py.config.server import ServerSettings
from memu_py.errors import ServerBusy
from memu_py.wire.operations import Operation

LOCAL_WRITES = 8
"""Calls that write, at the same time, where no chat model reads what comes in."""
MODEL_WRITES = 64
"""The same where one does: they wait for it most of the time."""
READS = 16


class Turns:
    """Lines in which calls wait, in the order in which they came; one for those that write, one for questions.

    Args:
        writes: that are worked on at the same time.
        reads: the same for questions.
        waiting: calls of each that may stand in line.
    """

    def __init__(self, *, writes: int, reads: int, waiting: int) -> None:
        self._writes = _Line(writes, waiting)
        self._reads = _Line(reads, waiting)

    @contextlib.asynccontextmanager
    async def taken(self, operation: Operation) -> AsyncIterator[None]:
        """Wait for a turn, and hold it.

        Args:
            operation: that is called.

        Raises:
            ServerBusy: too many wait already.
        """
        line = self._line(operation)
        if line is None:
            yield
            return
        async with line.turn():
            yield

    def check(self, operation: Operation) -> None:
        """Refuse a call that could not even wait.

        Raises:
            ServerBusy: too many wait already.
        """
        line = self._line(operation)
        if line is not None:
            line.check()

    def _line(self, operation: Operation) -> "_Line | None":
        if operation.verb == "GET" or operation.part == "jobs":
            return None
        return self._reads if operation.role == "read" else self._writes

    @classmethod
    def of(cls, settings: ServerSettings, *, asks_models: bool) -> "Turns":
        """Return the lines of a server.

        Args:
            settings: of the server.
            asks_models: whether a chat model reads what comes in.
        """
        writes = settings.writes_at_once or (MODEL_WRITES if asks_models else LOCAL_WRITES)
        return cls(writes=writes, reads=settings.reads_at_once, waiting=settings.waiting)


class _Line:
    """One line.

    Args:
        at_once: calls that have a turn.
        waiting: calls that may wait for one.
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._most = waiting
        self._waiting = 0

    def check(self) -> None:
        if self._turns.locked() and self._waiting >= self._most:
            msg = f"{self._waiting} calls wait for their turn already"
            raise ServerBusy(msg, hint="come back later; `server.waiting` says how many may wait")

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        self.check()
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turns.release()
