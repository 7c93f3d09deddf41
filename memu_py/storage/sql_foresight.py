"""Habits, occasions and feedback over a database."""

from collections.abc import Sequence
from datetime import date

from memu_py.records.feedback import Feedback, MemoryUse
from memu_py.records.job import Lease
from memu_py.records.occasion import Dated, Due, Occasion
from memu_py.records.said import Said
from memu_py.records.scope import Scope
from memu_py.storage import feedback_rows, occasion_rows, said_rows
from memu_py.storage.units import Units

SCAN = "scan"
FEEDBACK = "feedback"


class SqlForesight(Units):
    """`Foresight` over a database; made as `Units` is."""

    async def said(self, scope: Scope, limit: int) -> list[Said]:
        """See `Foresight.said`."""
        return await self.read_for(scope, lambda c: said_rows.said(c, scope, limit))

    async def dated(self, scope: Scope) -> list[Dated]:
        """See `Foresight.dated`."""
        return await self.read_for(scope, lambda c: occasion_rows.dated(c, scope))

    async def note(self, scope: Scope, found: Sequence[Occasion], *, lease: Lease | None = None) -> int:
        """See `Foresight.note`."""
        return await self.write(scope, SCAN, lambda unit: occasion_rows.note(unit, found, lease))

    async def due(
        self, scope: Scope, *, first: date | None, last: date | None, told: bool = False
    ) -> list[Due]:
        """See `Foresight.due`."""
        return await self.read_for(scope, lambda c: occasion_rows.due(c, scope, first, last, told=told))

    async def take(self, scope: Scope, *, first: date | None, last: date | None) -> list[Due]:
        """See `Foresight.take`."""
        return await self.write(scope, SCAN, lambda unit: occasion_rows.take(unit, first, last))

    async def judge(self, scope: Scope, said: Feedback) -> bool:
        """See `Foresight.judge`."""
        return await self.write(scope, FEEDBACK, lambda unit: feedback_rows.judge(unit, said))

    async def use(self, scope: Scope) -> MemoryUse:
        """See `Foresight.use`."""
        return await self.read_for(scope, lambda c: feedback_rows.use(c, scope))
