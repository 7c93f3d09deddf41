"""Moods over a database."""

from collections.abc import Mapping
from datetime import date

from memu_py.records.item import Item
from memu_py.records.mood import MoodKey, Tally
from memu_py.records.scope import Scope
from memu_py.storage import mood_rows
from memu_py.storage.units import Units


class SqlMoods(Units):
    """`Moods` over a database; made as `Units` is."""

    async def sums(
        self,
        scope: Scope,
        *,
        first: date | None = None,
        last: date | None = None,
        speaker: str | None = None,
    ) -> Mapping[MoodKey, Tally]:
        """See `Moods.sums`."""
        return await self.read_for(scope, lambda c: mood_rows.mood_sums(c, scope, first, last, speaker))

    async def cited(
        self,
        scope: Scope,
        *,
        first: date | None = None,
        last: date | None = None,
        speaker: str | None = None,
        entity: str | None = None,
        limit: int = 5,
    ) -> list[Item]:
        """See `Moods.cited`."""
        return await self.read_for(
            scope, lambda c: mood_rows.cited(c, scope, first, last, speaker, entity, limit)
        )
