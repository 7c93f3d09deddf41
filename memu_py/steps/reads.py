"""What was read from the store, for as long as nobody commits anything."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from memu_py.records.block import Block
from memu_py.records.category import Category
from memu_py.records.grant import Grant
from memu_py.records.graph import RelationQuery, Sighting
from memu_py.records.item import Item
from memu_py.records.link import Link
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.presented import Presented
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage.store import Store

LIMIT = 20_000
"""Answers that are kept; then all are let go."""

R = TypeVar("R")


class FreshReads:
    """Reads that are answered from memory while the store's stamp stays the same, and else by the store.

    Answers are kept by the whole scope that asked, so that what one scope may not see is never an answer to it. A store
    that has no stamp is always asked.
    """

    def __init__(self, store: Store, *, limit: int = LIMIT) -> None:
        """Make one that knows nothing.

        Args:
            store: what is read.
            limit: answers that are kept.
        """
        self._store = store
        self._limit = limit
        self._stamp: int | None = None
        self._known: dict[Hashable, Any] = {}

    async def items(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Item]:
        """Return items of a scope by id; those that are not there are left out."""
        return await self._by_id("item", scope, ids, lambda missing: self._store.items.get(scope, missing))

    async def presented(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Presented]:
        """Return when items of a scope were said and retrieved, by id; those that are not there are left out."""
        return await self._by_id(
            "presented", scope, ids, lambda missing: self._store.presented(scope, missing)
        )

    async def resources(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Resource]:
        """Return resources of a scope by id; those that are not there are left out."""
        return await self._by_id(
            "resource", scope, ids, lambda missing: self._store.resources.get(scope, missing)
        )

    async def passage(self, scope: Scope, resource_id: str, first: int, last: int) -> Sequence[Segment]:
        """Return a resource's segments from one ordinal to another; see `Store.passage`."""
        key = f"{resource_id} {first} {last}"
        return await self._one(
            "passage", scope, key, lambda: self._store.passage(scope, resource_id, first, last)
        )

    async def categories(self, scope: Scope) -> Sequence[Category]:
        """Return the categories that a scope sees."""
        page = await self._one(
            "categories", scope, "", lambda: self._store.categories.page(scope, Query(limit=MAX_PAGE))
        )
        return list(page)

    async def blocks(self, scope: Scope) -> Sequence[Block]:
        """Return the blocks of the partition; see `BlockStore.all`."""
        return await self._one("blocks", scope, "", lambda: self._store.blocks.all(scope))

    async def grants(self, scope: Scope) -> Sequence[Grant]:
        """Return the grants of the partition; see `GrantStore.all`."""
        owner = scope.owner
        return await self._one("grants", owner, "", lambda: self._store.grants.all(owner))

    async def links(self, scope: Scope, ids: Sequence[str]) -> Mapping[str, Sequence[Link]]:
        """Return the links from items to their categories and to other items, by item."""

        async def read(missing: Sequence[str]) -> Mapping[str, Sequence[Link]]:
            found: dict[str, list[Link]] = {item_id: [] for item_id in missing}
            for link in await self._store.links(scope, missing):
                found.setdefault(link.source_id, []).append(link)
            return found

        return await self._by_id("links", scope, ids, read)

    async def sight(self, scope: Scope, keys: Sequence[str], as_of: datetime | None) -> Sighting:
        """Return what items say within two hops of names; see `Graph.sight`. Without relations it costs nothing."""
        graph = self._store.graph
        query = RelationQuery(ended=True, limit=1)
        if self._store.stamp() is not None:
            known = await self._one("related", scope, "", lambda: graph.relations(scope, query))
            if not known:
                return Sighting(seeds={}, edges=())
        key = repr((as_of, *keys))
        return await self._one("sight", scope, key, lambda: graph.sight(scope, keys, as_of))

    async def _one(self, kind: str, scope: Scope, key: str, read: Callable[[], Awaitable[R]]) -> R:
        async def by_key(_: Sequence[str]) -> Mapping[str, R]:
            return {key: await read()}

        return (await self._by_id(kind, scope, [key], by_key))[key]

    async def _by_id(
        self,
        kind: str,
        scope: Scope,
        ids: Sequence[str],
        read: Callable[[Sequence[str]], Awaitable[Mapping[str, R]]],
    ) -> dict[str, R]:
        stamp = self._store.stamp()
        if stamp is None or stamp != self._stamp or len(self._known) > self._limit:
            self._known, self._stamp = {}, stamp
        known = self._known
        found: dict[str, R] = {
            item_id: known[kind, scope, item_id] for item_id in ids if (kind, scope, item_id) in known
        }
        missing = [item_id for item_id in ids if item_id not in found]
        if missing:
            new = await read(missing)
            # Into the answers of the stamp from before: whatever was committed meanwhile has put others in their place.
            if stamp is not None:
                known.update({(kind, scope, item_id): value for item_id, value in new.items()})
            found |= new
        return {item_id: found[item_id] for item_id in ids if item_id in found}
