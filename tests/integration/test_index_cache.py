"""The cache of indexes over real stores: loaded once, fresh at every get, within its budget."""

import asyncio

import numpy as np
import pytest
from index_cache_kit import ANN, AXES, BEN, NOON, Watched, add, cache, commit, found, store, stored

from memu_py.errors import EmbedderMismatch
from memu_py.index import cache as cache_module
from memu_py.index.cache import SLICE_ROWS, IndexCache
from memu_py.records.batch import Reinforcement, StoredItem, Supersession
from memu_py.records.identity import item_identity
from memu_py.records.scope import Scope
from memu_py.storage.upkeep import Fingerprint

__all__ = ["cache", "store"]


async def test_a_first_get_finds_what_is_stored(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea", "coffee")

    index = await cache.get(ANN)

    assert found(index) == set(ids)
    assert index.keyword(["tea"], 5, index.live_mask())[0] == ids[:1]


async def test_a_get_with_nothing_new_costs_no_call(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    await cache.get(ANN)
    store.calls.clear()

    await cache.get(ANN)

    assert store.calls == []


async def test_new_items_are_there_at_the_next_get(store: Watched, cache: IndexCache) -> None:
    first = await add(store, "tea")
    await cache.get(ANN)

    second = await add(store, "coffee")

    assert found(await cache.get(ANN)) == {*first, *second}
    assert "all index_rows" not in store.calls[2:]


async def test_deleted_items_are_gone_at_the_next_get(store: Watched, cache: IndexCache) -> None:
    tea, coffee = await add(store, "tea", "coffee")
    await cache.get(ANN)

    await store.delete_items(ANN, [tea])

    assert found(await cache.get(ANN)) == {coffee}


async def test_changed_items_are_replaced(store: Watched, cache: IndexCache) -> None:
    (tea,) = await add(store, "tea")
    await cache.get(ANN)
    item = (await store.items.get(ANN, [tea]))[tea]
    draft = item.evolve(text="mint")
    draft = draft.evolve(identity=item_identity(ANN, draft))

    new = StoredItem(item=draft, vector=AXES[1], tokens=("mint",))
    await store.update_item(ANN, draft, reindex=new)
    index = await cache.get(ANN)

    assert found(index, axis=1) == {tea}
    assert index.keyword(["tea"], 5, index.live_mask())[0] == []
    assert index.keyword(["mint"], 5, index.live_mask())[0] == [tea]


async def test_reinforced_items_count_more(store: Watched, cache: IndexCache) -> None:
    (tea,) = await add(store, "tea")
    await cache.get(ANN)

    await commit(store, reinforcements=(Reinforcement(item_id=tea, at=NOON, count=2),))

    assert (await cache.get(ANN)).columns([tea]).mentions.tolist() == [3]


async def test_superseded_items_stay_but_are_not_live(store: Watched, cache: IndexCache) -> None:
    (tea,) = await add(store, "tea")
    await cache.get(ANN)

    await commit(store, supersessions=(Supersession(item_id=tea, at=NOON),))
    index = await cache.get(ANN)

    assert found(index) == set()
    assert index.dense(AXES[0], 5, index.present_mask())[0] == [tea]


async def test_partitions_do_not_see_each_other(store: Watched, cache: IndexCache) -> None:
    (ann,) = await add(store, "tea")
    (ben,) = await add(store, "tea", scope=BEN)

    assert found(await cache.get(ANN)) == {ann}
    assert found(await cache.get(BEN)) == {ben}


async def test_scopes_of_one_partition_share_an_index(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")
    await cache.get(Scope(user="ann", agent="helper"))
    store.calls.clear()

    assert found(await cache.get(Scope(user="ann", session="s"))) == set(ids)
    assert store.calls == []


async def test_a_partition_with_no_items_finds_nothing_and_grows(store: Watched, cache: IndexCache) -> None:
    assert found(await cache.get(ANN)) == set()

    ids = await add(store, "tea")

    assert found(await cache.get(ANN)) == set(ids)


async def test_an_index_in_use_does_not_move(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")
    before = await cache.get(ANN)

    await add(store, "coffee")
    await cache.get(ANN)

    assert found(before) == set(ids)


async def test_many_gets_at_once_load_once(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")

    indexes = await asyncio.gather(*(cache.get(ANN) for _ in range(20)))

    assert all(found(index) == set(ids) for index in indexes)
    assert store.calls.count("all index_rows") == 1


async def test_many_gets_at_once_catch_up_once(store: Watched, cache: IndexCache) -> None:
    await cache.get(ANN)
    ids = await add(store, "tea")

    indexes = await asyncio.gather(*(cache.get(ANN) for _ in range(20)))

    assert all(found(index) == set(ids) for index in indexes)
    assert store.calls.count("index_rows") == 1


async def test_what_is_written_while_an_index_loads_is_found(store: Watched, cache: IndexCache) -> None:
    first = await add(store, "tea")
    store.gate = asyncio.Event()
    loading = asyncio.create_task(cache.get(ANN))
    await store.held.wait()

    second = await add(store, "coffee")
    store.gate.set()
    await loading

    assert found(await cache.get(ANN)) == {*first, *second}


async def test_a_cancelled_load_leaves_nothing_behind(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")
    store.gate = asyncio.Event()
    loading = asyncio.create_task(cache.get(ANN))
    await store.held.wait()

    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert cache.partitions == ()
    store.gate = None

    assert found(await cache.get(ANN)) == set(ids)


async def test_when_a_load_is_cancelled_the_next_in_line_loads(store: Watched, cache: IndexCache) -> None:
    ids = await add(store, "tea")
    store.gate = asyncio.Event()
    loading = asyncio.create_task(cache.get(ANN))
    await store.held.wait()
    waiting = asyncio.create_task(cache.get(ANN))
    await asyncio.sleep(0)

    loading.cancel()
    store.gate.set()

    assert found(await waiting) == set(ids)
    assert cache.partitions == (ANN.partition,)


@pytest.mark.parametrize("count", [SLICE_ROWS, SLICE_ROWS + 1, 3 * SLICE_ROWS])
async def test_large_changes_are_caught_up_too(store: Watched, cache: IndexCache, count: int) -> None:
    old = await add(store, "tea", "coffee")
    await cache.get(ANN)

    new = await add(store, *(f"note {number}" for number in range(count)))
    await store.delete_items(ANN, old)

    assert found(await cache.get(ANN)) == set(new)
    assert store.calls.count("all index_rows") == 1


async def test_an_index_is_loaded_anew_when_most_of_it_changed(
    store: Watched, cache: IndexCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "RELOAD_ROWS", 3)
    old = await add(store, "tea", "coffee")
    await cache.get(ANN)

    new = await add(store, *"abcdef")

    assert found(await cache.get(ANN)) == {*old, *new}
    assert store.calls.count("all index_rows") == 2


async def test_a_reindexed_store_is_loaded_anew(store: Watched, cache: IndexCache) -> None:
    (tea,) = await add(store, "tea")
    await cache.get(ANN)
    item = (await store.items.get(ANN, [tea]))[tea]
    longer = np.eye(5, dtype=np.float32)[4]

    await store.maintenance.replace_vectors([StoredItem(item=item, vector=longer, tokens=("tea",))])
    await store.maintenance.finish_reindex(Fingerprint(embedder="other", dimension=5, tokenizer="t"))
    index = await cache.get(ANN)

    assert index.dense(longer, 5, index.live_mask())[0] == [tea]


async def test_clearing_a_user_empties_the_index(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    await cache.get(ANN)

    await store.clear(ANN)
    assert found(await cache.get(ANN)) == set()
    ids = await add(store, "tea")

    assert found(await cache.get(ANN)) == set(ids)


# Vectors of two embedders


async def test_vectors_of_two_lengths_name_the_way_out(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    await cache.get(ANN)
    bad = stored("coffee", np.eye(5, dtype=np.float32)[0])
    await commit(store, items=(bad,))

    for _ in range(2):
        with pytest.raises(EmbedderMismatch, match="memu reindex"):
            await cache.get(ANN)

    await store.delete_items(ANN, [bad.item.id])
    assert len(await cache.get(ANN)) == 1


async def test_a_large_change_that_fails_half_way_is_not_kept(store: Watched, cache: IndexCache) -> None:
    await add(store, "tea")
    await cache.get(ANN)
    bad = [stored(f"note {number}", np.eye(5, dtype=np.float32)[0]) for number in range(SLICE_ROWS + 1)]
    await commit(store, items=tuple(bad))

    with pytest.raises(EmbedderMismatch, match="memu reindex"):
        await cache.get(ANN)
    assert cache.partitions == ()

    await store.delete_items(ANN, [one.item.id for one in bad])
    assert len(await cache.get(ANN)) == 1


# The budget
