"""Finds what of a set of drafts the store knows already, and what stands near the rest."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.records.batch import Reinforcement
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import Link
from memu_py.records.scope import Scope
from memu_py.steps.memorize.duplicates import (
    Holders,
    merge_equal,
    merge_near,
    one_memory,
    owner_of,
    reinforce,
    say_again,
    similar,
)
from memu_py.steps.resources import MemoryResources

BETWEEN = 0.5
"""How far from "may belong to one topic" to "may say the same" a memory must be to be spoken against."""

Embed = Callable[[Sequence[ItemDraft]], Awaitable[Matrix]]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """A stored item that is near a draft.

    Attributes:
        item: as stored.
        cosine: of their vectors.
    """

    item: Item
    cosine: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What is new and what is not.

    Attributes:
        drafts: what is new.
        reinforcements: of stored items.
        links: from new items to stored or new ones that are near.
        holders: id of a draft that is not new → id of the draft or item that holds it.
        near: live items of the same owner that may speak of the same, by draft, nearest first.
    """

    drafts: list[ItemDraft]
    reinforcements: list[Reinforcement] = dataclasses.field(default_factory=list)
    links: list[Link] = dataclasses.field(default_factory=list)
    holders: Holders = dataclasses.field(default_factory=dict)
    near: Mapping[str, Sequence[Neighbour]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class DuplicateResolver:
    """Compares drafts with one another and with the store.

    Attributes:
        scope: whose they are.
        resources: what the run works with.
        at: now, UTC.
        embed: gives the vectors of drafts.
        same: cosine above which two texts may be near duplicates.
        candidates: near drafts, and near stored items, to compare each draft with.
        ended: items that this run ends, so that nothing is found to repeat them.
        check: called now and then; raises to stop.
    """

    scope: Scope
    resources: MemoryResources
    at: datetime
    embed: Embed
    same: float
    candidates: int = 5
    ended: Collection[str] = ()
    check: Callable[[], None] = lambda: None

    @property
    def related(self) -> float:
        """Cosine above which two texts may speak of the same thing."""
        topic = self.resources.calibration.topic
        return topic + BETWEEN * (self.same - topic)

    async def exact(self, drafts: Sequence[ItemDraft]) -> Compared:
        """Join equal drafts, and reinforce stored items of the same identity."""
        merged, holders = merge_equal(drafts, self.scope)
        known = await self.resources.store.live_identities(self.scope, list(merged))
        new: list[ItemDraft] = []
        again: list[Reinforcement] = []
        for identity, draft in merged.items():
            item = known.get(identity)
            if item is None or item.id in self.ended:
                new.append(draft)
            else:
                again.append(say_again(item, draft, self.at))
                holders[draft.id] = item.id
        return Compared(drafts=new, reinforcements=again, holders=holders)

    async def near(self, drafts: Sequence[ItemDraft]) -> Compared:
        """Do what `exact` does, then the same for near duplicates."""
        equal = await self.exact(drafts)
        if not equal.drafts:
            return equal
        vectors = await self.embed(equal.drafts)
        rest, links, holders = await asyncio.to_thread(self._merged, equal.drafts, vectors)
        found = await self._stored(rest)
        kept = {draft.id for draft in found.drafts}
        inner = [link for link in links if {link.source_id, link.target_id} <= kept]
        return Compared(
            drafts=found.drafts,
            reinforcements=[*equal.reinforcements, *found.reinforcements],
            links=[*inner, *found.links],
            holders=equal.holders | holders | found.holders,
            near=found.near,
        )

    def _merged(
        self, drafts: Sequence[ItemDraft], vectors: Matrix
    ) -> tuple[list[ItemDraft], list[Link], Holders]:
        return merge_near(
            drafts, vectors, self.scope, same=self.same, candidates=self.candidates, check=self.check
        )

    async def _stored(self, drafts: Sequence[ItemDraft]) -> Compared:
        vectors = await self.embed(drafts)
        near = await self._neighbours(vectors)
        found: list[ItemDraft] = []
        again: list[Reinforcement] = []
        links: list[Link] = []
        holders: Holders = {}
        fuller: dict[str, Item] = {}
        for draft, vector, around in zip(drafts, vectors, near, strict=True):
            close = [one for one in around if one.cosine >= self.same]
            # An item is compared as the drafts before this one leave it: two may each say more, and not the same.
            now = (fuller.get(one.item.id, one.item) for one in close)
            target = next((item for item in now if self._is_one(draft, item)), None)
            if target is None:
                found.append(draft)
                links += [similar(draft.id, one.item.id, one.cosine) for one in close]
            else:
                again.append(reinforce(target, draft, _row(vector), at=self.at))
                if (replacement := again[-1].replacement) is not None:
                    fuller[target.id] = replacement.item
                holders[draft.id] = target.id
        mine = {draft.id: self._own(around) for draft, around in zip(drafts, near, strict=True)}
        return Compared(drafts=found, reinforcements=again, links=links, holders=holders, near=mine)

    async def _neighbours(self, vectors: Matrix) -> list[list[Neighbour]]:
        view = await self.resources.view(self.scope.owner)
        floor = min(self.same, self.related)
        near: list[list[tuple[str, float]]] = []
        for vector in vectors:
            found = await view.nearest(_row(vector), self.candidates)
            near.append([one for one in found if one[1] >= floor and one[0] not in self.ended])
        wanted = list({item_id for found in near for item_id, _ in found})
        items = await self.resources.store.items.get(self.scope.owner, wanted)
        return [
            [Neighbour(item=items[item_id], cosine=cosine) for item_id, cosine in found if item_id in items]
            for found in near
        ]

    def _own(self, near: Sequence[Neighbour]) -> list[Neighbour]:
        """Return those of the same owner: what one agent was told takes nothing back from another."""
        mine = owner_of(self.scope)
        return [one for one in near if one.cosine >= self.related and owner_of(one.item.scope) == mine]

    def _is_one(self, draft: ItemDraft, item: Item) -> bool:
        return one_memory(draft, self.scope, item, item.scope)


def _row(vector: Matrix) -> Matrix:
    return np.ascontiguousarray(vector, dtype=np.float32)
