"""Making items by hand: duplicates, vectors, and one transaction."""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from memu_py import _core
from memu_py.embedding.embedder import Matrix
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.batch import Batch, Committed, Reinforcement
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import Link
from memu_py.records.scope import Scope
from memu_py.service.fields import ItemFields, NewItemFields, checked
from memu_py.service.runtime import Runtime
from memu_py.steps.memorize.conflicts import revisions, ruled
from memu_py.steps.memorize.duplicates import Holders, follow, merge_equal
from memu_py.steps.memorize.recheck import Rechecker
from memu_py.steps.memorize.resolver import DuplicateResolver
from memu_py.steps.resources import MemoryResources
from memu_py.steps.stored import make_item, settled_relations, stored_items

ACTOR = "api"
DEFAULT_TYPE = "fact"

Dedupe = Literal["near", "exact"]
NewItem = str | Mapping[str, Any] | ItemDraft


def draft_of(item: NewItem) -> ItemDraft:
    """Return what a caller gave as a draft with checked fields; its type is still to be looked up.

    Raises:
        InvalidInput: there is no text, a field is unknown, or a value is not usable.
    """
    if isinstance(item, ItemDraft):
        given = {name: getattr(item, name) for name in ItemFields.model_fields}
        return item.evolve(**checked(ItemFields, given))
    fields: Any = {"text": item} if isinstance(item, str) else item
    if isinstance(fields, Mapping) and fields.get("text") is None:
        msg = "an item needs a text"
        raise InvalidInput(msg)
    return ItemDraft(**{"type": DEFAULT_TYPE, **checked(NewItemFields, fields)})


def drafts_of(items: Sequence[NewItem]) -> list[ItemDraft]:
    """Return what a caller gave as drafts; see `draft_of`.

    Raises:
        InvalidInput: one of them is not usable; it is named by its place where there are several.
    """
    drafts: list[ItemDraft] = []
    for item in items:
        try:
            drafts.append(draft_of(item))
        except InvalidInput as error:
            if len(items) == 1:
                raise
            msg = f"items[{len(drafts)}]: {error.args[0]}"
            raise InvalidInput(msg, hint=error.hint) from error
    return drafts


class _Found(NamedTuple):
    """What is new and what is not; `holders` tells by a draft's id what holds it instead."""

    new: list[Item]
    holders: Holders
    reinforcements: tuple[Reinforcement, ...] = ()
    links: tuple[Link, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ItemMaker:
    """Stores drafts in a scope; a second try must be a maker of its own, because it looks at the store again.

    Attributes:
        runtime: what the service runs on.
        scope: whose they will be.
        resources: what this try works with.
        dedupe: how duplicates are looked for.
        anew: places of the drafts whose given vectors are not used, since their texts were masked.
    """

    runtime: Runtime
    scope: Scope
    resources: MemoryResources
    dedupe: Dedupe
    anew: Sequence[int] = ()

    async def store(self, drafts: Sequence[ItemDraft], vectors: Matrix | None) -> list[Item]:
        """Store drafts in one transaction.

        Args:
            drafts: at least one.
            vectors: their embeddings, (len(drafts), d); None embeds the texts.

        Returns:
            For each draft, the item that holds it now.

        Raises:
            InvalidInput: `vectors` are not usable.
            NotFound: a source of a draft is not in the scope.
            Conflict: somebody else was first; try again.
        """
        await self._check_sources(drafts)
        drafts = settled_relations(drafts, self.resources)
        read_seq = await self.runtime.store.seq(self.scope)
        known = await self._vectors(drafts, vectors)
        found = await self._near(drafts, known) if self.dedupe == "near" else self._equal(drafts)
        names = await self.resources.embed_names(draft.entities for draft in drafts)
        await self.resources.guard.record(next(iter(known.values())).shape[0])
        committed = await self._commit(found, known, names, read_seq)
        return await self._holders(drafts, found, committed)

    async def _check_sources(self, drafts: Sequence[ItemDraft]) -> None:
        named = {source.resource_id for draft in drafts for source in draft.sources}
        missing = named - (await self.runtime.store.resources.get(self.scope.owner, sorted(named))).keys()
        if missing:
            msg = f"an item names the resource {min(missing)!r} as its source, and it is not in this scope"
            raise NotFound(msg, hint="memorize the resource first, or leave `sources` out")

    async def _vectors(self, drafts: Sequence[ItemDraft], vectors: Matrix | None) -> dict[str, Matrix]:
        if vectors is None:
            matrix = await self.resources.embed_passages([draft.text for draft in drafts])
        else:
            matrix = _normalized(vectors)
        dimension = self.resources.embedder.dimension or matrix.shape[-1]
        if matrix.shape != (len(drafts), dimension):
            msg = f"`vectors` has the shape {matrix.shape}; {(len(drafts), dimension)} is needed"
            raise InvalidInput(msg)
        if vectors is not None and self.anew:
            matrix[list(self.anew)] = await self.resources.embed_passages(
                [drafts[place].text for place in self.anew]
            )
        return {draft.id: row for draft, row in zip(drafts, matrix, strict=True)}

    def _equal(self, drafts: Sequence[ItemDraft]) -> _Found:
        # What the store holds already, the transaction finds: a new item of a known identity says it again.
        merged, holders = merge_equal(drafts, self.scope)
        now = self.runtime.clock()
        new = [make_item(draft, self.scope, now, identity=identity) for identity, draft in merged.items()]
        return _Found(new=new, holders=holders)

    async def _near(self, drafts: Sequence[ItemDraft], known: Mapping[str, Matrix]) -> _Found:
        async def embed(part: Sequence[ItemDraft]) -> Matrix:
            return np.stack([known[draft.id] for draft in part])

        resolver = DuplicateResolver(
            scope=self.scope,
            resources=self.resources,
            at=self.runtime.clock(),
            embed=embed,
            same=self.resources.calibration.same,
        )
        resolved = await resolver.near(drafts)
        verdicts = await asyncio.to_thread(ruled, resolved)
        now = self.runtime.clock()
        return _Found(
            new=[make_item(draft, self.scope, now) for draft in resolved.drafts],
            reinforcements=tuple(resolved.reinforcements),
            links=(*resolved.links, *revisions(verdicts)),
            holders=resolved.holders,
        )

    async def _commit(
        self, found: _Found, known: Mapping[str, Matrix], names: Mapping[str, Matrix], read_seq: int
    ) -> Committed:
        batch = Batch(
            run_id=new_id(),
            actor=ACTOR,
            read_seq=read_seq,
            items=tuple(stored_items(found.new, [known[item.id] for item in found.new])),
            reinforcements=found.reinforcements,
            links=found.links,
            entity_vectors=names,
        )
        near = Rechecker(same=self.resources.calibration.same, at=self.runtime.clock())
        recheck = near if self.dedupe == "near" else None
        return await self.runtime.store.commit(self.scope, batch, recheck=recheck)

    async def _holders(self, drafts: Sequence[ItemDraft], found: _Found, committed: Committed) -> list[Item]:
        """Return, for each draft, the item that holds it: all of them were written by this transaction."""
        holders = {**found.holders, **committed.replaced}
        items = {item.id: item for item in (*committed.added, *committed.reinforced)}
        return [items[follow(draft.id, holders)] for draft in drafts]


def _normalized(vectors: Any) -> Matrix:
    try:
        matrix = np.ascontiguousarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        msg = f"`vectors` is no matrix of numbers: {error}"
        raise InvalidInput(msg) from error
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        msg = f"`vectors` is a matrix of finite numbers; this one has the shape {matrix.shape}"
        raise InvalidInput(msg)
    return _core.normalize(matrix)
