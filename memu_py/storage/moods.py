"""The store's contract for moods: sums by day over the items that hold and have a feeling.

One that faded and was put away counts as before; one that was put away when it had expired does not.

They are written with the items, in the same transaction: what is added, changed, ended or deleted moves them by exactly
its own part, so that any order and any batches of the same items leave the same sums.
"""

from collections.abc import Mapping
from datetime import date
from typing import Protocol

from memu_py.records.item import Item
from memu_py.records.mood import MoodKey, Tally
from memu_py.records.scope import Scope


class Moods(Protocol):
    """What was felt, by day."""

    async def sums(
        self,
        scope: Scope,
        *,
        first: date | None = None,
        last: date | None = None,
        speaker: str | None = None,
    ) -> Mapping[MoodKey, Tally]:
        """Return the sums of some days, by day, speaker, part and name.

        Those of a whole partition are kept; those of a scope with an agent, a session or custom keys are made of its
        items.

        Args:
            scope: whose.
            first: the first day, UTC; None from the beginning.
            last: the last day; None to the end.
            speaker: only what this one said; None for everybody.
        """
        ...

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
        """Return items that are counted: those of the strongest valence first, then the newest.

        Args:
            scope: whose.
            first: the first day, UTC; None from the beginning.
            last: the last day; None to the end.
            speaker: only what this one said; None for everybody.
            entity: key of a name that they carry; None for any.
            limit: how many at most.
        """
        ...
