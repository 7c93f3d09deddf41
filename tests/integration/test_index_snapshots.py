"""Indexes in files beside the database: mapped by the next process, or made anew when they do not count."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from index_cache_kit import ANN, BEN, NOON, ROOMY, Watched, add, commit, found, stored

from memu_py import MemoryService, _core
from memu_py.errors import StoreError
from memu_py.index.cache import IndexCache
from memu_py.index.snapshots import Snapshots
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.storage.upkeep import Fingerprint

SESSION = Scope(user="ann", session="s")
NEIGHBOURS = (0.5, 0.25)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Watched]:
    real = build_store(StoreSettings(path=tmp_path / "memu.db"), clock=lambda: NOON)
    await real.open()
    yield Watched(real)
    await real.close()


def cache_of(store: Watched, *, neighbours: tuple[float, ...] = NEIGHBOURS, least: int = 1) -> IndexCache:
    return IndexCache(cast(Store, store), ROOMY, neighbours=neighbours, snapshot_from=least)


async def kept(store: Watched, *texts: str) -> tuple[list[str], Path]:
    """Store items, and return their ids with the file that holds their index."""
    ids = await add(store, *texts)
    cache = cache_of(store)
    await cache.get(ANN)
    await cache.close()
    path = store.snapshot(ANN)
    assert path.is_file()
    store.calls.clear()
    return ids, path


def was_read(store: Watched) -> bool:
    return "all index_rows" in store.calls


async def test_the_next_process_reads_no_row(store: Watched) -> None:
    ids, _ = await kept(store, "tea and milk", "coffee")

    index = await cache_of(store).get(ANN)

    assert found(index) == set(ids)
    assert index.keyword(["milk"], 5, index.live_mask())[0] == ids[:1]
    assert not was_read(store)


async def test_what_was_written_after_it_is_there(store: Watched) -> None:
    (tea, milk), _ = await kept(store, "tea", "milk")
    await store.delete_items(ANN, [tea])
    coffee = await add(store, *(f"coffee {number}" for number in range(3)))

    index = await cache_of(store).get(ANN)

    assert found(index) == {milk, *coffee}
    assert index.keyword(["tea"], 5, index.live_mask())[0] == []
    assert not was_read(store)


async def test_a_mapped_index_outgrows_its_file(store: Watched) -> None:
    ids, path = await kept(store, "tea")
    before = path.read_bytes()
    cache = cache_of(store)
    await cache.get(ANN)

    more = await add(store, *(f"note {number}" for number in range(2000)), axis=1)
    index = await cache.get(ANN)

    assert found(index) == set(ids)
    assert len(index) == 2001
    assert index.keyword(["note", "1999"], 1, index.live_mask())[0] == more[-1:]
    assert path.read_bytes() == before


async def test_much_that_changed_is_kept_when_the_cache_closes(store: Watched) -> None:
    await kept(store, "tea")
    cache = cache_of(store)
    await cache.get(ANN)
    ids = await add(store, "milk", "coffee", axis=1)
    await cache.get(ANN)
    await cache.close()
    store.calls.clear()

    assert found(await cache_of(store).get(ANN), axis=1) == set(ids)
    assert "index_rows" not in store.calls


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05, 0.3, 0.6, 0.9, 1.0])
async def test_a_damaged_file_does_not_count(store: Watched, share: float) -> None:
    ids, path = await kept(store, "tea", "milk")
    data = bytearray(path.read_bytes())
    # Zeros may be the room that arrays end in, where damage is none.
    places = [place for place, byte in enumerate(data) if byte]
    data[places[int(share * (len(places) - 1))]] ^= 1
    path.write_bytes(data)

    assert found(await cache_of(store).get(ANN)) == set(ids)
    assert was_read(store)


@pytest.mark.parametrize("length", [0, 10, 100, 5000])
async def test_a_cut_file_does_not_count(store: Watched, length: int) -> None:
    ids, path = await kept(store, "tea")
    path.write_bytes(path.read_bytes()[:length])

    assert found(await cache_of(store).get(ANN)) == set(ids)
    assert was_read(store)


async def test_other_neighbours_make_another_index(store: Watched) -> None:
    ids, _ = await kept(store, "tea")

    assert found(await cache_of(store, neighbours=(1.0,)).get(ANN)) == set(ids)
    assert was_read(store)


async def test_another_embedder_makes_another_index(store: Watched) -> None:
    ids, _ = await kept(store, "tea")
    await store.maintenance.set_fingerprint(Fingerprint(embedder="new", dimension=4, tokenizer="words"))

    assert found(await cache_of(store).get(ANN)) == set(ids)
    assert was_read(store)


async def test_a_database_put_back_from_a_copy_is_read_again(tmp_path: Path) -> None:
    """The log goes on from where the copy was made: its positions say other things now."""

    async def opened() -> Watched:
        real = build_store(StoreSettings(path=tmp_path / "memu.db"), clock=lambda: NOON)
        await real.open()
        return Watched(real)

    store = await opened()
    tea = await add(store, "tea")
    await store.close()
    shutil.copy(tmp_path / "memu.db", tmp_path / "copy.db")
    store = await opened()
    await kept(store, "lost", "lost too")
    await store.close()
    shutil.copy(tmp_path / "copy.db", tmp_path / "memu.db")
    store = await opened()
    new = await add(store, *(f"new {number}" for number in range(5)))

    assert found(await cache_of(store).get(ANN)) == {*tea, *new}
    assert was_read(store)
    await store.close()


async def test_each_partition_has_a_file_of_its_own(store: Watched) -> None:
    ann, path = await kept(store, "tea")
    ben = await add(store, "tea", scope=BEN)
    cache = cache_of(store)
    assert found(await cache.get(BEN)) == set(ben)
    await cache.close()
    shutil.copy(path, store.snapshot(BEN))

    assert found(await cache_of(store).get(BEN)) == set(ben)
    assert found(await cache_of(store).get(ANN)) == set(ann)


async def test_small_partitions_keep_none(store: Watched) -> None:
    await add(store, "tea", "milk")
    cache = cache_of(store, least=3)
    await cache.get(ANN)
    await cache.close()

    assert not store.snapshot(ANN).exists()


async def test_a_store_in_memory_keeps_none() -> None:
    real = build_store(StoreSettings(backend="memory"), clock=lambda: NOON)
    await real.open()
    store = Watched(real)
    ids = await add(store, "tea")
    cache = cache_of(store)

    assert found(await cache.get(ANN)) == set(ids)
    assert store.snapshot(ANN) is None
    await cache.close()
    await store.close()


async def test_a_place_that_cannot_be_written_is_no_fault(
    store: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    ids = await add(store, "tea")
    store.snapshot(ANN).parent.write_text("a file where the folder should be")

    assert found(await cache_of(store).get(ANN)) == set(ids)
    assert "cannot be kept" in caplog.text


# Erasure


@pytest.mark.parametrize("scope", [ANN, SESSION])
async def test_an_erasure_takes_the_file_along(store: Watched, scope: Scope) -> None:
    item = stored("a secret", np.eye(4, dtype=np.float32)[0], scope)
    await commit(store, scope, items=(item,))
    _, path = await kept(store, "tea")
    half = path.with_name(f"{path.stem}.0000.writing")
    half.write_text("secret")
    assert b"secret" in path.read_bytes()

    await store.clear(scope)

    assert list(path.parent.iterdir()) == []


async def test_an_erasure_that_leaves_the_file_says_so(store: Watched) -> None:
    _, path = await kept(store, "tea")
    path.unlink()
    path.mkdir()

    with pytest.raises(StoreError, match=r"rows are gone, but the index.*cannot be removed"):
        await store.clear(ANN)
    path.rmdir()
    await store.clear(ANN)


async def test_a_file_finished_after_an_erasure_does_not_stay(store: Watched) -> None:
    await add(store, "tea")
    index = await cache_of(store, least=10).get(ANN)
    seq = await store.seq(ANN)
    await store.clear(ANN)

    snapshots = Snapshots(cast(Store, store), neighbours=NEIGHBOURS, least=1)
    assert not await snapshots.save(ANN, index, seq)
    assert not store.snapshot(ANN).exists()


# The service


async def test_a_service_finds_the_same_after_opening_again(tmp_path: Path) -> None:
    config = {"database": {"path": str(tmp_path / "memu.db")}, "index": {"snapshot_from": 3}}
    texts = [f"Ann planted tree number {number} in Leith." for number in range(5)]
    vectors = _core.normalize(np.random.default_rng(3).standard_normal((5, 512)).astype(np.float32))
    answers = []
    for round_ in range(3):
        async with MemoryService(config) as service:
            if not round_:
                await service.create_items(texts, vectors=vectors, dedupe="exact", user="ann")
            found = await service.retrieve("Which tree is number 3?", user="ann", min_score=0, now=NOON)
            answers.append([(hit.record.text, hit.score) for hit in found])
            assert (await service.retrieve("tree", user="ben", min_score=0)).items == ()
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0][0] == texts[3]
    assert len(list((tmp_path / "memu.db.index").iterdir())) == 1


def files(folder: Path) -> list[Path]:
    return list(folder.glob("*"))


@pytest.mark.parametrize(("index", "kept"), [({}, True), ({"snapshot_from": None}, False)])
async def test_null_keeps_no_file(tmp_path: Path, index: dict[str, None], kept: bool) -> None:
    count = 2000  # from which on a file is kept by default
    config = {"database": {"path": str(tmp_path / "memu.db")}, "index": index}
    vectors = _core.normalize(np.random.default_rng(3).standard_normal((count, 512)).astype(np.float32))
    async with MemoryService(config) as service:
        texts = [f"Ann planted tree number {number}." for number in range(count)]
        await service.create_items(texts, vectors=vectors, dedupe="exact", user="ann")
        await service.retrieve("Which tree is number 3?", user="ann", min_score=0, now=NOON)
    assert bool(files(tmp_path / "memu.db.index")) is kept
