"""The store's contract for what is put away and what expires; a part of `StoreSuite`."""

import dataclasses
from datetime import timedelta

import pytest

from memu_py.errors import Conflict
from memu_py.records.batch import Archival, StoredItem, Vector
from memu_py.records.ids import new_id
from memu_py.records.link import SUMMARIZES, Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.search import Sight
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, batch, index_rows, keep, stored

PAST, COMING = NOW - timedelta(days=1), NOW + timedelta(days=36_500)


def away(one: StoredItem, *, version: int = 1) -> Archival:
    """Return the archival of an item as it was stored."""
    return Archival(item_id=one.item.id, at=NOW, because="faded", version=version)


async def listed(store: Store, *, archived: bool = False, scope: Scope = ANN) -> list[str]:
    """Return the texts of a list."""
    return [one.text for one in await store.items.page(scope, Query(archived=archived))]


async def searched(store: Store, near: Vector) -> list[str] | None:
    """Return what the database itself finds, where it searches."""
    if store.search is None:
        return None
    return [item_id for item_id, _ in await store.search.nearest(Sight(scope=ANN), near, 10)]


class ForgettingSuite:
    """Put away, and back again."""

    async def test_what_is_put_away_is_there_and_not_listed(self, store: Store) -> None:
        """One transaction with what is left in its place; the reason is in the history."""
        old, kept, short = stored(ANN, "old tea"), stored(ANN, "tea"), stored(ANN, "of teas")
        await keep(store, ANN, old, kept)
        await keep(store, BOB, stored(BOB, "bob's"))
        link = Link(source_id=short.item.id, target_id=old.item.id, kind=SUMMARIZES)
        await keep(store, ANN, short, archivals=(away(old),), links=(link,))
        found = (await store.items.get(ANN, [old.item.id]))[old.item.id]

        assert (found.archived_at, found.archived_because, found.ended) == (NOW, "faded", False)
        assert await listed(store) == ["tea", "of teas"]
        assert await listed(store, archived=True) == ["old tea", "tea", "of teas"]
        assert await listed(store, scope=BOB) == ["bob's"]
        assert await store.items.count(ANN) == len(["tea", "of teas"])
        assert {row.id: row.ended for row in await index_rows(store, ANN)}[old.item.id]
        assert old.item.id not in (await searched(store, old.vector) or ())
        assert [one.reason for one in await store.history(ANN, old.item.id)] == [None, "faded"]
        assert [one.target_id for one in await store.links(ANN, [short.item.id])] == [old.item.id]
        assert await store.maintenance.integrity() == []

    async def test_what_was_changed_since_it_was_read_is_not_put_away(self, store: Store) -> None:
        """Nor is anything else of the batch."""
        one, other = stored(ANN, "one"), stored(ANN, "other")
        await keep(store, ANN, one, other)
        for wrong in (away(one, version=2), dataclasses.replace(away(one), item_id=new_id())):
            with pytest.raises(Conflict):
                await keep(store, ANN, archivals=(away(other), wrong))
        with pytest.raises(Conflict):
            await keep(store, BOB, archivals=(away(one),))

        assert await listed(store) == ["one", "other"]

    async def test_what_is_said_again_comes_back(self, store: Store) -> None:
        """It is the same memory, never one that cannot be stored again."""
        old = stored(ANN, "tea", expires_at=PAST)
        await keep(store, ANN, old)
        await keep(store, ANN, archivals=(away(old),))
        again = await keep(store, ANN, stored(ANN, "tea"))
        (back,) = again.reinforced

        assert (back.id, back.mentions, back.archived_at, back.archived_because) == (
            old.item.id,
            2,
            None,
            None,
        )
        assert back.expires_at is None
        assert await listed(store) == ["tea"]
        assert not (await index_rows(store, ANN))[0].ended

    async def test_what_has_expired_is_not_there_any_more(self, store: Store) -> None:
        """Also before anybody put it away; what will expire is still there."""
        past, coming, never = (
            stored(ANN, "past", expires_at=PAST),
            stored(ANN, "coming", expires_at=COMING),
            stored(ANN, "never"),
        )
        await keep(store, ANN, past, coming, never)
        untils = {row.id: row.until for row in await index_rows(store, ANN)}
        found = await searched(store, past.vector)

        assert await listed(store) == ["coming", "never"]
        assert await listed(store, archived=True) == ["past", "coming", "never"]
        assert untils[past.item.id] == int(PAST.timestamp()) * 1_000_000
        assert untils[never.item.id] is None
        assert found is None or sorted(found) == sorted([coming.item.id, never.item.id])

    async def test_what_is_said_again_lasts_until_the_later_moment(self, store: Store) -> None:
        """One that never expires goes on to do so."""
        later = COMING + timedelta(days=1)
        await keep(store, ANN, stored(ANN, "tea", expires_at=COMING), stored(ANN, "milk"))
        again = [stored(ANN, "tea", expires_at=later), stored(ANN, "milk", expires_at=COMING)]
        (tea, milk) = (await keep(store, ANN, *again)).reinforced
        (same,) = (await keep(store, ANN, stored(ANN, "tea", expires_at=COMING))).reinforced

        assert (tea.expires_at, milk.expires_at, same.expires_at) == (later, None, later)

    async def test_owners_are_those_with_something_at_hand(self, store: Store) -> None:
        """One for each partition."""
        mine, yours = stored(ANN, "mine"), stored(BOB, "yours")
        await keep(store, ANN, mine, stored(ANN, "mine too"))
        await keep(store, BOB, yours)
        assert await store.maintenance.owners() == [ANN, BOB]
        await store.commit(BOB, batch(archivals=(away(yours),), read_seq=await store.seq(BOB)))
        assert await store.maintenance.owners() == [ANN]
