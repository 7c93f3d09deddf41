"""The store's contract for reflection, and for what rests on other items; a part of `StoreSuite`."""

import pytest

from memu_py.errors import Conflict
from memu_py.records.batch import StoredItem, Supersession
from memu_py.records.insight import INSIGHT, Moved, Watermark
from memu_py.records.link import DERIVED_FROM, Link
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

SESSION = Scope(user="ann", session="s")


async def resting(store: Store, *on: StoredItem, text: str = "Seen.") -> str:
    """Store an insight that rests on some items, and return its id."""
    made = stored(ANN, text, type=INSIGHT)
    links = tuple(Link(source_id=made.item.id, target_id=one.item.id, kind=DERIVED_FROM) for one in on)
    await keep(store, ANN, made, links=links)
    return made.item.id


async def is_ended(store: Store, item_id: str) -> bool:
    """Tell whether an item holds no longer."""
    return (await store.items.get(ANN, [item_id]))[item_id].ended


class ReflectionSuite:
    """Watermarks, and insights whose ground is gone."""

    async def test_the_watermark_moves_with_what_was_seen(self, store: Store) -> None:
        """In one transaction, once; each partition has its own."""
        one, two, three = (stored(ANN, text) for text in ("one", "two", "three"))
        await keep(store, ANN, one, two)
        await keep(store, BOB, stored(BOB, "bob's"))
        assert await store.reflections.watermark(ANN) == Watermark()
        first = await store.reflections.waiting(ANN, 1)
        assert list(first.ids) == [one.item.id]
        seen = stored(ANN, "Seen.", type=INSIGHT)
        await keep(store, ANN, seen, moved=Moved(before=0, after=first.seq))
        with pytest.raises(Conflict):
            await keep(store, ANN, stored(ANN, "Late."), moved=Moved(before=0, after=first.seq + 1))
        await keep(store, ANN, three)
        rest = await store.reflections.waiting(ANN, 10)

        assert list(rest.ids) == [two.item.id, three.item.id]
        assert rest.watermark.seq == first.seq
        assert await store.reflections.count(ANN, 1) == 1
        assert await store.reflections.count(ANN, 10) == len(rest.ids)
        await keep(store, ANN, moved=Moved(before=first.seq, after=rest.seq))
        assert not (await store.reflections.waiting(ANN, 10)).ids
        assert await store.reflections.count(BOB, 10) == 1
        assert await store.maintenance.integrity() == []

    async def test_what_a_rollback_brings_back_is_counted_once(self, store: Store) -> None:
        """It came in when it came in first."""
        one, two = stored(ANN, "one"), stored(ANN, "two")
        await keep(store, ANN, one)
        seen = await store.reflections.waiting(ANN, 10)
        await keep(store, ANN, two, moved=Moved(before=0, after=seen.seq))
        point = await store.seq(ANN)
        await store.delete_items(ANN, [one.item.id, two.item.id])
        assert await store.reflections.count(ANN, 10) == 0
        _, wanted = await store.past.rehearse(ANN, point)
        by_id = {each.item.id: each for each in (one, two)}
        await store.past.rollback(ANN, point, {each.id: by_id[each.id] for each in wanted}, {})
        assert set(await store.items.get(ANN, list(by_id))) == set(by_id)
        assert list((await store.reflections.waiting(ANN, 10)).ids) == [two.item.id]
        assert await store.reflections.count(ANN, 10) == 1

    async def test_an_insight_ends_with_the_last_of_what_it_rests_on(self, store: Store) -> None:
        """Whether that is deleted, ended or superseded."""
        one, two, three = (stored(ANN, text) for text in ("one", "two", "three"))
        await keep(store, ANN, one, two, three)
        both, last = await resting(store, one, two), await resting(store, three, text="Of three things.")
        await store.delete_items(ANN, [one.item.id])
        assert not await is_ended(store, both)
        known = (await store.items.get(ANN, [two.item.id]))[two.item.id]
        await store.update_item(ANN, known.evolve(valid_to=NOW))
        assert await is_ended(store, both)
        new = stored(ANN, "four")
        end = Supersession(item_id=three.item.id, at=NOW, by=new.item.id)
        await keep(store, ANN, new, supersessions=(end,))
        assert await is_ended(store, last)
        assert "what it rests on holds no longer" in [one.reason for one in await store.history(ANN, last)]

    async def test_what_quotes_a_deleted_item_ends_with_it(self, store: Store) -> None:
        """Also when other things bear it out; what is erased leaves nothing that says it."""
        one, two = stored(ANN, "I like tea"), stored(ANN, "Tea it is")
        await keep(store, ANN, one, two)
        quoting = await resting(store, one, two, text="Said 3 times in May 2024: I like tea")
        await store.delete_items(ANN, [one.item.id])
        assert await is_ended(store, quoting)

        secret = stored(SESSION, "a secret")
        await keep(store, SESSION, secret)
        told = await resting(store, secret, two, text="There is a secret.")
        await store.clear(SESSION)
        assert told not in await store.items.get(ANN, [told])
