"""Units of work on behalf of somebody: what every part of a store runs its statements in."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from memu_py.records.scope import Scope
from memu_py.storage.database import Database
from memu_py.storage.settings import Clock
from memu_py.storage.unit import Unit, written

T = TypeVar("T")


class Units:
    """A database, and the clock of its changes.

    Args:
        database: where the units of work run.
        clock: gives the time of changes.
    """

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a unit of work that only reads, on the whole database."""
        return await self._database.read(work)

    async def read_for(self, scope: Scope, work: Callable[[Connection], T]) -> T:
        """Run a unit of work that only reads, on behalf of somebody."""
        return await self._database.read(work, partition=scope.partition_hash)

    async def write(self, scope: Scope, actor: str, work: Callable[[Unit], T]) -> T:
        """Run a unit of work alone, on behalf of somebody."""
        return await written(self._database, scope, work, actor=actor, clock=self._clock)
