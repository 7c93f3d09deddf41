"""The store over a database: every method is one unit of work."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import InvalidScope
from memu_py.records.audit import Erased
from memu_py.records.batch import Batch, Committed, StoredItem, Vector
from memu_py.records.category import Category
from memu_py.records.change import Change
from memu_py.records.entity import Entity
from memu_py.records.item import Item
from memu_py.records.link import Link
from memu_py.records.page import Direction
from memu_py.records.presented import Presented
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage import (
    access_rows,
    category_writes,
    change_log,
    clearing,
    conversations,
    deletion,
    entity_rows,
    forgotten,
    index_feed,
    item_edits,
    link_rows,
    lookups,
    resource_writes,
)
from memu_py.storage.commit import commit
from memu_py.storage.copying import open_whole
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.item_writes import live_identities
from memu_py.storage.sql_parts import SqlParts
from memu_py.storage.store import Recheck

T = TypeVar("T")

MEMORIZE = "memorize"
UPDATE_CATEGORIES = "update_categories"
CACHE = "cache"
USAGE = "usage"


class SqlStore(SqlParts):
    """`Store` over a database; made as `SqlParts` is."""

    async def open(self) -> None:
        """See `Store.open`."""
        await open_whole(self._database)

    async def close(self) -> None:
        """See `Store.close`."""
        await self._database.close()

    def stamp(self) -> int | None:
        """See `Store.stamp`."""
        return self._database.stamp()

    # Memorize

    async def seq(self, scope: Scope) -> int:
        """See `Store.seq`."""
        return await self.read_for(scope, lambda c: change_log.last_seq(c, scope))

    async def find_resource(
        self, scope: Scope, *, url: str | None = None, content_hash: str | None = None
    ) -> Resource | None:
        """See `Store.find_resource`."""
        return await self.read_for(
            scope, lambda c: lookups.find_resource(c, scope, url=url, content_hash=content_hash)
        )

    async def find_conversation(
        self, scope: Scope, hashes: Sequence[str], *, modality: str = "conversation"
    ) -> Resource | None:
        """See `Store.find_conversation`."""
        return await self.read_for(
            scope, lambda c: conversations.find_conversation(c, scope, hashes, modality)
        )

    async def segments(self, scope: Scope, resource_id: str) -> list[Segment]:
        """See `Store.segments`."""
        return await self.read_for(scope, lambda c: lookups.segments_of(c, scope, resource_id))

    async def passage(self, scope: Scope, resource_id: str, first: int, last: int) -> list[Segment]:
        """See `Store.passage`."""
        return await self.read_for(scope, lambda c: lookups.passage_of(c, scope, resource_id, (first, last)))

    async def find_run(self, scope: Scope, run_id: str) -> Mapping[str, Any] | None:
        """See `Store.find_run`."""
        return await self.read_for(scope, lambda c: lookups.find_run(c, scope, run_id))

    async def live_identities(self, scope: Scope, identities: Sequence[str]) -> dict[str, Item]:
        """See `Store.live_identities`."""
        return await self.read_for(scope, lambda c: live_identities(c, scope, identities))

    async def commit(self, scope: Scope, batch: Batch, *, recheck: Recheck | None = None) -> Committed:
        """See `Store.commit`; a batch of a run that is known writes nothing and returns its resource."""
        return await self.write(scope, batch.actor, lambda unit: commit(unit, batch, recheck))

    async def add_categories(self, scope: Scope, categories: Sequence[Category]) -> list[Category]:
        """See `Store.add_categories`."""
        work = category_writes.add_categories
        return await self.write(scope, UPDATE_CATEGORIES, lambda unit: work(unit, categories))

    async def category_items(
        self, scope: Scope, category_id: str, *, untold: bool = False
    ) -> list[StoredItem]:
        """See `Store.category_items`."""
        return await self.read_for(
            scope, lambda c: lookups.category_items(c, scope, category_id, untold=untold)
        )

    async def summarize(
        self, scope: Scope, category: Category, summary: str, *, told: Mapping[str, int] | None = None
    ) -> Category:
        """See `Store.summarize`."""
        work = category_writes.summarize
        return await self.write(scope, UPDATE_CATEGORIES, lambda unit: work(unit, category, summary, told))

    async def update_item(
        self,
        scope: Scope,
        item: Item,
        *,
        reindex: StoredItem | None = None,
        entity_vectors: Mapping[str, Vector] | None = None,
        actor: str = "api",
    ) -> Item:
        """See `Store.update_item`."""
        work = item_edits.update_item
        return await self.write(scope, actor, lambda unit: work(unit, item, reindex, entity_vectors or {}))

    async def update_category(self, scope: Scope, category: Category, *, actor: str = "api") -> Category:
        """See `Store.update_category`."""
        return await self.write(scope, actor, lambda unit: category_writes.update_category(unit, category))

    async def update_resource(self, scope: Scope, resource: Resource, *, actor: str = "api") -> Resource:
        """See `Store.update_resource`."""
        return await self.write(scope, actor, lambda unit: resource_writes.update_resource(unit, resource))

    async def delete_items(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> int:
        """See `Store.delete_items`."""
        return await self.write(scope, actor, lambda unit: deletion.delete_items(unit, ids))

    async def delete_categories(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> int:
        """See `Store.delete_categories`."""
        return await self.write(scope, actor, lambda unit: deletion.delete_categories(unit, ids))

    async def delete_resources(self, scope: Scope, ids: Sequence[str], *, actor: str = "api") -> list[str]:
        """See `Store.delete_resources`."""
        return await self.write(scope, actor, lambda unit: deletion.delete_resources(unit, ids))

    async def forget_source(self, scope: Scope, resource_id: str, *, title: str, reason: str) -> list[str]:
        """See `Store.forget_source`."""
        work = forgotten.forget_source
        return await self.write(scope, "conversations", lambda unit: work(unit, resource_id, title, reason))

    async def link(self, scope: Scope, links: Sequence[Link], *, actor: str = "api") -> None:
        """See `Store.link`."""
        await self.write(scope, actor, lambda unit: link_rows.link_records(unit, links))

    async def unlink(self, scope: Scope, links: Sequence[Link], *, actor: str = "api") -> int:
        """See `Store.unlink`."""
        return await self.write(scope, actor, lambda unit: link_rows.remove_links(unit, links))

    async def links(
        self, scope: Scope, ids: Sequence[str], *, kind: str | None = None, direction: Direction = "out"
    ) -> list[Link]:
        """See `Store.links`."""
        return await self.read_for(
            scope, lambda c: link_rows.read_links(c, scope, ids, kind=kind, direction=direction)
        )

    async def clear(self, scope: Scope, *, actor: str = "api") -> list[str]:
        """See `Store.clear`.

        Raises:
            StoreBusy: the rows are gone, but another process holds the file that has their remains; clear again. Blobs
                that no resource uses any more are then found by comparing with `maintenance.blob_keys`.
            StoreError: the rows are gone, but a file with an index of them cannot be removed.
        """
        erased = await self.write(scope, actor, clearing.clear)
        await self._scrub(scope)
        return list(erased.blobs) if erased else []

    async def forget(self, scope: Scope, *, actor: str = "api") -> Erased:
        """See `Store.forget`; it raises what `clear` does."""
        if scope.attributes:
            msg = f"a whole memory is forgotten, not a part of it: leave out {', '.join(scope.attributes)}"
            raise InvalidScope(msg, hint="`clear` erases a part")
        erased = await self.write(scope, actor, clearing.forget)
        await self._scrub(scope)
        return erased

    async def _scrub(self, scope: Scope) -> None:
        """Remove what an erasure left in files, if there is anything."""
        await asyncio.to_thread(self._snapshots.erase, scope)
        if await self._database.read(clearing.unfinished):
            await self._database.scrub()
            await self._database.write(clearing.finish)

    # The change log and the indexes

    async def history(self, scope: Scope, record_id: str) -> list[Change]:
        """See `Store.history`."""
        return await self.read_for(scope, lambda c: change_log.history(c, scope, record_id))

    async def mark(self, scope: Scope, seq: int) -> str | None:
        """See `Store.mark`."""
        return await self.read_for(scope, lambda c: change_log.mark(c, scope, seq))

    def snapshot(self, scope: Scope) -> Path | None:
        """See `Store.snapshot`."""
        return self._snapshots.path(scope)

    async def changed_items(self, scope: Scope, after: int) -> tuple[list[str], int] | None:
        """See `Store.changed_items`."""
        return await self.read_for(scope, lambda c: change_log.changed_items(c, scope, after))

    async def index_rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[IndexRows]:
        """See `Store.index_rows`."""
        return await self.read_for(scope, lambda c: index_feed.index_rows(c, scope, ids))

    async def vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """See `Store.vectors`."""
        return await self.read_for(scope, lambda c: index_feed.vectors(c, scope, ids))

    async def entities(self, scope: Scope, keys: Sequence[str] | None = None) -> list[Entity]:
        """See `Store.entities`."""
        return await self.read_for(scope, lambda c: entity_rows.load_entities(c, scope, keys))

    async def entity_links(
        self, scope: Scope, item_ids: Sequence[str] | None = None
    ) -> list[tuple[str, str]]:
        """See `Store.entity_links`."""
        return await self.read_for(scope, lambda c: entity_rows.entity_links_of(c, scope, item_ids))

    async def touch(self, scope: Scope, reads: Mapping[str, Sequence[datetime]]) -> None:
        """See `Store.touch`."""
        if reads:
            await self.write(scope, "retrieve", lambda unit: access_rows.touch(unit, reads))

    async def presented(self, scope: Scope, ids: Sequence[str]) -> dict[str, Presented]:
        """See `Store.presented`."""
        return await self.read_for(scope, lambda c: access_rows.presented(c, scope, ids))
