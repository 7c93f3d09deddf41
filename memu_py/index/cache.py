"""Indexes of partitions: loaded when first asked, fresh at every get, within a memory budget."""

import asyncio
import contextlib
import dataclasses
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence

from memu_py.index.entities import Entities
from memu_py.index.partition import PartitionIndex
from memu_py.index.snapshots import Snapshots
from memu_py.records.scope import Scope
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.store import Store

SLICE_ROWS = 256
"""Rows of one update; more are written in a thread, slice by slice, so that no reader waits long."""

SAVE_SHARE = 0.05
"""Share of an index's items that have changed since it was kept, beyond which it is kept anew."""

RELOAD_ROWS = 5000
"""Changed items up to which an index is always mended, never loaded anew."""

RELOAD_SHARE = 0.5
"""Share of an index's items beyond which a change means loading it anew."""


@dataclasses.dataclass(slots=True, eq=False)
class _Entry:
    """One partition's place in the cache.

    Attributes:
        owner: whose it is, whatever the attributes of who asks.
        lock: held while the index is loaded or mended.
        index: None until it is loaded.
        seq: the position in the change log that it reflects.
        stamp: the store's when that was found out; while it stays, nothing has changed.
        nbytes: what it counts for in the budget.
        unsaved: items that changed since it was last in a file.
        users: gets that load or mend it, or wait for that.
        entities: the names that its items carry; None until a question asks for names.
        entities_seq: the position in the change log that they reflect.
        entities_stamp: the store's when that was found out.
    """

    owner: Scope
    lock: asyncio.Lock = dataclasses.field(default_factory=asyncio.Lock)
    index: PartitionIndex | None = None
    seq: int = 0
    stamp: int | None = None
    nbytes: int = 0
    unsaved: int = 0
    users: int = 0
    entities: Entities | None = None
    entities_seq: int = 0
    entities_stamp: int | None = None


class IndexCache:
    """The indexes of the partitions used last.

    A get asks the store's stamp and, where that changed, the change log, so that it reflects every write that was
    committed before it, by whatever process.
    """

    def __init__(
        self,
        store: Store,
        budget_bytes: int,
        *,
        neighbours: Sequence[float] = (),
        snapshot_from: int | None = None,
    ) -> None:
        """Make an empty cache.

        Args:
            store: where the items are.
            budget_bytes: what all indexes together may hold; one that is larger still answers, alone.
            neighbours: with what weight the items around an item count, nearest first.
            snapshot_from: items from which on an index is kept in a file beside the database; None keeps none.
        """
        self._neighbours = tuple(neighbours)
        self._snapshots = Snapshots(store, neighbours=neighbours, least=snapshot_from)
        self._store = store
        self._budget = budget_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._total = 0

    @property
    def nbytes(self) -> int:
        """Bytes that the indexes hold, about."""
        return self._total

    @property
    def partitions(self) -> tuple[str, ...]:
        """The partitions whose indexes are held, the one used last at the end."""
        return tuple(name for name, entry in self._entries.items() if entry.index is not None)

    async def get(self, scope: Scope) -> PartitionIndex:
        """Return a view of the partition's index as it is now.

        Args:
            scope: any scope of the partition; its attributes do not matter.

        Raises:
            EmbedderMismatch: the store holds vectors of different lengths; names `memu reindex`.
            StoreError: the store cannot be read.
        """
        owner = scope.owner
        entry = self._entry(owner)
        index = entry.index
        if index is None or not await self._is_fresh(owner, entry):
            async with self._holding(entry):
                index = await self._refresh(owner, entry)
        return index.pinned()

    async def entities(self, scope: Scope, *, vectors: bool = False) -> Entities:
        """Return the names that the partition's items carry now; loaded when first asked for.

        Args:
            scope: any scope of the partition.
            vectors: whether the names' vectors are needed too.

        Raises:
            StoreError: the store cannot be read.
        """
        owner = scope.owner
        entry = self._entry(owner)
        known, stamp = entry.entities, self._store.stamp()
        fresh = stamp is not None and stamp == entry.entities_stamp
        if known is not None and fresh and not (vectors and known.unlearned()):
            return known
        async with self._holding(entry):
            entities = await self._refresh_entities(owner, entry)
            if vectors:
                await self._learn(owner, entities)
        return entities

    def drop(self, scope: Scope) -> None:
        """Forget a partition's index; the next get loads it again."""
        self._forget(scope.partition)

    def clear(self) -> None:
        """Forget all indexes."""
        self._entries.clear()
        self._total = 0

    async def close(self) -> None:
        """Let go of everything, and keep what has changed in its file; idempotent. The store is still open."""
        entries = list(self._entries.values())
        self.clear()
        for entry in entries:
            index = entry.index
            if index is not None and entry.unsaved > SAVE_SHARE * len(index):
                await self._snapshots.save(entry.owner, index, entry.seq)

    def _entry(self, owner: Scope) -> _Entry:
        """Return a partition's place, an empty one if need be; it is now the one used last."""
        entry = self._entries.setdefault(owner.partition, _Entry(owner=owner))
        self._entries.move_to_end(owner.partition)
        return entry

    @contextlib.asynccontextmanager
    async def _holding(self, entry: _Entry) -> AsyncIterator[None]:
        """Load or mend an entry alone; it stays in the cache meanwhile, and is counted afterwards."""
        entry.users += 1
        try:
            async with entry.lock:
                yield
        finally:
            entry.users -= 1
            self._settle(entry.owner.partition, entry)

    async def _is_fresh(self, owner: Scope, entry: _Entry) -> bool:
        # The stamp comes first: what is committed while we ask gives another one.
        stamp = self._store.stamp()
        if stamp is not None and stamp == entry.stamp:
            return True
        changed = await self._store.changed_items(owner, entry.seq)
        if changed is None or changed[0]:
            return False
        if changed[1] >= entry.seq:
            entry.seq, entry.stamp = changed[1], stamp
        return True

    async def _refresh(self, owner: Scope, entry: _Entry) -> PartitionIndex:
        """Bring an entry up to date, whatever it holds; its lock is held."""
        # The stamp comes first: what is committed while we read gives another one.
        stamp = self._store.stamp()
        index = await self._refreshed(owner, entry)
        entry.stamp = stamp
        return index

    async def _refreshed(self, owner: Scope, entry: _Entry) -> PartitionIndex:
        if entry.index is None:
            await self._load(owner, entry)
        if entry.index is not None:
            changed = await self._store.changed_items(owner, entry.seq)
            if changed is not None and len(changed[0]) <= max(RELOAD_ROWS, RELOAD_SHARE * len(entry.index)):
                await self._catch_up(owner, entry, entry.index, changed)
                return entry.index
        # The position comes first: what is written while the rows are read is then read once more.
        seq = await self._store.seq(owner)
        parts = await self._store.index_rows(owner)
        index = await asyncio.to_thread(_build, parts, self._neighbours)
        entry.index, entry.seq, entry.unsaved = index, seq, len(index)
        if await self._snapshots.save(owner, index, seq):
            # From its file it takes less memory.
            await self._load(owner, entry)
        return entry.index

    async def _load(self, owner: Scope, entry: _Entry) -> None:
        loaded = await self._snapshots.load(owner)
        if loaded is not None:
            entry.index, entry.seq = loaded
            entry.unsaved = 0

    async def _catch_up(
        self, owner: Scope, entry: _Entry, index: PartitionIndex, changed: tuple[list[str], int]
    ) -> None:
        ids, seq = changed
        parts = await self._store.index_rows(owner, ids) if ids else []
        gone = set(ids).difference(*(rows.ids for rows in parts))
        if len(ids) <= SLICE_ROWS:
            index.update(parts, gone)
        else:
            await self._catch_up_beside(entry, index, parts, list(gone))
        entry.seq = seq
        entry.unsaved += len(ids)

    @staticmethod
    async def _catch_up_beside(
        entry: _Entry, index: PartitionIndex, parts: Sequence[IndexRows], gone: Sequence[str]
    ) -> None:
        try:
            await asyncio.to_thread(_mend, index, parts, gone)
        except BaseException:
            # Cancelled or failed half-way, and the thread may go on writing: nobody may build on this index.
            entry.index = None
            raise

    async def _refresh_entities(self, owner: Scope, entry: _Entry) -> Entities:
        """Bring the names up to date; the entry's lock is held."""
        # The stamp comes first, and then the position, as for the rows.
        stamp = self._store.stamp()
        if entry.entities is not None:
            changed = await self._store.changed_items(owner, entry.entities_seq)
            if changed is not None and len(changed[0]) <= RELOAD_ROWS:
                ids, seq = changed
                entry.entities.update(ids, await self._store.entity_links(owner, ids) if ids else ())
                entry.entities_seq, entry.entities_stamp = seq, stamp
                return entry.entities
        seq = await self._store.seq(owner)
        entities = await asyncio.to_thread(Entities, await self._store.entity_links(owner))
        entry.entities, entry.entities_seq, entry.entities_stamp = entities, seq, stamp
        return entities

    async def _learn(self, owner: Scope, entities: Entities) -> None:
        missing = entities.unlearned()
        if not missing:
            return
        found = await self._store.entities(owner, None if len(missing) == len(entities) else missing)
        entities.learn(dict.fromkeys(missing) | {one.key: one.vector for one in found})

    def _settle(self, partition: str, entry: _Entry) -> None:
        """Count an entry that was refreshed, or remove it when that failed, and keep to the budget."""
        if self._entries.get(partition) is not entry:
            return
        if entry.index is None:
            if not entry.users:
                self._forget(partition)
            return
        nbytes = entry.index.nbytes() + (entry.entities.nbytes if entry.entities else 0)
        self._total += nbytes - entry.nbytes
        entry.nbytes = nbytes
        for name in [name for name in self._entries if name != partition]:
            if self._total <= self._budget:
                return
            if not self._entries[name].users:
                self._forget(name)

    def _forget(self, partition: str) -> None:
        entry = self._entries.pop(partition, None)
        if entry is not None:
            self._total -= entry.nbytes


def _build(parts: Sequence[IndexRows], neighbours: Sequence[float]) -> PartitionIndex:
    index = PartitionIndex(neighbours=neighbours)
    index.update(parts, ())
    return index


def _mend(index: PartitionIndex, parts: Sequence[IndexRows], gone: Sequence[str]) -> None:
    """Write slice by slice; each is seen whole, and no reader waits for more than one."""
    index.remove(gone)
    for rows in parts:
        for start in range(0, len(rows), SLICE_ROWS):
            index.apply(rows.part(start, start + SLICE_ROWS))
