"""The store over a database: every method is one unit of work."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from memu_py.records.batch import Batch, Committed, StoredItem, Vector
from memu_py.records.category import Category
from memu_py.records.change import Change
from memu_py.records.entity import Entity
from memu_py.records.item import Item
from memu_py.records.link import Link
from memu_py.records.page import Direction
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.records.usage import UsageRow
from memu_py.storage import (
    answer_rows,
    category_writes,
    change_log,
    clearing,
    conversations,
    deletion,
    embedding_cache,
    entity_rows,
    index_feed,
    item_edits,
    link_rows,
    lookups,
    resource_writes,
    usage_rows,
)
from memu_py.storage.collection import CATEGORIES, ITEMS, RESOURCES, SqlCollection
from memu_py.storage.commit import commit
from memu_py.storage.copying import open_whole
from memu_py.storage.database import Database
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.item_writes import live_identities
from memu_py.storage.job_queue import SqlJobQueue
from memu_py.storage.key_rows import SqlKeys
from memu_py.storage.maintenance import SqlMaintenance
from memu_py.storage.search import Search
from memu_py.storage.settings import Clock
from memu_py.storage.snapshot_files import SnapshotFiles
from memu_py.storage.sql_foresight import SqlForesight
from memu_py.storage.store import Recheck
from memu_py.storage.unit import Unit, written

T = TypeVar("T")

MEMORIZE = "memorize"
UPDATE_CATEGORIES = "update_categories"
CACHE = "cache"
USAGE = "usage"


class SqlCache:
    """`EmbeddingCache` over a database."""

    def __init__(self, store: "SqlStore") -> None:
        self._store = store

    async def load(self, scope: Scope, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """See `EmbeddingCache.load`."""
        return await self._store.read_for(scope, lambda c: embedding_cache.load_vectors(c, scope, keys))

    async def save(self, scope: Scope, vectors: Mapping[bytes, Vector]) -> None:
        """See `EmbeddingCache.save`."""
        if vectors:
            await self._store.write(scope, CACHE, lambda unit: embedding_cache.save_vectors(unit, vectors))


class SqlAnswers:
    """`AnswerStore` over a database."""

    def __init__(self, store: "SqlStore") -> None:
        self._store = store

    async def load(self, scope: Scope, key: bytes) -> str | None:
        """See `AnswerStore.load`."""
        return await self._store.read_for(scope, lambda c: answer_rows.load_answer(c, scope, key))

    async def save(self, scope: Scope, key: bytes, text: str) -> None:
        """See `AnswerStore.save`."""
        await self._store.write(scope, CACHE, lambda unit: answer_rows.save_answer(unit, key, text))


class SqlUsage:
    """`UsageStore` over a database."""

    def __init__(self, store: "SqlStore") -> None:
        self._store = store

    async def add(self, scope: Scope, rows: Sequence[UsageRow]) -> None:
        """See `UsageStore.add`."""
        if rows:
            await self._store.write(scope, USAGE, lambda unit: usage_rows.add_usage(unit, rows))

    async def since(self, scope: Scope, day: date) -> list[UsageRow]:
        """See `UsageStore.since`."""
        return await self._store.read_for(scope, lambda c: usage_rows.usage_since(c, scope, day))

    async def tokens(self, scope: Scope, day: date) -> int:
        """See `UsageStore.tokens`."""
        return await self._store.read_for(scope, lambda c: usage_rows.tokens_on(c, scope, day))


class SqlStore:
    """`Store` over a database.

    Args:
        database: where the units of work run.
        clock: gives the time of changes.
        snapshots: where indexes of it may be kept.
        keep_changes_days: how long `maintenance.prune_changes` keeps the log; None for ever.
        keep_answers_days: how long `maintenance.prune_answers` keeps answers; None for ever.
        search: searches in the database, where that is what it is for.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Clock,
        snapshots: SnapshotFiles,
        keep_changes_days: int | None,
        keep_answers_days: int | None,
        search: Search | None = None,
    ) -> None:
        self._database = database
        self._search = search
        self._clock = clock
        self._snapshots = snapshots
        self._items = SqlCollection(database, ITEMS)
        self._categories = SqlCollection(database, CATEGORIES)
        self._resources = SqlCollection(database, RESOURCES)
        self._cache = SqlCache(self)
        self._jobs = SqlJobQueue(database, clock=clock)
        self._keys = SqlKeys(database)
        self._answers = SqlAnswers(self)
        self._usage = SqlUsage(self)
        self._foresight = SqlForesight(database, clock=clock)
        self._maintenance = SqlMaintenance(
            database, clock=clock, keep_changes_days=keep_changes_days, keep_answers_days=keep_answers_days
        )

    @property
    def items(self) -> SqlCollection[Item]:
        """See `Store.items`."""
        return self._items

    @property
    def categories(self) -> SqlCollection[Category]:
        """See `Store.categories`."""
        return self._categories

    @property
    def resources(self) -> SqlCollection[Resource]:
        """See `Store.resources`."""
        return self._resources

    @property
    def cache(self) -> SqlCache:
        """See `Store.cache`."""
        return self._cache

    @property
    def answers(self) -> SqlAnswers:
        """See `Store.answers`."""
        return self._answers

    @property
    def usage(self) -> SqlUsage:
        """See `Store.usage`."""
        return self._usage

    @property
    def jobs(self) -> SqlJobQueue:
        """See `Store.jobs`."""
        return self._jobs

    @property
    def keys(self) -> SqlKeys:
        """See `Store.keys`."""
        return self._keys

    @property
    def foresight(self) -> SqlForesight:
        """See `Store.foresight`."""
        return self._foresight

    @property
    def search(self) -> Search | None:
        """See `Store.search`."""
        return self._search

    @property
    def maintenance(self) -> SqlMaintenance:
        """See `Store.maintenance`."""
        return self._maintenance

    async def open(self) -> None:
        """See `Store.open`."""
        await open_whole(self._database)

    async def close(self) -> None:
        """See `Store.close`."""
        await self._database.close()

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a unit of work that only reads, on the whole database."""
        return await self._database.read(work)

    async def read_for(self, scope: Scope, work: Callable[[Connection], T]) -> T:
        """Run a unit of work that only reads, on behalf of somebody."""
        return await self._database.read(work, partition=scope.partition_hash)

    async def write(self, scope: Scope, actor: str, work: Callable[[Unit], T]) -> T:
        """Run a unit of work alone, on behalf of somebody."""
        return await written(self._database, scope, work, actor=actor, clock=self._clock)

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
        blobs = await self.write(scope, actor, clearing.clear)
        await asyncio.to_thread(self._snapshots.erase, scope)
        if blobs is None and not await self._database.read(clearing.unfinished):
            return []
        await self._database.scrub()
        await self._database.write(clearing.finish)
        return blobs or []

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

    async def touch(self, scope: Scope, counts: Mapping[str, int], at: datetime) -> None:
        """See `Store.touch`."""
        if counts:
            await self.write(scope, "retrieve", lambda unit: index_feed.touch(unit, counts, at))
