"""What every store must keep of what was: part of the contract suite."""

from datetime import timedelta

import pytest

from memu_py.errors import Conflict, HistoryGone
from memu_py.records.batch import Supersession
from memu_py.records.link import SIMILAR, Link
from memu_py.storage.store import Store
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    batch,
    category,
    in_category,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
)

SESSION = ANN.evolve(session="s")


class PastSuite:
    """The change log read backwards."""

    async def test_a_rollback_swaps_what_is_unique(self, store: Store) -> None:
        """Texts and names that have changed hands since, and what one has superseded."""
        tea, milk = stored(ANN, "tea"), stored(ANN, "milk")
        food, drink = await store.add_categories(ANN, [category(ANN, "food"), category(ANN, "drink")])
        await keep(store, ANN, tea, milk, links=(in_category(tea, food),))
        point = await store.seq(ANN)
        first = reworded(tea.item, "water")
        await store.update_item(ANN, first, reindex=tea.evolve(item=first))
        second = reworded(milk.item, "tea")
        await store.update_item(ANN, second, reindex=milk.evolve(item=second))
        for known, name in ((food, "x"), (drink, "food"), (food, "drink")):
            now = (await store.categories.get(ANN, [known.id]))[known.id]
            await store.update_category(ANN, now.evolve(name=name))
        newer = stored(ANN, "wine")
        end = Supersession(item_id=milk.item.id, at=NOW + timedelta(days=1), by=newer.item.id)
        await store.commit(ANN, batch(items=(newer,), supersessions=(end,), read_seq=await store.seq(ANN)))
        await store.link(ANN, [Link(source_id=milk.item.id, target_id=tea.item.id, kind=SIMILAR)])
        planned, wanted = await store.past.rehearse(ANN, point)
        vectors = {one.id: tea.evolve(item=one) for one in wanted}

        assert {one.id for one in wanted} == {tea.item.id, milk.item.id}
        with pytest.raises(Conflict, match="changed since the rollback was prepared"):
            await store.past.rollback(ANN, point, {}, {})
        done = await store.past.rollback(ANN, point, vectors, {})
        found = await store.items.get(ANN, [tea.item.id, milk.item.id, newer.item.id])
        assert {one.text: one.ended for one in found.values()} == {"tea": False, "milk": False}
        assert [found[one.item.id].identity for one in (tea, milk)] == [tea.item.identity, milk.item.identity]
        names = await store.categories.get(ANN, [food.id, drink.id])
        assert [names[one.id].name for one in (food, drink)] == ["food", "drink"]
        assert [one.kind for one in await store.links(ANN, [tea.item.id, milk.item.id])] == ["category"]
        assert done.undone == planned.undone
        assert await store.maintenance.integrity() == []

    async def test_places_follow_a_conversation_that_grew(self, store: Store) -> None:
        """What came back is found where it was said, as long as that is still there."""
        talk = resource(ANN)
        fact = stored(ANN, "tea", sources=(source(talk, 0),))
        committed = await keep(store, ANN, fact, resource=talk, segments=(segment(0, "tea"),))
        point = committed.seq
        assert committed.resource is not None
        grown = committed.resource.evolve(content_hash="more", segment_count=2)
        await keep(store, ANN, resource=grown, segments=(segment(1, "more"),))
        await store.delete_items(ANN, [fact.item.id])
        _, wanted = await store.past.rehearse(ANN, point)
        await store.past.rollback(ANN, point, {one.id: fact.evolve(item=one) for one in wanted}, {})

        back = (await store.items.get(ANN, [fact.item.id]))[fact.item.id]
        assert back.sources == fact.item.sources
        assert back.version > 1
        assert await store.maintenance.integrity() == []

    async def test_what_was_known_narrows_to_the_scope(self, store: Store) -> None:
        """An item lies in each session that it was said in; another's is not there."""
        one, other = stored(SESSION, "one"), stored(ANN, "other")
        await keep(store, ANN, one, other)
        await keep(store, BOB, stored(BOB, "his"))
        point = await store.seq(ANN)
        await store.delete_items(ANN, [one.item.id, other.item.id])
        then = await store.past.known(SESSION, point)

        assert then[one.item.id] == one.item
        assert then[other.item.id] is None
        assert await store.past.known(SESSION, point, [one.item.id]) == {one.item.id: one.item}
        assert await store.past.known(BOB, await store.seq(BOB)) == {}
        assert len((await store.past.changes(SESSION, limit=9)).records) == 2
        assert len((await store.past.changes(ANN, limit=9, kind="link")).records) == 0

    async def test_an_erased_part_is_no_part_of_the_past(self, store: Store) -> None:
        """What was erased does not come back, and the log says so rather than leave it out."""
        await keep(store, ANN, stored(SESSION, "secret"))
        point = await store.seq(ANN)
        await store.clear(SESSION)
        with pytest.raises(HistoryGone, match="has been erased"):
            await store.past.rehearse(ANN, point)
        await store.past.rehearse(ANN, await store.seq(ANN))
        planned, _ = await store.past.rehearse(ANN, 0)
        assert planned.undone == ()
