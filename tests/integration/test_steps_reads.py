"""Reads that are answered from memory: only while nothing was committed, and only to the scope that asked."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.records.scope import Scope
from memu_py.steps.reads import FreshReads
from memu_py.storage.store import Store

ANN = Scope(user="ann")


class Counted:
    """A real store that counts what is asked of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def items(self) -> Any:
        self.asked += 1
        return self._store.items


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(tmp_path / "memu.db"), clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def store(service: MemoryService) -> Counted:
    return Counted(service._runtime.store)


@pytest.fixture
def reads(store: Counted) -> FreshReads:
    return FreshReads(cast(Store, store))


async def test_what_was_read_once_is_not_asked_again(
    service: MemoryService, store: Counted, reads: FreshReads
) -> None:
    first, second = [
        await service.create_item(text, user="ann") for text in ("Ann likes tea.", "Ann has a boat.")
    ]
    assert await reads.items(ANN, [first.id, "gone"]) == {first.id: first}
    assert await reads.items(ANN, [first.id]) == {first.id: first}
    assert store.asked == 1
    assert list(await reads.items(ANN, [second.id, first.id])) == [second.id, first.id]
    assert store.asked == 2


async def test_a_commit_of_another_process_is_seen_at_once(
    service: MemoryService, reads: FreshReads, tmp_path: Path
) -> None:
    item = await service.create_item("Ann likes tea.", user="ann")
    await reads.items(ANN, [item.id])
    async with MemoryService(config(tmp_path / "memu.db"), clock=lambda: NOW) as other:
        changed = await other.update_item(item.id, {"importance": 7}, user="ann")
        assert (await reads.items(ANN, [item.id]))[item.id] == changed
        await other.delete_item(item.id, user="ann")
        assert await reads.items(ANN, [item.id]) == {}


async def test_an_answer_is_for_the_scope_that_asked(service: MemoryService, reads: FreshReads) -> None:
    item = await service.create_item("Ann likes tea.", user="ann", session="s1")
    for scope, seen in ((ANN, 1), (Scope(user="ann", session="s2"), 0), (Scope(user="bob"), 0)):
        assert len(await reads.items(scope, [item.id])) == seen


async def test_no_more_is_kept_than_allowed(service: MemoryService, store: Counted) -> None:
    items = [await service.create_item(f"Ann owns {number} boats.", user="ann") for number in range(3)]
    reads = FreshReads(cast(Store, store), limit=1)
    for _ in range(2):
        for item in items:
            assert (await reads.items(ANN, [item.id]))[item.id] == item
    assert len(reads._known) <= 2


async def test_a_store_without_a_stamp_is_always_asked(service: MemoryService, store: Counted) -> None:
    item = await service.create_item("Ann likes tea.", user="ann")
    store.stamp = lambda: None  # type: ignore[attr-defined]
    reads = FreshReads(cast(Store, store))
    for _ in range(2):
        assert (await reads.items(ANN, [item.id]))[item.id] == item
    assert store.asked == 2
