"""The change log is kept as long as it is configured, and integrity finds what is wrong."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.sql_store import SqlStore
from memu_py.storage.upkeep import Fingerprint
from memu_py.testing.clock import FixedClock
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    category,
    in_category,
    keep,
    resource,
    segment,
    source,
    stored,
    vector,
)

DAYS = 30


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def store(clock: FixedClock) -> AsyncIterator[SqlStore]:
    store = build_store(
        StoreSettings(backend="memory", keep_changes_days=DAYS, keep_answers_days=DAYS), clock=clock
    )
    assert isinstance(store, SqlStore)
    await store.open()
    yield store
    await store.close()


async def test_old_rows_go_and_readers_that_need_them_start_again(store: SqlStore, clock: FixedClock) -> None:
    first = (await keep(store, ANN, stored(ANN, "first"))).added[0]
    behind = await store.seq(ANN)
    await store.update_item(ANN, first.evolve(importance=1))
    quiet = (await keep(store, BOB, stored(BOB, "quiet"))).added[0]
    await store.update_item(BOB, quiet.evolve(importance=1))
    quiet_seq = await store.seq(BOB)
    clock.advance(timedelta(days=DAYS + 1))
    second = (await keep(store, ANN, stored(ANN, "second"))).added[0]
    seq = await store.seq(ANN)

    assert await store.maintenance.prune_changes() == 3
    assert [one.op for one in await store.history(ANN, first.id)] == []
    assert [one.op for one in await store.history(ANN, second.id)] == ["create"]
    assert await store.changed_items(ANN, behind) is None
    assert await store.changed_items(ANN, seq) == ([], seq)
    (last,) = await store.history(BOB, quiet.id)
    assert (last.seq, last.before, last.after) == (quiet_seq, None, None)
    assert await store.changed_items(BOB, quiet_seq) == ([], quiet_seq)
    assert await store.changed_items(BOB, 0) is None
    assert await store.maintenance.prune_changes() == 0
    assert await store.items.count(ANN) == 2


async def test_a_log_without_a_limit_is_kept(clock: FixedClock) -> None:
    store = build_store(StoreSettings(backend="memory"), clock=clock)
    await store.open()
    first = (await keep(store, ANN, stored(ANN, "first"))).added[0]
    clock.advance(timedelta(days=9999))
    assert await store.maintenance.prune_changes() == 0
    assert len(await store.history(ANN, first.id)) == 1
    await store.close()


async def test_changes_carry_the_time_of_the_clock(store: SqlStore, clock: FixedClock) -> None:
    known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
    clock.advance(timedelta(hours=1))
    after = await store.update_item(ANN, known.evolve(importance=1))
    assert [one.at for one in await store.history(ANN, known.id)] == [NOW, NOW + timedelta(hours=1)]
    assert after.updated_at == NOW + timedelta(hours=1)


FAULTS = {
    "DELETE FROM resources": ("segments: a row belongs to came", "sources: a row belongs to came"),
    "DELETE FROM items WHERE id = 'one'": (
        "item_vectors: a row belongs to one",
        "sources: a row belongs to one",
        "links: a row belongs to one",
        "entity_links: a row belongs to one",
        "items: two is superseded by one",
    ),
    "DELETE FROM categories": ("links: one leads to",),
    "UPDATE links SET kind = 'likes'": ("links: one leads to",),
    "DELETE FROM segments": (
        "sources: item one was found in segment 0 of came",
        "resources: came has 0 segments, not 1",
    ),
    "UPDATE sources SET position = 3": ("sources: those of item one are not numbered",),
    "DELETE FROM item_vectors WHERE item_id = 'two'": ("items: two has no vector",),
    "UPDATE item_vectors SET vector = x'0000' WHERE item_id = 'two'": (
        "item_vectors: 1 of 0.5 numbers, not 4",
    ),
    "UPDATE items SET text = 'other' WHERE id = 'one'": ("items: the identity of one",),
    "DELETE FROM entities WHERE name = 'Carl'": (
        "entity_links: a row belongs to",
        "items: one is not linked to what it names",
    ),
    "DELETE FROM entity_links WHERE item_id = 'two'": (
        "entities: no item names Rome",
        "items: two is not linked to what it names",
    ),
    "UPDATE items SET entities = '[]' WHERE id = 'one'": ("items: one is not linked to what it names",),
    "UPDATE entities SET vector = NULL WHERE name = 'Rome'": ("entities: Rome has no vector",),
    "UPDATE entities SET vector = x'0000' WHERE name = 'Rome'": ("entities: 1 of 0.5 numbers, not 4",),
}


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("statement", FAULTS)
async def test_integrity_finds_what_is_wrong(store: SqlStore, statement: str, known: bool) -> None:
    if known:
        await store.maintenance.set_fingerprint(Fingerprint(embedder="e", dimension=4, tokenizer="t"))
    topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
    came = resource(ANN, id="came")
    one = stored(ANN, "one", id="one", sources=(source(came, 0),), entities=("Carl",))
    two = stored(ANN, "two", id="two", entities=("Rome",))
    three = stored(ANN, "three")
    await keep(
        store,
        ANN,
        one,
        two,
        three,
        resource=came,
        segments=(segment(0, "one"),),
        links=(in_category(one, topic),),
        entity_vectors={"carl": vector(1, 0, 0, 0), "rome": vector(0, 1, 0, 0)},
    )
    await store.update_item(ANN, two.item.evolve(superseded_by="one", valid_to=NOW))
    assert await store.maintenance.integrity() == []

    await _without_foreign_keys(store, statement)
    faults = await store.maintenance.integrity()
    assert len(faults) == len(FAULTS[statement])
    for expected in FAULTS[statement]:
        assert any(fault.startswith(expected) for fault in faults), faults


async def _without_foreign_keys(store: SqlStore, statement: str) -> None:
    def damage(connection: Connection) -> None:
        # Outside a transaction of ours: the pragma has no effect inside one.
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("COMMIT")
        driver.execute("PRAGMA foreign_keys = OFF")
        driver.execute(statement)
        driver.execute("PRAGMA foreign_keys = ON")
        driver.execute("BEGIN")

    await store.read(damage)


async def test_answers_are_kept_as_long_as_it_is_configured(store: SqlStore, clock: FixedClock) -> None:
    await store.answers.save(ANN, b"old", "an old answer")
    clock.advance(timedelta(days=DAYS - 1))
    await store.answers.save(BOB, b"new", "a new answer")
    assert await store.maintenance.prune_answers() == 0
    clock.advance(timedelta(days=2))

    assert await store.maintenance.prune_answers() == 1
    assert await store.answers.load(ANN, b"old") is None
    assert await store.answers.load(BOB, b"new") == "a new answer"


async def test_answers_may_be_kept_for_ever(clock: FixedClock) -> None:
    store = build_store(StoreSettings(backend="memory"), clock=clock)
    await store.open()
    await store.answers.save(ANN, b"k", "an answer")
    clock.advance(timedelta(days=10_000))

    assert await store.maintenance.prune_answers() == 0
    assert await store.answers.load(ANN, b"k") == "an answer"
    await store.close()
