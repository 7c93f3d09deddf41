"""Searching in the database itself, where it can; a partition's rows then never come together in one process."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memu_py.records.batch import Vector
from memu_py.records.page import Where
from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.storage.index_rows import IndexRows


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Sight(Record):
    """What may be found.

    Attributes:
        scope: whose items.
        where: a filter on them.
        as_of: a moment: what was true then in place of what holds now.
        hidden: items that are not found, whatever they are now.
        shown: items that are found all the same.
    """

    scope: Scope
    where: Where | None = None
    as_of: datetime | None = None
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Census(Record):
    """How common terms are in a partition.

    Attributes:
        texts: items in all, superseded ones included.
        holding: how many of them hold each term.
    """

    texts: int
    holding: Mapping[str, int]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Surroundings(Record):
    """Some items and those around them.

    Attributes:
        rows: what an index needs of them.
        visible: those that may be found.
    """

    rows: Sequence[IndexRows]
    visible: frozenset[str]


class Search(Protocol):
    """Finds items in the database."""

    async def nearest(self, sight: Sight, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k items whose vectors have the largest cosine, best first, with the cosines.

        Exact in small partitions; in large ones by an index that may miss some.

        Args:
            sight: what may be found.
            vector: (d,), of length 1.
            k: how many.

        Raises:
            InvalidFilter: the filter is not usable.
        """
        ...

    async def nearby(
        self, sight: Sight, vector: Vector, k: int, *, reach: int
    ) -> tuple[list[tuple[str, float]], Surroundings]:
        """Return what `nearest` does, and the `surroundings` of it, from one look.

        Args:
            sight: what may be found.
            vector: (d,), of length 1.
            k: how many.
            reach: how many places on each side.

        Raises:
            InvalidFilter: the filter is not usable.
        """
        ...

    async def holding(self, sight: Sight, terms: Mapping[str, int], limit: int, *, placed: bool) -> IndexRows:
        """Return the words of items that hold one of the terms, in no order; of vectors and figures nothing.

        Args:
            sight: what may be found.
            terms: index tokens, the rarest first, with how many items hold them, about; of the later ones only as many
                items as the limit has room for.
            limit: how many items at most.
            placed: whether it is needed where they stand in their resources; else all stand alone.
        """
        ...

    async def census(self, scope: Scope, terms: Sequence[str]) -> Census:
        """Return how common terms are in the partition; counts may be a little old."""
        ...

    async def surroundings(self, sight: Sight, ids: Sequence[str], *, reach: int) -> Surroundings:
        """Return what an index needs of items and of those that stand around them in their resources.

        Args:
            sight: what may be found.
            ids: the items; unknown ones are passed over.
            reach: how many places on each side.
        """
        ...

    async def speakers(self, scope: Scope) -> list[str]:
        """Return who says something in the partition, sorted."""
        ...

    async def names(self, scope: Scope, keys: Sequence[str], starts: Sequence[str]) -> list[str]:
        """Return the keys of names that the partition knows.

        Args:
            scope: whose.
            keys: some of them.
            starts: with what others begin; of very many the shortest are returned.
        """
        ...

    async def names_near(self, scope: Scope, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the keys of the k names with the largest cosine, best first, with the cosines.

        Args:
            scope: whose.
            vector: (d,), of length 1.
            k: how many.
        """
        ...

    async def names_carried(self, scope: Scope, keys: Sequence[str]) -> Mapping[str, int]:
        """Return how many items carry each of these names; those that none carries are left out."""
        ...

    async def carriers(self, scope: Scope, keys: Sequence[str], most: int) -> list[tuple[str, str]]:
        """Return which items carry these names, as pairs of an item and a key, the oldest first.

        Args:
            scope: whose; attributes do not count.
            keys: of the names.
            most: of each name only the newest so many items.
        """
        ...

    async def carried_by(
        self, scope: Scope, keys: Sequence[str], ids: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return the same, of these items alone."""
        ...
