"""Many writers at once, on one loop and in several processes; busy files; cancelled callers."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from memu_py.errors import StoreBusy, StoreError
from memu_py.records.batch import Batch, StoredItem
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, batch, keep, stored

WRITERS = 10
ROUNDS = 4
PROCESSES = 4

WRITER = """
import asyncio, sys
from pathlib import Path
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import keep, stored

async def main(path, name, rounds):
    store = build_store(StoreSettings(path=Path(path), busy_timeout_s=60))
    await store.open()
    ann = Scope(user="ann")
    for number in range(rounds):
        await keep(store, ann, stored(ann, "likes tea"), stored(ann, f"{name} says {number}"))
    await store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memu.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    store = build_store(StoreSettings(path=path, busy_timeout_s=0.2))
    await store.open()
    yield store
    await store.close()


async def _shared_mentions(store: Store) -> int:
    page = await store.items.ids(ANN, {"text": "likes tea"})
    assert len(page) == 1
    return (await store.items.get(ANN, page))[page[0]].mentions


@pytest.mark.parametrize("backend", ["memory", "sqlite"])
async def test_ten_writers_at_once_lose_nothing(backend: str, path: Path) -> None:
    store = build_store(StoreSettings(backend=backend, path=path))
    await store.open()

    async def write(name: int) -> None:
        for number in range(ROUNDS):
            await keep(store, ANN, stored(ANN, "likes tea"), stored(ANN, f"{name} says {number}"))
            await store.items.count(ANN)

    await asyncio.gather(*(write(name) for name in range(WRITERS)))

    assert await store.items.count(ANN) == WRITERS * ROUNDS + 1
    assert await _shared_mentions(store) == WRITERS * ROUNDS
    assert await store.maintenance.integrity() == []
    await store.close()


def _write_in_processes(path: Path) -> None:
    arguments = [sys.executable, "-c", WRITER, str(path)]
    running = [
        subprocess.Popen([*arguments, f"process {number}", str(ROUNDS)], stderr=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    errors = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES, errors


async def test_four_processes_on_one_new_file_lose_nothing(path: Path) -> None:
    await asyncio.to_thread(_write_in_processes, path)
    store = build_store(StoreSettings(path=path))
    await store.open()
    assert await store.items.count(ANN) == PROCESSES * ROUNDS + 1
    assert await _shared_mentions(store) == PROCESSES * ROUNDS
    assert await store.maintenance.integrity() == []
    await store.close()


async def test_one_store_sees_what_another_wrote(store: Store, path: Path) -> None:
    other = build_store(StoreSettings(path=path))
    await other.open()
    seq = await store.seq(ANN)
    added = (await keep(other, ANN, stored(ANN, "tea"))).added[0]

    assert await store.changed_items(ANN, seq) == ([added.id], await other.seq(ANN))
    assert await store.items.get(ANN, [added.id]) == {added.id: added}
    await other.close()


async def test_a_file_that_stays_locked_is_busy_and_can_still_be_read(store: Store, path: Path) -> None:
    await keep(store, ANN, stored(ANN, "tea"))
    locker = sqlite3.connect(path, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="try again") as caught:
        await keep(store, ANN, stored(ANN, "coffee"))
    assert "memu.db" in str(caught.value)
    assert await store.items.count(ANN) == 1
    locker.execute("ROLLBACK")
    locker.close()

    await keep(store, ANN, stored(ANN, "coffee"))
    assert await store.items.count(ANN) == 2


async def test_an_erasure_that_others_keep_from_ending_says_so_and_ends_later(
    store: Store, path: Path
) -> None:
    await keep(store, ANN, stored(ANN, "SECRET"))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM items").fetchone()
    with pytest.raises(StoreBusy, match="clear again"):
        await store.clear(ANN)
    assert await store.items.count(ANN) == 0
    reader.execute("ROLLBACK")
    reader.close()

    assert await store.clear(ANN) == []
    assert all(b"SECRET" not in file.read_bytes() for file in path.parent.iterdir())


class _Held:
    """A recheck that waits until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.release = threading.Event()

    def __call__(self, planned: Batch, _fresh: Sequence[StoredItem]) -> Batch:
        self.entered.set()
        assert self.release.wait(30)
        return planned


async def test_a_cancelled_caller_leaves_no_half_transaction_and_no_lock(store: Store) -> None:
    held = _Held()
    started = asyncio.create_task(store.commit(ANN, batch(items=(stored(ANN, "begun"),)), recheck=held))
    await asyncio.to_thread(held.entered.wait, 30)
    waiting = asyncio.create_task(store.commit(ANN, batch(items=(stored(ANN, "not begun"),))))
    await asyncio.sleep(0)
    for task in (started, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    held.release.set()
    await keep(store, ANN, stored(ANN, "after"))

    texts = {one.text for one in (await store.items.get(ANN, await store.items.ids(ANN))).values()}
    assert texts == {"begun", "after"}
    assert await store.maintenance.integrity() == []


async def test_a_failing_recheck_writes_nothing(store: Store) -> None:
    def fail(_planned: Batch, _fresh: Sequence[StoredItem]) -> Batch:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.commit(ANN, batch(items=(stored(ANN, "tea"),)), recheck=fail)
    assert await store.items.count(ANN) == 0


async def test_a_closed_store_says_so_and_opens_again(store: Store) -> None:
    await keep(store, ANN, stored(ANN, "tea"))
    await store.close()
    await store.close()
    for call in (store.items.count(ANN), keep(store, ANN, stored(ANN, "x"))):
        with pytest.raises(StoreError, match="not open"):
            await call
    await store.open()
    await store.open()

    assert await store.items.count(Scope(user="ann")) == 1
