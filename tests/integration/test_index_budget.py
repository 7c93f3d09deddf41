"""The cache of indexes within its budget, dropped, closed, and beside another process."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import cast

from index_cache_kit import ANN, BEN, NOON, ROOMY, Watched, add, cache, found, store

from memu_py.index.cache import IndexCache
from memu_py.index.partition import BASE_BYTES
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store

__all__ = ["cache", "store"]


async def test_within_the_budget_all_indexes_stay(store: Watched, cache: IndexCache) -> None:
    for user in "abc":
        await cache.get(Scope(user=user))

    assert len(cache.partitions) == 3
    assert cache.nbytes >= 3 * BASE_BYTES


async def test_the_index_used_longest_ago_goes_first(store: Watched) -> None:
    users = [Scope(user=user) for user in "abc"]
    single = IndexCache(cast(Store, store), budget_bytes=ROOMY)
    await single.get(users[0])
    cache = IndexCache(cast(Store, store), budget_bytes=2 * single.nbytes)

    await cache.get(users[0])
    await cache.get(users[1])
    await cache.get(users[0])
    await cache.get(users[2])

    assert cache.partitions == (users[0].partition, users[2].partition)


async def test_an_index_larger_than_the_budget_still_answers_alone(store: Watched) -> None:
    cache = IndexCache(cast(Store, store), budget_bytes=1)
    (ann,) = await add(store, "tea")
    (ben,) = await add(store, "tea", scope=BEN)

    assert found(await cache.get(ANN)) == {ann}
    assert found(await cache.get(BEN)) == {ben}
    assert cache.partitions == (BEN.partition,)


async def test_an_index_that_grows_pushes_others_out(store: Watched) -> None:
    probe = IndexCache(cast(Store, store), budget_bytes=ROOMY)
    await probe.get(ANN)
    cache = IndexCache(cast(Store, store), budget_bytes=3 * probe.nbytes)
    await cache.get(BEN)
    await cache.get(ANN)

    ids = await add(store, *(f"note {number}" for number in range(100)))

    assert found(await cache.get(ANN)) == set(ids)
    assert cache.partitions == (ANN.partition,)


async def test_an_index_that_is_loading_is_not_pushed_out(store: Watched) -> None:
    cache = IndexCache(cast(Store, store), budget_bytes=1)
    (ann,) = await add(store, "tea")
    store.gate = asyncio.Event()
    loading = [asyncio.create_task(cache.get(ANN)) for _ in range(2)]
    await store.held.wait()
    gate, store.gate = store.gate, None

    await cache.get(BEN)
    gate.set()

    assert [found(index) for index in await asyncio.gather(*loading)] == [{ann}, {ann}]
    assert store.calls.count("all index_rows") == 2
    assert cache.partitions == (ANN.partition,)


async def test_a_dropped_index_is_loaded_again(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")
    await cache.get(ANN)

    cache.drop(Scope(user="ann", session="any"))
    cache.drop(BEN)
    assert (cache.partitions, cache.nbytes) == ((), 0)

    assert found(await cache.get(ANN)) == set(ids)


async def test_an_index_dropped_while_it_loads_is_not_kept(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    store.gate = asyncio.Event()
    loading = asyncio.create_task(cache.get(ANN))
    await store.held.wait()

    cache.drop(ANN)
    store.gate.set()
    await loading

    assert (cache.partitions, cache.nbytes) == ((), 0)


async def test_a_closed_cache_holds_nothing(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    await cache.get(ANN)

    await cache.close()
    await cache.close()

    assert (cache.partitions, cache.nbytes) == ((), 0)


# Other processes

WRITER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_index_cache import add, commit
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings

async def main():
    store = build_store(StoreSettings(backend="sqlite", path=Path(sys.argv[2])))
    await store.open()
    print(*await add(store, "written elsewhere"))
    await store.close()

asyncio.run(main())
"""


async def test_another_process_is_heard_at_the_next_get(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    real = build_store(StoreSettings(backend="sqlite", path=path), clock=lambda: NOON)
    await real.open()
    cache = IndexCache(real, budget_bytes=ROOMY)
    here = await add(real, "written here")
    await cache.get(ANN)

    command = [sys.executable, "-c", WRITER, str(Path(__file__).parent), str(path)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    assert found(await cache.get(ANN)) == {*here, *done.stdout.split()}
    await real.close()
