"""Items by hand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack, get_args

from memu_py.embedding.embedder import Matrix
from memu_py.errors import InvalidInput, NotFound
from memu_py.language.entities import entities
from memu_py.language.relations import relations
from memu_py.nearest import unknown
from memu_py.records.entity import entity_key, names_by_key
from memu_py.records.identity import item_identity
from memu_py.records.item import Item, ItemDraft
from memu_py.records.page import Page, Query, Where
from memu_py.records.relation import RelationDraft
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments, utc
from memu_py.service.base import ServiceBase
from memu_py.service.fields import ItemChanges, ItemFields, checked, safe_fields
from memu_py.service.granting import item_to_write, to_read, to_write
from memu_py.service.known import item_then, page_then
from memu_py.service.new_items import Dedupe, ItemMaker, NewItem, drafts_of
from memu_py.service.retry import edited, settled
from memu_py.service.scopes import ScopeKeys
from memu_py.steps.stored import stored_items

DEDUPES = get_args(Dedupe)


@checks_arguments
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
        if dedupe not in DEDUPES:
            raise InvalidInput(unknown("way to dedupe", str(dedupe), DEDUPES))
        if isinstance(items, str | Mapping):
            msg = "`items` is a list; `create_item` takes a single one"
            raise InvalidInput(msg)
        drafts = drafts_of(items)
        self._check_types(drafts)
        given, drafts = drafts, [self._safe(draft) for draft in drafts]
        # What a masked text meant before is not stored either.
        anew = [
            place
            for place, (one, safe) in enumerate(zip(given, drafts, strict=True))
            if one.text != safe.text
        ]
        await self._runtime.open()
        if not drafts:
            return []

        async def store() -> list[Item]:
            resources = self._runtime.resources(scope)
            maker = ItemMaker(
                runtime=self._runtime, scope=scope, resources=resources, dedupe=dedupe, anew=anew
            )
            return await maker.store(drafts, vectors)

        return await settled(store)

    def _safe(self, draft: ItemDraft) -> ItemDraft:
        fields = {name: getattr(draft, name) for name in ItemFields.model_fields}
        return draft.evolve(**safe_fields(fields, self._runtime.masker))

    def _check_types(self, drafts: Sequence[ItemDraft]) -> None:
        types = self._runtime.settings.item_types
        for draft in drafts:
            if draft.type not in types:
                raise InvalidInput(unknown("item type", draft.type, types), hint="add it to `item_types`")

    async def get_item(
        self, item_id: str, *, known_at: datetime | None = None, **keys: Unpack[ScopeKeys]
    ) -> Item:
        """Return an item.

        Args:
            item_id: the item.
            known_at: a moment in the past: as it was then, also where it was deleted since.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not, or was not, in the scope.
            HistoryGone: the history does not reach back to `known_at`.
        """
        scope = self._scopes.make(**keys)
        then = None if known_at is None else utc("known_at", known_at)
        scope = await to_read(self._runtime, scope)
        if then is None:
            return await self._item(scope, item_id)
        found = await item_then(self._runtime.store, scope, item_id, then)
        if found is None:
            raise _missing(item_id)
        return found

    async def _item(self, scope: Scope, item_id: str) -> Item:
        found = await self._runtime.store.items.get(scope, [item_id])
        if item_id not in found:
            raise _missing(item_id)
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
        include_archived: bool = False,
        known_at: datetime | None = None,
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
            include_archived: also those that are put away, or have expired.
            known_at: a moment in the past: what was known then, as it was, also what was deleted since; only in order
                of id, and without `where`.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidFilter: an unknown field or operator, or a cursor of another list.
            HistoryGone: the history does not reach back to `known_at`.
        """
        scope = self._scopes.make(**keys)
        then = None if known_at is None else utc("known_at", known_at)
        scope = await to_read(self._runtime, scope)
        query = Query(
            where=where,
            order=order,
            descending=descending,
            limit=limit,
            cursor=cursor,
            live=not superseded,
            archived=include_archived,
        )
        if then is not None:
            return await page_then(self._runtime.store, scope, query, then)
        return await self._runtime.store.items.page(scope, query)

    async def count_items(self, *, where: Where | None = None, **keys: Unpack[ScopeKeys]) -> int:
        """Count the items that hold and match."""
        scope = self._scopes.make(**keys)
        scope = await to_read(self._runtime, scope)
        return await self._runtime.store.items.count(scope, where)

    async def update_item(self, item_id: str, changes: Mapping[str, Any], **keys: Unpack[ScopeKeys]) -> Item:
        """Change named fields of an item; what is not named stays.

        Args:
            item_id: the item.
            changes: new values by field: type, text, speaker, said_at, happened, entities, importance, emotion,
                expires_at, metadata, valid_to. `metadata` is replaced whole. With a new text and no `entities`,
                names that stood in the old text give way to those of the new one.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope.
            OutsideScope: it is another agent's, which this one may only read.
            InvalidInput: a field cannot be changed, or a value is not usable.
            Conflict: another item says exactly that already.
        """
        scope = self._scopes.make(**keys)
        wanted = safe_fields(checked(ItemChanges, changes), self._runtime.masker)
        scope = await to_write(self._runtime, scope)

        async def write(item: Item) -> Item:
            changed = item.evolve(**wanted)
            if "entities" not in wanted and changed.text != item.text:
                changed = changed.evolve(entities=renamed(item, changed))
            if changed.text != item.text:
                changed = changed.evolve(relations=self._told_anew(item, changed))
            self._check_types([changed])
            return await self._write(scope, item, changed)

        before = await item_to_write(self._runtime, scope, item_id)
        after = await edited(lambda: self._item(scope, item_id), write)
        if (before.text, before.valid_to) != (after.text, after.valid_to):
            await self._forget(scope, [before])
        return after

    def _told_anew(self, before: Item, after: Item) -> tuple[RelationDraft, ...]:
        """Return what an item says of names after its text changed: by rule, as nothing else has read the new one."""
        graph = self._runtime.settings.graph
        if not graph.rules:
            return ()
        speaker = after.speaker or after.scope.user
        found = relations(after.text, speaker=speaker, names=before.entities)
        return graph.known().settled(found)

    async def _write(self, scope: Scope, item: Item, changed: Item) -> Item:
        changed = changed.evolve(identity=item_identity(item.scope, changed))
        stored, resources = None, self._runtime.resources(item.scope)
        if (changed.text, changed.speaker) != (item.text, item.speaker):
            vectors = await resources.embed_passages([changed.text])
            (stored,) = stored_items([changed], list(vectors))
        names = await resources.embed_names([changed.entities] if changed.entities != item.entities else [])
        return await self._runtime.store.update_item(scope, changed, reindex=stored, entity_vectors=names)

    async def delete_item(self, item_id: str, **keys: Unpack[ScopeKeys]) -> None:
        """Delete an item, its vector and its links.

        Raises:
            NotFound: it is not in the scope.
            OutsideScope: it is another agent's, which this one may only read.
        """
        scope = self._scopes.make(**keys)
        scope = await to_write(self._runtime, scope)
        item = await item_to_write(self._runtime, scope, item_id)
        if not await self._runtime.store.delete_items(scope, [item_id]):
            raise _missing(item_id)
        await self._forget(scope, [item])


def renamed(before: Item, after: Item) -> tuple[str, ...]:
    """Return what an item names after its text changed: what the new one tells, and what the old one did not tell."""
    told = {entity_key(name) for name in entities(before.text, speaker=before.speaker, names=before.entities)}
    given = [name for name in before.entities if entity_key(name) not in told]
    found = entities(after.text, speaker=after.speaker, names=before.entities)
    return tuple(names_by_key([found, given]).values())


def _missing(item_id: str) -> NotFound:
    return NotFound(f"no item {item_id!r} in this scope")
