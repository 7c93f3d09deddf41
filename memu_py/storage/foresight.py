"""The store's contract for habits, occasions and feedback; all rows go with the items that they are about."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from memu_py.records.feedback import Feedback, MemoryUse
from memu_py.records.job import Lease
from memu_py.records.occasion import Dated, Due, Occasion
from memu_py.records.said import Said
from memu_py.records.scope import Scope


class Foresight(Protocol):
    """What is known of when things are said, when they are due, and whether they helped."""

    async def said(self, scope: Scope, limit: int) -> list[Said]:
        """Return when the live items of a scope were said, each time, the newest `limit` of them, newest first."""
        ...

    async def dated(self, scope: Scope) -> list[Dated]:
        """Return the live items of a scope that have a date, in order of id."""
        ...

    async def note(self, scope: Scope, found: Sequence[Occasion], *, lease: Lease | None = None) -> int:
        """Note occasions, in one transaction; one that is noted already only gets its new moment.

        An item that is gone, holds no longer, or has another date by now gets none.

        Args:
            scope: whose.
            found: the occasions.
            lease: of the job that found them: without it nothing is written.

        Returns:
            How many were not known before.

        Raises:
            Cancelled: the lease is gone.
        """
        ...

    async def due(
        self, scope: Scope, *, first: date | None, last: date | None, told: bool = False
    ) -> list[Due]:
        """Return noted occasions of live items, the earliest first.

        Args:
            scope: whose.
            first: the first day; None from the beginning.
            last: the last day; None for all that come.
            told: also those that were taken already.
        """
        ...

    async def take(self, scope: Scope, *, first: date | None, last: date | None) -> list[Due]:
        """Return what `due` does, and mark it as told in the same transaction: nobody gets it again."""
        ...

    async def judge(self, scope: Scope, said: Feedback) -> bool:
        """Keep feedback; what it says takes the place of what the run said of the item before.

        Returns:
            False when that is known already, and nothing was written.

        Raises:
            NotFound: the item is not in the scope.
        """
        ...

    async def use(self, scope: Scope) -> MemoryUse:
        """Return what became of the memories of a scope."""
        ...
