"""Read counters over real stores: written in batches, never in the way of a read."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from memu_py.errors import StoreBusy
from memu_py.index import accesses as module
from memu_py.index.accesses import AccessCounter
from memu_py.records.batch import Batch, StoredItem
from memu_py.records.identity import item_identity
from memu_py.records.ids import new_id
from memu_py.records.item import Item, ItemDraft
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store

ANN = Scope(user="ann")
BEN = Scope(user="ben")
NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


class Fragile:
    """A real store whose writes of counters can fail or be held back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fails = False
        self.gate: asyncio.Event | None = None
        self.held = asyncio.Event()
        self.written: list[dict[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def touch(self, scope: Scope, reads: Mapping[str, Sequence[datetime]]) -> None:
        if self.gate is not None:
            self.held.set()
            await self.gate.wait()
        if self.fails:
            raise StoreBusy
        await self._store.touch(scope, reads)
        self.written.append({item_id: len(moments) for item_id, moments in reads.items()})


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Fragile]:
    real = build_store(StoreSettings(backend=request.param, path=tmp_path / "memu.db"), clock=lambda: NOON)
    await real.open()
    yield Fragile(real)
    await real.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def counter(store: Fragile, clock: Clock) -> AccessCounter:
    return AccessCounter(cast(Store, store), clock, flush_after=5)


async def add(store: Fragile, text: str, scope: Scope = ANN) -> str:
    draft = ItemDraft(type="fact", text=text)
    item = Item(
        id=draft.id,
        type="fact",
        text=text,
        scope=scope,
        identity=item_identity(scope, draft),
        created_at=NOON,
        updated_at=NOON,
    )
    stored = StoredItem(item=item, vector=np.ones(1, dtype=np.float32), tokens=(text,))
    await store.commit(scope, Batch(run_id=new_id(), actor="test", read_seq=0, items=(stored,)))
    return item.id


async def reads(store: Fragile, item_id: str, scope: Scope = ANN) -> tuple[int, datetime | None]:
    item = (await store.items.get(scope, [item_id]))[item_id]
    return item.access_count, item.last_accessed_at


async def test_nothing_is_written_before_a_batch_is_full(store: Fragile, counter: AccessCounter) -> None:
    tea = await add(store, "tea")

    for _ in range(4):
        await counter.count(ANN, [tea])

    assert await reads(store, tea) == (0, None)


async def test_a_flush_writes_all_with_the_time_of_each_read(
    store: Fragile, counter: AccessCounter, clock: Clock
) -> None:
    tea, coffee = await add(store, "tea"), await add(store, "coffee")
    await counter.count(ANN, [tea, coffee])
    clock.now = NOON + timedelta(hours=1)
    await counter.count(ANN, [tea])
    clock.now = NOON + timedelta(hours=2)

    await counter.flush()

    assert await reads(store, tea) == (2, NOON + timedelta(hours=1))
    assert await reads(store, coffee) == (1, NOON)


async def test_a_second_flush_counts_nothing_twice(store: Fragile, counter: AccessCounter) -> None:
    tea = await add(store, "tea")
    await counter.count(ANN, [tea])

    await counter.flush()
    await counter.flush()

    assert (await reads(store, tea))[0] == 1
    assert len(store.written) == 1


async def test_each_partition_is_written_to_its_own(store: Fragile, counter: AccessCounter) -> None:
    ann, ben = await add(store, "tea"), await add(store, "tea", BEN)

    await counter.count(Scope(user="ann", session="s"), [ann])
    await counter.count(BEN, [ben, ben])
    await counter.flush()

    assert (await reads(store, ann))[0] == 1
    assert (await reads(store, ben, BEN))[0] == 2


async def test_a_full_batch_is_written_beside_the_reader(store: Fragile, counter: AccessCounter) -> None:
    tea = await add(store, "tea")
    store.gate = asyncio.Event()

    await counter.count(ANN, [tea] * 5)
    await store.held.wait()
    await counter.count(ANN, [tea] * 7)
    store.gate.set()
    await counter.flush()

    assert (await reads(store, tea))[0] == 12
    assert store.written == [{tea: 5}, {tea: 7}]


async def test_reading_nothing_writes_nothing(store: Fragile, counter: AccessCounter) -> None:
    await counter.count(ANN, [])
    await counter.flush()

    assert store.written == []


async def test_a_failed_write_is_logged_and_made_up_for(
    store: Fragile, counter: AccessCounter, caplog: pytest.LogCaptureFixture
) -> None:
    tea = await add(store, "tea")
    store.fails = True
    await counter.count(ANN, [tea] * 3)

    with caplog.at_level(logging.WARNING):
        await counter.flush()
    assert "kept for the next batch" in caplog.text

    store.fails = False
    await counter.count(ANN, [tea])
    await counter.flush()
    assert (await reads(store, tea))[0] == 4


async def test_reads_during_a_failing_write_are_kept_too(store: Fragile, counter: AccessCounter) -> None:
    tea = await add(store, "tea")
    store.fails, store.gate = True, asyncio.Event()
    await counter.count(ANN, [tea] * 5)
    await store.held.wait()

    await counter.count(ANN, [tea] * 2)
    store.gate.set()
    await counter.flush()
    store.fails = False
    await counter.flush()

    assert (await reads(store, tea))[0] == 7


async def test_counters_that_can_never_be_written_are_given_up(
    store: Fragile, counter: AccessCounter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "KEEP_AT_MOST", 1)
    tea, coffee = await add(store, "tea"), await add(store, "coffee")
    store.fails = True
    await counter.count(ANN, [tea, coffee])

    with caplog.at_level(logging.WARNING):
        await counter.flush()
    assert "2 reads of 2 items are given up" in caplog.text

    store.fails = False
    await counter.flush()
    assert await reads(store, tea) == (0, None)


async def test_a_closed_store_does_not_break_a_reader(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    real = build_store(StoreSettings(backend="sqlite", path=tmp_path / "memu.db"))
    await real.open()
    await real.close()
    counter = AccessCounter(real, clock, flush_after=1)

    await counter.count(ANN, ["an item"])
    with caplog.at_level(logging.WARNING):
        await counter.flush()

    assert "read counters were not written" in caplog.text
