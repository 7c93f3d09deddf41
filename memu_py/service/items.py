"""Items by hand."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

import numpy as np

from memu_py import _core
from memu_py.embedding.embedder import Matrix
from memu_py.errors import InvalidInput, NotFound
from memu_py.nearest import unknown
from memu_py.records.batch import Batch, Committed
from memu_py.records.identity import item_identity
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.records.page import Page, Query, Where
from memu_py.records.scope import Scope
from memu_py.service.base import ServiceBase
from memu_py.service.metadata import check_metadata
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.memorize.recheck import Rechecker
from memu_py.steps.memorize.resolver import DuplicateResolver, Resolved
from memu_py.steps.resources import MemoryResources
from memu_py.steps.stored import make_item, stored_items

ACTOR = "api"
EDITABLE = (
    "type",
    "text",
    "speaker",
    "said_at",
    "happened",
    "entities",
    "importance",
    "emotion",
    "metadata",
    "valid_to",
)
"""What `update_item` may change; the rest is provenance or bookkeeping."""

DRAFT_FIELDS = tuple(field.name for field in dataclasses.fields(ItemDraft) if field.name != "sources")
DEFAULT_TYPE = "fact"
MAX_IMPORTANCE = 10

Dedupe = Literal["near", "exact"]
NewItem = str | Mapping[str, Any] | ItemDraft


class ItemsMixin(ServiceBase):
    """Create, read, update and delete items."""

    async def create_item(self, item: NewItem, *, dedupe: Dedupe = "near", **keys: Unpack[ScopeKeys]) -> Item:
        """Store one memory.

        Args:
            item: its text, a mapping of fields such as `{"text": …, "type": "preference"}`, or a draft.
            dedupe: as in `create_items`.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            The new item, or the one that says the same already, reinforced.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: a field is unknown or not usable.
        """
        return (await self.create_items([item], dedupe=dedupe, **keys))[0]

    async def create_items(
        self,
        items: Sequence[NewItem],
        *,
        vectors: Matrix | None = None,
        dedupe: Dedupe = "near",
        **keys: Unpack[ScopeKeys],
    ) -> list[Item]:
        """Store many memories in one transaction: the bulk door.

        Args:
            items: texts, mappings of fields, or drafts.
            vectors: their embeddings by the configured embedder, (len(items), d); None embeds the texts.
            dedupe: `near` compares meanings too, `exact` only normalised texts, which is quicker.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            For each one given, the item that holds it now, in the same order.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: a field is unknown or not usable, or `vectors` has another shape.
        """
        scope = self._scopes.make(**keys)
        drafts = [self._draft(item) for item in items]
        await self._runtime.open()
        if not drafts:
            return []
        resources = self._runtime.resources(scope)
        read_seq = await self._runtime.store.seq(scope)
        known = await _vectors(drafts, vectors, resources)
        resolved = await self._resolve(drafts, known, scope, resources, dedupe)
        await resources.guard.record(next(iter(known.values())).shape[0])
        committed = await self._commit(resolved, known, scope, read_seq, dedupe, resources)
        return await self._holders(drafts, resolved, committed, scope)

    async def _resolve(
        self,
        drafts: Sequence[ItemDraft],
        known: Mapping[str, Matrix],
        scope: Scope,
        resources: MemoryResources,
        dedupe: Dedupe,
    ) -> Resolved:
        async def embed(part: Sequence[ItemDraft]) -> Matrix:
            return np.stack([known[draft.id] for draft in part])

        resolver = DuplicateResolver(
            scope=scope,
            resources=resources,
            at=self._runtime.clock(),
            embed=embed,
            same=resources.calibration.same,
        )
        return await (resolver.near(drafts) if dedupe == "near" else resolver.exact(drafts))

    async def _commit(
        self,
        resolved: Resolved,
        known: Mapping[str, Matrix],
        scope: Scope,
        read_seq: int,
        dedupe: Dedupe,
        resources: MemoryResources,
    ) -> Committed:
        now = self._runtime.clock()
        new = [make_item(draft, scope, now) for draft in resolved.drafts]
        batch = Batch(
            run_id=new_id(),
            actor=ACTOR,
            read_seq=read_seq,
            items=tuple(stored_items(new, [known[item.id] for item in new])),
            reinforcements=tuple(resolved.reinforcements),
            links=tuple(resolved.item_links),
        )
        recheck = Rechecker(same=resources.calibration.same, at=now) if dedupe == "near" else None
        return await self._runtime.store.commit(scope, batch, recheck=recheck)

    async def _holders(
        self, drafts: Sequence[ItemDraft], resolved: Resolved, committed: Committed, scope: Scope
    ) -> list[Item]:
        """Return, for each draft, the item that holds it now."""
        holders = {**resolved.holders, **committed.replaced}
        ids = [_follow(draft.id, holders) for draft in drafts]
        items = {item.id: item for item in (*committed.added, *committed.reinforced)}
        missing = [item_id for item_id in ids if item_id not in items]
        items |= await self._runtime.store.items.get(scope.owner, missing)
        return [items[item_id] for item_id in ids]

    async def get_item(self, item_id: str, **keys: Unpack[ScopeKeys]) -> Item:
        """Return an item.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await self._item(scope, item_id)

    async def _item(self, scope: Scope, item_id: str) -> Item:
        found = await self._runtime.store.items.get(scope, [item_id])
        if item_id not in found:
            msg = f"no item {item_id!r} in this scope"
            raise NotFound(msg)
        return found[item_id]

    async def list_items(
        self,
        *,
        where: Where | None = None,
        order: str = "id",
        descending: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        superseded: bool = False,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Item]:
        """Return one page of items.

        Args:
            where: conditions, as in `retrieve`.
            order: a field to sort by; ids sort by the time of creation.
            descending: largest or newest first.
            limit: items a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            superseded: also those that hold no longer.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidFilter: an unknown field or operator, or a cursor of another list.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        query = Query(
            where=where, order=order, descending=descending, limit=limit, cursor=cursor, live=not superseded
        )
        return await self._runtime.store.items.page(scope, query)

    async def count_items(self, *, where: Where | None = None, **keys: Unpack[ScopeKeys]) -> int:
        """Count the items that hold and match."""
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return await self._runtime.store.items.count(scope, where)

    async def update_item(self, item_id: str, changes: Mapping[str, Any], **keys: Unpack[ScopeKeys]) -> Item:
        """Change named fields of an item; what is not named stays.

        Args:
            item_id: the item.
            changes: new values by field: type, text, speaker, said_at, happened, entities, importance, emotion,
                metadata, valid_to. `metadata` is replaced whole.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
            InvalidInput: a field cannot be changed, or a value is not usable.
            Conflict: it changed meanwhile, or another item says exactly that already.
        """
        scope = self._scopes.make(**keys)
        for name in changes:
            if name not in EDITABLE:
                raise InvalidInput(unknown("changeable field", name, EDITABLE))
        await self._runtime.open()
        item = await self._item(scope, item_id)
        changed = item.evolve(**changes)
        self._check_draft(changed)
        changed = changed.evolve(identity=item_identity(item.scope, changed))
        stored = None
        if changed.text != item.text:
            vectors = await self._runtime.resources(item.scope).embed_passages([changed.text])
            (stored,) = stored_items([changed], list(vectors))
        return await self._runtime.store.update_item(scope, changed, reindex=stored)

    async def delete_item(self, item_id: str, **keys: Unpack[ScopeKeys]) -> None:
        """Delete an item, its vector and its links.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        if not await self._runtime.store.delete_items(scope, [item_id]):
            msg = f"no item {item_id!r} in this scope"
            raise NotFound(msg)

    def _draft(self, item: NewItem) -> ItemDraft:
        if isinstance(item, str):
            draft = ItemDraft(type=DEFAULT_TYPE, text=item)
        elif isinstance(item, ItemDraft):
            draft = item
        else:
            draft = _from_mapping(item)
        self._check_draft(draft)
        return draft

    def _check_draft(self, draft: ItemDraft) -> None:
        types = self._runtime.settings.item_types
        if draft.type not in types:
            raise InvalidInput(unknown("item type", draft.type, types), hint="add it to `item_types`")
        if not draft.text.strip():
            msg = "an item needs a text"
            raise InvalidInput(msg)
        if draft.importance is not None and not 1 <= draft.importance <= MAX_IMPORTANCE:
            msg = f"importance is from 1 to {MAX_IMPORTANCE}, not {draft.importance}"
            raise InvalidInput(msg)
        check_metadata(draft.metadata)


def _from_mapping(fields: Mapping[str, Any]) -> ItemDraft:
    for name in fields:
        if name not in DRAFT_FIELDS:
            raise InvalidInput(unknown("item field", str(name), DRAFT_FIELDS))
    if not isinstance(fields.get("text"), str):
        msg = "an item needs a text"
        raise InvalidInput(msg)
    return ItemDraft(**{"type": DEFAULT_TYPE, **fields})


def _follow(item_id: str, holders: Mapping[str, str]) -> str:
    while item_id in holders:
        item_id = holders[item_id]
    return item_id


async def _vectors(
    drafts: Sequence[ItemDraft], vectors: Matrix | None, resources: MemoryResources
) -> dict[str, Matrix]:
    if vectors is None:
        matrix = await resources.embed_passages([draft.text for draft in drafts])
    else:
        matrix = _core.normalize(np.ascontiguousarray(vectors, dtype=np.float32))
    dimension = resources.embedder.dimension or matrix.shape[-1]
    if matrix.shape != (len(drafts), dimension):
        msg = f"`vectors` has the shape {matrix.shape}; {(len(drafts), dimension)} is needed"
        raise InvalidInput(msg)
    return {draft.id: row for draft, row in zip(drafts, matrix, strict=True)}
