"""The store's contract for when things were."""

from datetime import datetime
from typing import Protocol

from memu_py.records.page import Where
from memu_py.records.scope import Scope


class Timeline(Protocol):
    """Counts of items by time."""

    async def slots(
        self, scope: Scope, where: Where | None = None, *, live: bool = True
    ) -> list[tuple[datetime, int]]:
        """Return how many items there are at which time, in order.

        The database groups them by quarters of an hour, on which every day of every time zone begins since 1972: the
        answer has at most 35 136 rows a year, however many items there are. Earlier ones are grouped by their instant.

        Args:
            scope: whose.
            where: conditions on fields; the time is the field `at`.
            live: leave out what holds no longer.
        """
        ...
