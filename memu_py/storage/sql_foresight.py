"""Habits, occasions and feedback over a database."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import TypeVar

from sqlalchemy import Connection

from memu_py.records.feedback import Feedback, MemoryUse
from memu_py.records.job import Lease
from memu_py.records.occasion import Dated, Due, Occasion
from memu_py.records.said import Said
from memu_py.records.scope import Scope
from memu_py.storage import feedback_rows, occasion_rows, said_rows
from memu_py.storage.database import Database
from memu_py.storage.settings import Clock
from memu_py.storage.unit import Unit, written

T = TypeVar("T")

SCAN = "scan"
FEEDBACK = "feedback"


class SqlForesight:
    """`Foresight` over a database.

    Args:
        database: where the units of work run.
        clock: gives the time of changes.
    """

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def _write(self, scope: Scope, actor: str, work: Callable[[Unit], T]) -> T:
        return await written(self._database, scope, work, actor=actor, clock=self._clock)

    async def _read(self, scope: Scope, work: Callable[[Connection], T]) -> T:
        return await self._database.read(work, partition=scope.partition_hash)

    async def said(self, scope: Scope, limit: int) -> list[Said]:
        """See `Foresight.said`."""
        return await self._read(scope, lambda c: said_rows.said(c, scope, limit))

    async def dated(self, scope: Scope) -> list[Dated]:
        """See `Foresight.dated`."""
        return await self._read(scope, lambda c: occasion_rows.dated(c, scope))

    async def note(self, scope: Scope, found: Sequence[Occasion], *, lease: Lease | None = None) -> int:
        """See `Foresight.note`."""
        return await self._write(scope, SCAN, lambda unit: occasion_rows.note(unit, found, lease))

    async def due(
        self, scope: Scope, *, first: date | None, last: date | None, told: bool = False
    ) -> list[Due]:
        """See `Foresight.due`."""
        return await self._read(scope, lambda c: occasion_rows.due(c, scope, first, last, told=told))

    async def take(self, scope: Scope, *, first: date | None, last: date | None) -> list[Due]:
        """See `Foresight.take`."""
        return await self._write(scope, SCAN, lambda unit: occasion_rows.take(unit, first, last))

    async def judge(self, scope: Scope, said: Feedback) -> bool:
        """See `Foresight.judge`."""
        return await self._write(scope, FEEDBACK, lambda unit: feedback_rows.judge(unit, said))

    async def use(self, scope: Scope) -> MemoryUse:
        """See `Foresight.use`."""
        return await self._read(scope, lambda c: feedback_rows.use(c, scope))
