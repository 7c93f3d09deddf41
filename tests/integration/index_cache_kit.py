"""A watched store and items for the tests of the index cache."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from memu_py import _core
from memu_py.index.cache import IndexCache
from memu_py.index.partition import PartitionIndex
from memu_py.records.batch import Batch, StoredItem
from memu_py.records.identity import item_identity
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store

ANN = Scope(user="ann")
BEN = Scope(user="ben")
NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)
AXES = np.eye(4, dtype=np.float32)
ROOMY = 1 << 30


class Watched:
    """A real store that notes which calls of the indexes reach it, and can hold one of them back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.calls: list[str] = []
        self.gate: asyncio.Event | None = None
        self.held = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def seq(self, scope: Scope) -> int:
        self.calls.append("seq")
        return await self._store.seq(scope)

    async def changed_items(self, scope: Scope, after: int) -> tuple[list[str], int] | None:
        self.calls.append("changed_items")
        return await self._store.changed_items(scope, after)

    async def index_rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[IndexRows]:
        self.calls.append("index_rows" if ids is not None else "all index_rows")
        gate = self.gate
        found = await self._store.index_rows(scope, ids)
        if gate is not None:
            self.held.set()
            await gate.wait()
        return found


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Watched]:
    settings = StoreSettings(backend=request.param, path=tmp_path / "memu.db")
    real = build_store(settings, clock=lambda: NOON)
    await real.open()
    yield Watched(real)
    await real.close()


@pytest.fixture
def cache(store: Watched) -> IndexCache:
    return IndexCache(cast(Store, store), budget_bytes=ROOMY)


def stored(text: str, vector: NDArray[np.float32], scope: Scope = ANN) -> StoredItem:
    draft = ItemDraft(type="fact", text=text)
    item = Item(
        id=draft.id,
        type=draft.type,
        text=text,
        scope=scope,
        identity=item_identity(scope, draft),
        created_at=NOON,
        updated_at=NOON,
    )
    return StoredItem(item=item, vector=vector, tokens=tuple(_core.tokenize([text])[0]))


async def commit(store: Watched | Store, scope: Scope = ANN, **parts: Any) -> None:
    batch = Batch(run_id=new_id(), actor="test", read_seq=0, **parts)
    await store.commit(scope, batch)


async def add(store: Watched | Store, *texts: str, axis: int = 0, scope: Scope = ANN) -> list[str]:
    items = tuple(stored(text, AXES[axis], scope) for text in texts)
    await commit(store, scope, items=items)
    return [one.item.id for one in items]


def found(index: PartitionIndex, axis: int = 0) -> set[str]:
    ids, cosines = index.dense(AXES[axis], 1000, index.live_mask())
    return {item_id for item_id, cosine in zip(ids, cosines.tolist(), strict=True) if cosine > 0.5}
