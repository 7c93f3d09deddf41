"""New categories without a model: opened where unassigned items are close to one another, named after their terms."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime

import numpy as np

from memu_py.embedding.embedder import Calibration
from memu_py.errors import NotFound
from memu_py.features.clusters import close_groups
from memu_py.language.terms import terms_of_groups
from memu_py.records.item import Item
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.topics import new_category

ACTOR = "update_categories"
NAME_TERMS = 3
CLOSENESS = 0.75
"""How far from "may belong to one topic" to "may say the same" two items of a new category must be."""


def closeness(calibration: Calibration) -> float:
    """Return the cosine from which on any two items of a group tell of one thing."""
    return calibration.topic + CLOSENESS * (calibration.same - calibration.topic)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class CategoryOpener:
    """Opens categories of one partition.

    Attributes:
        resources: what the run works with.
        scope: the partition's.
        now: when categories are made, UTC.
        newest: unassigned items to look at.
        close: cosine between any two items of a new one; None for what the embedder's calibration says.
    """

    resources: MemoryResources
    scope: Scope
    now: datetime
    newest: int
    close: float | None = None

    async def open(self) -> None:
        """Open as many as there are groups of items, and room."""
        settings, store = self.resources.settings.categories, self.resources.store
        room = settings.max_per_user - await store.categories.count(self.scope)
        if room <= 0:
            return
        query = Query(where={"category": {"exists": False}}, descending=True, limit=self.newest)
        items = list(await store.items.page(self.scope, query))
        vectors = await store.vectors(self.scope, [item.id for item in items])
        items = [item for item in items if item.id in vectors]
        if len(items) < settings.min_cluster:
            return
        matrix = np.stack([vectors[item.id] for item in items])
        groups = close_groups(matrix, threshold=self._closeness(), least=settings.min_cluster)
        named = terms_of_groups([item.text for item in items], groups[:room], NAME_TERMS)
        topics: dict[str, list[Item]] = {}
        for terms, group in zip(named, groups, strict=False):
            if terms:
                topics.setdefault(", ".join(terms), []).extend(items[row] for row in group)
        if topics:
            await self._open(topics)

    def _closeness(self) -> float:
        return closeness(self.resources.calibration) if self.close is None else self.close

    async def _open(self, topics: Mapping[str, list[Item]]) -> None:
        """Open categories by name, with their first members; two writes, however many there are."""
        store, wanted = self.resources.store, [new_category(self.scope, name, self.now) for name in topics]
        opened = await store.add_categories(self.scope, wanted)
        members: dict[str, list[Item]] = {}
        for category, items in zip(opened, topics.values(), strict=True):
            members.setdefault(category.id, []).extend(items)
        try:
            await store.link(self.scope, _links(members), actor=ACTOR)
        except NotFound:
            # Somebody erased a member meanwhile.
            for category, mine in zip(opened, wanted, strict=True):
                await self._fill(category.id, members[category.id], ours=category.id == mine.id)

    async def _fill(self, category_id: str, members: list[Item], *, ours: bool) -> None:
        try:
            await self.resources.store.link(self.scope, _links({category_id: members}), actor=ACTOR)
        except NotFound:
            # The words of what was erased must not live on as the name of a topic.
            if ours:
                await self.resources.store.delete_categories(self.scope, [category_id], actor=ACTOR)


def _links(members: Mapping[str, list[Item]]) -> list[Link]:
    return [
        Link(source_id=item.id, target_id=category_id, kind=IN_CATEGORY)
        for category_id, items in members.items()
        for item in items
    ]
