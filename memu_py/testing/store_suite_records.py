"""What a store must keep of changing and deleting records."""

from datetime import timedelta

import pytest

from memu_py.errors import Conflict, InvalidInput, InvalidScope, NotFound
from memu_py.records.batch import StoredItem, Supersession
from memu_py.records.link import IN_CATEGORY, SIMILAR, Link
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    batch,
    category,
    converse,
    in_category,
    index_rows,
    keep,
    resource,
    reworded,
    segment,
    source,
    stored,
    vector,
)

LATER = NOW + timedelta(days=1)
SESSION = Scope(user="ann", session="s")


class RecordSuite:
    """Items, categories, resources and links by hand."""

    async def test_an_address_is_an_agents_own_in_whatever_session(self, store: Store) -> None:
        """Who names no agent finds nobody's, else the only one; of several others' none."""
        cook = Scope(user="ann", agent="cook", session="s")
        keyed = Scope(user="ann", agent="cook", custom=(("topic", "x"),))
        first = await converse(store, cook, "a", url="note://1")
        for scope in (cook, cook.evolve(session="t"), cook.evolve(session=None), ANN, SESSION):
            assert await store.find_resource(scope, url="note://1") == first
        others = (ANN.evolve(agent="guide"), keyed, BOB)
        assert [await store.find_resource(scope, url="note://1") for scope in others] == [None] * 3
        with pytest.raises(Conflict, match="the address"):
            await converse(store, cook.evolve(session="t"), "b", url="note://1")
        second = await converse(store, keyed, "b", url="note://1")
        assert await store.find_resource(keyed, url="note://1") == second
        assert await store.find_resource(cook, url="note://1") == first
        assert await store.find_resource(ANN, url="note://1") is None
        bare = await converse(store, SESSION, "c", url="note://1")
        assert await store.find_resource(ANN, url="note://1") == bare
        moved = await converse(store, ANN, "d", url="note://2")
        with pytest.raises(Conflict, match="address"):
            await store.update_resource(ANN, moved.evolve(url="note://1"))

    async def test_an_item_changes_where_it_was_changed(self, store: Store) -> None:
        """Its version grows; a second change of the old one is a conflict."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        changed = known.evolve(importance=5, metadata={"x": ["y"]}, updated_at=LATER)
        after = await store.update_item(ANN, changed)

        assert after == changed.evolve(version=2)
        assert await store.items.get(ANN, [known.id]) == {known.id: after}
        with pytest.raises(Conflict, match="version 2"):
            await store.update_item(ANN, known.evolve(importance=1))
        for scope in (BOB, SESSION):
            with pytest.raises(NotFound):
                await store.update_item(scope, after)
        with pytest.raises(InvalidScope):
            await store.update_item(ANN, after.evolve(scope=SESSION))

    async def test_a_new_text_needs_its_vector_and_tokens(self, store: Store) -> None:
        """So that the index never disagrees with the text."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        changed = reworded(known, "coffee")
        with pytest.raises(InvalidInput, match="reindex"):
            await store.update_item(ANN, changed)
        stored_item = StoredItem(item=changed, vector=vector(1, 0, 0, 0), tokens=("coffee",))
        after = await store.update_item(ANN, changed, reindex=stored_item)

        assert after.text == "coffee"
        (row,) = await index_rows(store, ANN)
        assert (row.tokens, row.vector.tolist()) == (("coffee",), [1, 0, 0, 0])

    async def test_a_taken_identity_is_a_conflict(self, store: Store) -> None:
        """Two live items cannot say the same; an ended one may."""
        tea, coffee = (await keep(store, ANN, stored(ANN, "tea"), stored(ANN, "coffee"))).added
        same = reworded(coffee, "tea")
        reindex = StoredItem(item=same, vector=vector(), tokens=())
        with pytest.raises(Conflict, match="live item"):
            await store.update_item(ANN, same, reindex=reindex)
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=tea.id, at=NOW),)))

        assert (await store.update_item(ANN, same, reindex=reindex)).text == "tea"

    async def test_an_update_checks_what_it_refers_to(self, store: Store) -> None:
        """Sources and successors must be there."""
        known, other = (await keep(store, ANN, stored(ANN, "tea"), stored(ANN, "coffee"))).added
        came = await converse(store, ANN, "I like tea")
        for successor in ("nobody", known.id):
            with pytest.raises(NotFound):
                await store.update_item(ANN, known.evolve(superseded_by=successor))
        with pytest.raises(NotFound):
            await store.update_item(ANN, known.evolve(sources=(source(resource(ANN), 0),)))
        changed = known.evolve(sources=(source(came, 0),), superseded_by=other.id, valid_to=NOW)

        after = await store.update_item(ANN, changed)
        assert (after.sources, after.superseded_by) == (changed.sources, other.id)
        assert await store.items.get(ANN, [known.id]) == {known.id: after}

    async def test_an_update_does_not_turn_reads_back(self, store: Store) -> None:
        """Counters of reads grow beside changes."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        await store.touch(ANN, {known.id: [LATER] * 3, "gone": [LATER]})
        await store.touch(BOB, {known.id: [LATER] * 5})
        await store.touch(ANN, {known.id: [NOW]})
        await store.touch(ANN, {})
        after = await store.update_item(ANN, known.evolve(importance=2, access_count=0))

        assert (after.access_count, after.last_accessed_at) == (4, LATER)
        assert (await store.items.get(ANN, [known.id]))[known.id] == after

    async def test_categories_are_unique_by_name(self, store: Store) -> None:
        """Whatever the case; the one that is there comes back."""
        first, again = await store.add_categories(ANN, [category(ANN, "Straße"), category(ANN, "STRASSE")])
        (later,) = await store.add_categories(SESSION, [category(ANN, "strasse", description="other")])
        (of_bob,) = await store.add_categories(BOB, [category(BOB, "Straße")])

        assert first == again == later
        assert of_bob.id != first.id
        assert await store.categories.get(SESSION, [first.id, of_bob.id]) == {first.id: first}
        with pytest.raises(InvalidScope):
            await store.add_categories(ANN, [category(BOB, "x")])
        with pytest.raises(Conflict):
            await store.add_categories(ANN, [category(ANN, "another", id=first.id)])

    async def test_categories_become_stale_with_their_items(self, store: Store) -> None:
        """By links, reinforcements, updates, deletions; a summary made before cannot be written."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        member = stored(ANN, "tea", said_at=NOW)
        newer = stored(ANN, "coffee", said_at=LATER)
        await keep(store, ANN, member, newer, links=(in_category(member, topic), in_category(newer, topic)))
        with pytest.raises(Conflict):
            await store.summarize(ANN, topic, "nothing")

        async def refreshed() -> None:
            current = (await store.categories.get(ANN, [topic.id]))[topic.id]
            assert current.stale
            done = await store.summarize(ANN, current, "Likes\0 tea.")
            assert (done.summary, done.stale, done.item_count) == (
                "Likes\ufffd tea.",
                False,
                current.item_count,
            )
            assert await store.categories.get(ANN, [topic.id]) == {topic.id: done}

        await refreshed()
        assert [one.item.text for one in await store.category_items(ANN, topic.id)] == ["coffee", "tea"]
        await keep(store, ANN, stored(ANN, "tea"))
        await refreshed()
        item = (await store.items.get(ANN, [member.item.id]))[member.item.id]
        await store.update_item(ANN, item.evolve(importance=3))
        await refreshed()
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=newer.item.id, at=NOW),)))
        await refreshed()
        assert [one.item.id for one in await store.category_items(ANN, topic.id)] == [member.item.id]
        assert (await store.categories.get(ANN, [topic.id]))[topic.id].item_count == 1
        await store.delete_items(ANN, [member.item.id])
        await refreshed()
        assert await store.category_items(BOB, topic.id) == []

    async def test_a_summary_tells_of_what_it_was_given(self, store: Store) -> None:
        """A category is stale until its summary tells of all live items; a new text is told of anew."""
        topic = (await store.add_categories(ANN, [category(ANN, "Drinks")]))[0]
        tea, coffee = stored(ANN, "tea"), stored(ANN, "coffee")
        await keep(store, ANN, tea, coffee, links=(in_category(tea, topic), in_category(coffee, topic)))

        async def told(*items: StoredItem) -> bool:
            current = (await store.categories.get(ANN, [topic.id]))[topic.id]
            versions = {one.item.id: one.item.version for one in items}
            return (await store.summarize(ANN, current, "Drinks.", told=versions)).stale

        async def untold() -> list[str]:
            return [one.item.text for one in await store.category_items(ANN, topic.id, untold=True)]

        assert await untold() == ["coffee", "tea"]
        assert await told(tea)
        assert await untold() == ["coffee"]
        with pytest.raises(Conflict, match="another summary"):
            await store.summarize(ANN, topic, "Tea.", told={})
        assert not await told(coffee)

        known = (await store.items.get(ANN, [tea.item.id]))[tea.item.id]
        changed = reworded(known, "green tea")
        await store.update_item(ANN, changed, reindex=tea.evolve(item=changed))
        assert await untold() == ["green tea"]
        assert await told(tea), "it was read before it changed"
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=tea.item.id, at=NOW),)))
        assert not await told()

    async def test_a_category_changes_where_it_was_changed(self, store: Store) -> None:
        """A taken name is a conflict; somebody else's is not found."""
        food, _ = await store.add_categories(ANN, [category(ANN, "Food"), category(ANN, "Work")])
        changed = food.evolve(name="Meals", description="what is eaten", metadata={"x": 1}, updated_at=LATER)
        after = await store.update_category(ANN, changed)

        assert after == changed.evolve(version=2)
        with pytest.raises(Conflict, match="work"):
            await store.update_category(ANN, after.evolve(name="work"))
        with pytest.raises(Conflict, match="version"):
            await store.update_category(ANN, food)
        with pytest.raises(NotFound):
            await store.update_category(BOB, after)
        with pytest.raises(NotFound):
            await store.summarize(BOB, after, "x")

    async def test_a_resource_changes_its_title_address_and_metadata(self, store: Store) -> None:
        """Nothing else, whatever else differs."""
        came = await converse(store, ANN, "a")
        other = await converse(store, ANN, "b", url="file:///b")
        wanted = came.evolve(title="Talk", url="file:///a", metadata={"k": "v"}, size=999)
        after = await store.update_resource(ANN, wanted)

        expected = came.evolve(title="Talk", url="file:///a", metadata={"k": "v"}, version=2)
        assert after == expected.evolve(updated_at=after.updated_at)
        assert await store.resources.get(ANN, [came.id]) == {came.id: after}
        with pytest.raises(Conflict, match="file:///b"):
            await store.update_resource(ANN, after.evolve(url=other.url))
        with pytest.raises(Conflict, match="version"):
            await store.update_resource(ANN, came)
        with pytest.raises(NotFound):
            await store.update_resource(BOB, after)

    async def test_deleted_items_take_vectors_and_links_along(self, store: Store) -> None:
        """What they superseded stays ended."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        old = (await keep(store, ANN, stored(ANN, "old"))).added[0]
        new = stored(ANN, "new")
        links = (in_category(new, topic), Link(source_id=old.id, target_id=new.item.id, kind=SIMILAR))
        end = Supersession(item_id=old.id, at=NOW, by=new.item.id)
        await keep(store, ANN, new, links=links, supersessions=(end,))

        assert await store.delete_items(BOB, [new.item.id]) == 0
        assert await store.delete_items(SESSION, [new.item.id]) == 0
        assert await store.delete_items(ANN, [new.item.id, new.item.id, "gone"]) == 1
        assert await store.items.get(ANN, [new.item.id]) == {}
        assert await store.vectors(ANN, [new.item.id]) == {}
        assert await store.links(ANN, [old.id]) == []
        assert await store.links(ANN, [topic.id], direction="in") == []
        ended = (await store.items.get(ANN, [old.id]))[old.id]
        assert (ended.valid_to, ended.superseded_by) == (NOW, None)
        assert await store.maintenance.integrity() == []

    async def test_deleted_categories_leave_their_items(self, store: Store) -> None:
        """Only the links go."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        member = stored(ANN, "tea")
        await keep(store, ANN, member, links=(in_category(member, topic),))

        assert await store.delete_categories(BOB, [topic.id]) == 0
        assert await store.delete_categories(ANN, [topic.id, "gone"]) == 1
        assert await store.links(ANN, [member.item.id]) == []
        assert await store.items.count(ANN) == 1
        assert (await store.add_categories(ANN, [category(ANN, "food")]))[0].id != topic.id

    async def test_deleted_resources_take_items_found_nowhere_else(self, store: Store) -> None:
        """Others lose the source; blobs that nobody uses are named."""
        first, second = resource(ANN, blob="shared"), resource(ANN, blob="shared", url="file:///b")
        alone = stored(ANN, "alone", sources=(source(first, 0),))
        both = stored(ANN, "both", sources=(source(first, 1), source(second, 0)))
        by_hand = stored(ANN, "by hand")
        two = (segment(0, "a"), segment(1, "b"))
        await keep(store, ANN, resource=second, segments=two)
        await keep(store, ANN, alone, both, by_hand, resource=first, segments=two)

        assert await store.delete_resources(BOB, [first.id]) == []
        assert await store.delete_resources(ANN, [first.id, "gone"]) == []
        assert await store.items.get(ANN, [alone.item.id]) == {}
        kept = (await store.items.get(ANN, [both.item.id]))[both.item.id]
        assert kept.sources == (source(second, 0),)
        assert await store.segments(ANN, first.id) == []
        assert await store.maintenance.integrity() == []
        assert await store.delete_resources(ANN, [second.id]) == ["shared"]
        assert [
            one.text for one in (await store.items.get(ANN, [both.item.id, by_hand.item.id])).values()
        ] == ["by hand"]

    async def test_links_are_added_rescored_and_removed(self, store: Store) -> None:
        """Both ends must be in the scope."""
        topic, other = await store.add_categories(ANN, [category(ANN, "Food"), category(ANN, "Work")])
        one, two = stored(ANN, "one"), stored(SESSION, "two")
        await keep(store, ANN, one, two)
        link = Link(source_id=one.item.id, target_id=topic.id, kind=IN_CATEGORY, score=0.25)
        like = Link(source_id=one.item.id, target_id=two.item.id, kind="likes")
        await store.link(ANN, [link, like])
        await store.link(ANN, [link.evolve(score=0.75), like])

        found = await store.links(ANN, [one.item.id])
        assert sorted((one.target_id, one.score) for one in found) == sorted(
            [(topic.id, 0.75), (two.item.id, 1.0)]
        )
        assert (await store.categories.get(ANN, [topic.id]))[topic.id].stale
        assert await store.unlink(BOB, [link]) == 0
        assert await store.unlink(SESSION, [link]) == 0
        assert await store.unlink(ANN, [link.evolve(score=0), link, link.evolve(target_id=other.id)]) == 1
        assert [one.kind for one in await store.links(ANN, [one.item.id])] == ["likes"]
        await store.link(ANN, [])

    async def test_a_link_needs_both_ends(self, store: Store) -> None:
        """In this scope, and of the right kind; an item is not linked to itself."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        mine, his = stored(ANN, "mine"), stored(BOB, "his")
        await keep(store, ANN, mine)
        await keep(store, BOB, his)
        for target, kind in (
            (his.item.id, "likes"),
            (topic.id, "likes"),
            ("x", IN_CATEGORY),
            ("x", "y"),
        ):
            with pytest.raises(NotFound, match="both its ends"):
                await store.link(ANN, [Link(source_id=mine.item.id, target_id=target, kind=kind)])
        with pytest.raises(NotFound):
            await store.link(SESSION, [Link(source_id=mine.item.id, target_id=topic.id, kind=IN_CATEGORY)])
        with pytest.raises(InvalidInput):
            await store.link(ANN, [Link(source_id=mine.item.id, target_id=mine.item.id, kind="likes")])
        with pytest.raises(InvalidInput):
            await store.link(
                ANN, [Link(source_id=mine.item.id, target_id=topic.id, kind=IN_CATEGORY, score=float("nan"))]
            )
        assert await store.links(ANN, [mine.item.id]) == []
