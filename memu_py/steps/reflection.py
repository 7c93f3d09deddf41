"""Reflection: what is seen when memories are looked at together, and how it is stored."""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, Field

from memu_py.features.abstracts import said_at
from memu_py.features.reflection import Insight, said_often
from memu_py.language.judgements import inferred
from memu_py.llm.sifting import SIFTED
from memu_py.prompts.ids import bare_id
from memu_py.records.batch import Batch, Reinforcement, StoredItem, Vector
from memu_py.records.entity import names_by_key
from memu_py.records.insight import INSIGHT, KIND, Moved, Reflected, Waiting
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import DERIVED_FROM, Link
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.scope import Scope
from memu_py.steps.memorize.opening import closeness
from memu_py.steps.resources import MemoryResources
from memu_py.steps.spoken import day_of, spoken
from memu_py.steps.stored import make_item, stored_items

ACTOR = "reflect"
PROMPT = "reflect"
FEWEST_REFS = 2
MOST_NAMES = 10


class Seen(BaseModel):
    """One insight of a model."""

    kind: Literal["pattern", "summary"] = "pattern"
    text: str
    importance: float = Field(ge=1, le=10)
    refs: list[str]


class Insights(BaseModel):
    """What a model answers."""

    insights: Annotated[list[Seen], SIFTED]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Earlier:
    items: Sequence[Item]
    vectors: dict[str, Vector]

    def same(self, scope: Scope, vector: Vector, least: float) -> str | None:
        """Return the earlier insight of a scope that says the same, if there is one."""
        near = [
            (float(self.vectors[item.id] @ vector), item.id)
            for item in self.items
            if item.id in self.vectors and item.scope.evolve(session=None) == scope
        ]
        cosine, item_id = max(near, default=(0.0, ""))
        return item_id if item_id and cosine >= least else None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reflector:
    """Reflects on a partition, one page of new items after the other.

    Attributes:
        resources: what it works with; of the whole partition.
        scope: the partition's.
        clock: gives the present moment.
        check: called now and then; raises to stop.
    """

    resources: MemoryResources
    scope: Scope
    clock: Callable[[], datetime]
    check: Callable[[], None]

    async def page(self, run_id: str) -> Reflected | None:
        """Look at the next page, and write what is seen together with the watermark, in one transaction.

        Returns:
            None when nothing waits.

        Raises:
            ModelError: the model failed; nothing is written, and the page waits.
            Conflict: somebody else has looked at it meanwhile.
        """
        self.check()
        store, settings = self.resources.store, self.resources.settings.reflect
        read_seq = await store.seq(self.scope)
        waiting = await store.reflections.waiting(self.scope, settings.page)
        if not waiting.ids:
            return None
        found = await store.items.get(self.scope, waiting.ids)
        groups, dropped = defaultdict[Scope, list[Item]](list), Counter[str]()
        for item in found.values():
            # What one agent keeps is not mixed into what others are told.
            groups[item.scope.evolve(session=None)].append(item)
        seen = [
            (scope, insight) for scope, items in groups.items() for insight in await self._see(items, dropped)
        ]
        return await self._write(waiting, read_seq, seen, f"{run_id} {waiting.watermark.seq}", dropped)

    async def _see(self, items: Sequence[Item], dropped: Counter[str]) -> list[Insight]:
        settings = self.resources.settings.reflect
        if len(items) < FEWEST_REFS:
            return []
        there = self.resources.has_model(settings.profile)
        if settings.mode == "llm" or (settings.mode == "auto" and there):
            found = await self._by_model(items, dropped)
        else:
            found = await self._by_rule(items)
        kept = [one for one in found if one.importance >= settings.min_importance]
        dropped["low"] += len(found) - len(kept)
        return kept

    async def _by_rule(self, items: Sequence[Item]) -> list[Insight]:
        vectors = await self.resources.store.vectors(self.scope, [item.id for item in items])
        known = [item for item in items if item.id in vectors]
        if not known:
            return []
        return said_often(
            known,
            np.stack([vectors[item.id] for item in known]),
            threshold=closeness(self.resources.calibration),
            least=self.resources.settings.reflect.least,
            zone=self.resources.zone(self.scope),
        )

    async def _by_model(self, items: Sequence[Item], dropped: Counter[str]) -> list[Insight]:
        zone = self.resources.zone(self.scope)
        shown = {f"m{number}": item for number, item in enumerate(items, 1)}
        lines = [f"[{name}] {day_of(said_at(item), zone)} {spoken(item)}" for name, item in shown.items()]
        prompt = self.resources.prompt(PROMPT, " ".join(item.text for item in items))
        model = self.resources.chat(self.resources.settings.reflect.profile, purpose=ACTOR)
        answer = await model.chat(prompt.messages({"memories": "\n".join(lines)}), Insights)
        found = []
        for one in answer.value.insights:
            cited = dict.fromkeys(bare_id(ref) for ref in one.refs)
            sources = tuple(shown[name] for name in cited if name in shown)
            text = self.resources.masker.text(" ".join(one.text.split()))
            if len(sources) < FEWEST_REFS or len(sources) < len(cited):
                dropped["strangers"] += 1
            elif not text or inferred(text, [spoken(item) for item in sources]):
                dropped["judging"] += 1
            else:
                found.append(Insight(kind=one.kind, text=text, importance=one.importance, sources=sources))
        return found

    async def _write(
        self,
        waiting: Waiting,
        read_seq: int,
        seen: Sequence[tuple[Scope, Insight]],
        run_id: str,
        dropped: Counter[str],
    ) -> Reflected:
        stored, again, links = await self._stored(seen)
        names = await self.resources.embed_names(one.item.entities for one in stored)
        batch = Batch(
            run_id=run_id,
            actor=ACTOR,
            read_seq=read_seq,
            items=tuple(stored),
            reinforcements=tuple(again),
            links=tuple(links),
            entity_vectors=names,
            lease=self.resources.lease,
            moved=Moved(before=waiting.watermark.seq, after=waiting.seq),
        )
        committed = await self.resources.store.commit(self.scope, batch)
        return Reflected(
            insights=committed.added,
            confirmed=committed.reinforced,
            looked_at=len(waiting.ids),
            dropped=dict(+dropped),
        )

    async def _stored(
        self, seen: Sequence[tuple[Scope, Insight]]
    ) -> tuple[list[StoredItem], list[Reinforcement], list[Link]]:
        """Return what is new, what earlier insights say already, and what both rest on."""
        if not seen:
            return [], [], []
        vectors = await self.resources.embed_passages([one.text for _, one in seen])
        await self.resources.guard.record(vectors.shape[1])
        earlier, now = await self._earlier(), self.clock()
        new: dict[str, tuple[Item, Vector]] = {}
        again: dict[str, Reinforcement] = {}
        links: list[Link] = []
        for (scope, one), vector in zip(seen, vectors, strict=True):
            target = earlier.same(scope, vector, self.resources.calibration.same)
            if target is None:
                item = make_item(self._draft(one), scope, now)
                target = item.id
                new[target] = item, vector
            else:
                again[target] = Reinforcement(item_id=target, at=now, reason="seen again")
            links += [Link(source_id=target, target_id=of.id, kind=DERIVED_FROM) for of in one.sources]
        stored = stored_items([item for item, _ in new.values()], [vector for _, vector in new.values()])
        return stored, list(again.values()), links

    async def _earlier(self) -> _Earlier:
        store = self.resources.store
        query = Query(where={"type": INSIGHT}, descending=True, limit=MAX_PAGE)
        page = await store.items.page(self.scope, query)
        return _Earlier(
            items=page.records, vectors=await store.vectors(self.scope, [item.id for item in page])
        )

    def _draft(self, one: Insight) -> ItemDraft:
        return ItemDraft(
            type=INSIGHT,
            text=one.text,
            said_at=max(map(said_at, one.sources)),
            entities=tuple(names_by_key(item.entities for item in one.sources).values())[:MOST_NAMES],
            importance=one.importance,
            attribution="agent",
            metadata={KIND: one.kind},
        )
