"""The names that a partition's items carry, wherever they are kept."""

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from memu_py import _core
from memu_py.index.cache import IndexCache
from memu_py.index.entities import MOST_ITEMS, Entities, chinese_parts
from memu_py.index.signals import Scores
from memu_py.records.batch import Vector
from memu_py.records.entity import entity_key
from memu_py.records.scope import Scope
from memu_py.storage.search import Search

WHOLE = 3
"""Characters up to which a word is looked for as it is; the last one of a longer word may differ: Mary, Mary's."""


class Names(Protocol):
    """The names of a partition by their keys; see `Entities`."""

    async def named(self, text: str, names: Iterable[str]) -> list[str]:
        """Return the keys of the names that a question says; see `Entities.named`."""
        ...

    async def near(self, vector: Vector, threshold: float, most: int) -> Mapping[str, float]:
        """Return the keys of the names that are nearest in meaning; see `Entities.near`."""
        ...

    async def counts(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return how many items carry each of these names; those that none carries are left out."""
        ...

    async def carriers(self, weights: Mapping[str, float]) -> list[tuple[str, float]]:
        """Return the items that carry any of the names; see `Entities.carriers`."""
        ...

    async def scores(self, ids: Collection[str], weights: Mapping[str, float]) -> Scores:
        """Return what names say for items; see `Entities.scores`."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class KeptNames:
    """`Names` of an index in memory.

    Attributes:
        index: of partitions.
        scope: whose.
    """

    index: IndexCache
    scope: Scope

    async def named(self, text: str, names: Iterable[str]) -> list[str]:
        """See `Names.named`."""
        return (await self.index.entities(self.scope)).named(text, names)

    async def near(self, vector: Vector, threshold: float, most: int) -> Mapping[str, float]:
        """See `Names.near`."""
        known = await self.index.entities(self.scope)
        if not len(known):
            return {}
        return (await self.index.entities(self.scope, vectors=True)).near(vector, threshold, most)

    async def counts(self, keys: Sequence[str]) -> Mapping[str, int]:
        """See `Names.counts`."""
        known = await self.index.entities(self.scope)
        return {key: known.count(key) for key in keys if known.count(key)}

    async def carriers(self, weights: Mapping[str, float]) -> list[tuple[str, float]]:
        """See `Names.carriers`."""
        return (await self.index.entities(self.scope)).carriers(weights)

    async def scores(self, ids: Collection[str], weights: Mapping[str, float]) -> Scores:
        """See `Names.scores`."""
        return (await self.index.entities(self.scope)).scores(ids, weights)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SearchedNames:
    """`Names` of a database, which is asked for those that a question may mean and never for all.

    A name whose first letters carry marks that the question leaves out is not found; an index in memory finds it.

    Attributes:
        search: finds them.
        scope: whose.
    """

    search: Search
    scope: Scope

    async def named(self, text: str, names: Iterable[str]) -> list[str]:
        """See `Names.named`."""
        given = list(names)
        keys = [*map(entity_key, given), *chinese_parts(entity_key(text))]
        found = await self.search.names(self.scope, list(dict.fromkeys(keys)), starts(text))
        # Each as if one item carried it: which of them the question says is found as in an index of all.
        return Entities((key, key) for key in found).named(text, given)

    async def near(self, vector: Vector, threshold: float, most: int) -> Mapping[str, float]:
        """See `Names.near`."""
        found = await self.search.names_near(self.scope, vector, most)
        return {key: cosine for key, cosine in found if cosine >= threshold}

    async def counts(self, keys: Sequence[str]) -> Mapping[str, int]:
        """See `Names.counts`."""
        return await self.search.names_carried(self.scope, keys) if keys else {}

    async def carriers(self, weights: Mapping[str, float]) -> list[tuple[str, float]]:
        """See `Names.carriers`."""
        links = await self.search.carriers(self.scope, list(weights), MOST_ITEMS) if weights else []
        return Entities(links).carriers(weights)

    async def scores(self, ids: Collection[str], weights: Mapping[str, float]) -> Scores:
        """See `Names.scores`."""
        links = await self.search.carried_by(self.scope, list(weights), list(ids))
        return Entities(links).scores(ids, weights)


def starts(text: str) -> list[str]:
    """Return with what the names that a text says may begin: its words, as they are and as index tokens.

    >>> starts("Does Mary ski?")
    ['doe', 'mar', 'ski']
    """
    (tokens,) = _core.tokenize([text])
    words = [*tokens, *re.findall(r"\w+", entity_key(text))]
    return list(dict.fromkeys(word if len(word) <= WHOLE else word[:-1] for word in words))
