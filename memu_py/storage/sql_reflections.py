"""Watermarks of reflection over a database."""

from memu_py.records.insight import Waiting, Watermark
from memu_py.records.scope import Scope
from memu_py.storage import reflection_rows
from memu_py.storage.units import Units


class SqlReflections(Units):
    """`Reflections` over a database; made as `Units` is."""

    async def watermark(self, scope: Scope) -> Watermark:
        """See `Reflections.watermark`."""
        return await self.read_for(scope, lambda c: reflection_rows.watermark(c, scope))

    async def waiting(self, scope: Scope, limit: int) -> Waiting:
        """See `Reflections.waiting`."""
        return await self.read_for(scope, lambda c: reflection_rows.waiting(c, scope, limit))

    async def count(self, scope: Scope, most: int) -> int:
        """See `Reflections.count`."""
        return await self.read_for(scope, lambda c: reflection_rows.count(c, scope, most))
