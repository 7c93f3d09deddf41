"""Finds what of a set of drafts the store knows already."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.records.batch import Reinforcement
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import Link
from memu_py.records.scope import Scope
from memu_py.steps.memorize.duplicates import Holders, merge_equal, merge_near, one_memory, reinforce, similar
from memu_py.steps.resources import MemoryResources

Embed = Callable[[Sequence[ItemDraft]], Awaitable[Matrix]]


class Resolved(NamedTuple):
    """What is new and what is not.

    Attributes:
        drafts: what is new.
        reinforcements: of stored items.
        item_links: from new items to stored or new ones that are near.
        holders: id of a draft that is not new → id of the draft or item that holds it.
    """

    drafts: list[ItemDraft]
    reinforcements: list[Reinforcement]
    item_links: list[Link]
    holders: Holders


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

    async def exact(self, drafts: Sequence[ItemDraft]) -> Resolved:
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
                again.append(_again(item, draft, self.at))
                holders[draft.id] = item.id
        return Resolved(drafts=new, reinforcements=again, item_links=[], holders=holders)

    async def near(self, drafts: Sequence[ItemDraft]) -> Resolved:
        """Do what `exact` does, then the same for near duplicates."""
        equal = await self.exact(drafts)
        if not equal.drafts:
            return equal
        vectors = await self.embed(equal.drafts)
        rest, links, holders = await asyncio.to_thread(self._merged, equal.drafts, vectors)
        found = await self._stored(rest)
        kept = {draft.id for draft in found.drafts}
        inner = [link for link in links if {link.source_id, link.target_id} <= kept]
        return Resolved(
            drafts=found.drafts,
            reinforcements=[*equal.reinforcements, *found.reinforcements],
            item_links=[*inner, *found.item_links],
            holders=equal.holders | holders | found.holders,
        )

    def _merged(
        self, drafts: Sequence[ItemDraft], vectors: Matrix
    ) -> tuple[list[ItemDraft], list[Link], Holders]:
        return merge_near(
            drafts, vectors, self.scope, same=self.same, candidates=self.candidates, check=self.check
        )

    async def _stored(self, drafts: Sequence[ItemDraft]) -> Resolved:
        vectors = await self.embed(drafts)
        near = await self._candidates(vectors)
        wanted = list({item_id for found in near for item_id, _ in found})
        items = await self.resources.store.items.get(self.scope.owner, wanted)
        resolved = Resolved(drafts=[], reinforcements=[], item_links=[], holders={})
        for draft, vector, found in zip(drafts, vectors, near, strict=True):
            target = self._target(draft, found, items)
            if target is None:
                resolved.drafts.append(draft)
                links = [similar(draft.id, item_id, cosine) for item_id, cosine in found if item_id in items]
                resolved.item_links.extend(links)
            else:
                resolved.reinforcements.append(reinforce(target, draft, _row(vector), at=self.at))
                resolved.holders[draft.id] = target.id
        return resolved

    async def _candidates(self, vectors: Matrix) -> list[list[tuple[str, float]]]:
        view = await self.resources.view(self.scope.owner)
        return [
            [
                (item_id, cosine)
                for item_id, cosine in view.nearest(_row(vector), self.candidates)
                if cosine >= self.same and item_id not in self.ended
            ]
            for vector in vectors
        ]

    def _target(
        self, draft: ItemDraft, near: Sequence[tuple[str, float]], items: dict[str, Item]
    ) -> Item | None:
        for item_id, _ in near:
            item = items.get(item_id)
            if item and one_memory(draft, self.scope, item, item.scope):
                return item
        return None


def _again(item: Item, draft: ItemDraft, at: datetime) -> Reinforcement:
    return Reinforcement(item_id=item.id, at=at, count=max(len(draft.sources), 1), sources=draft.sources)


def _row(vector: Matrix) -> Matrix:
    return np.ascontiguousarray(vector, dtype=np.float32)
