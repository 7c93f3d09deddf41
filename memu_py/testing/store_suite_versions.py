"""What a store must keep when a resource comes again, changed."""

from datetime import timedelta

from memu_py.records.batch import Move, Reinforcement, Supersession
from memu_py.records.link import SIMILAR, Link
from memu_py.records.page import Query
from memu_py.storage.store import Store
from memu_py.testing.store_samples import (
    ANN,
    NOW,
    batch,
    category,
    in_category,
    index_rows,
    keep,
    resource,
    segment,
    source,
    stored,
)

LATER = NOW + timedelta(days=1)


class VersionSuite:
    """Moved, edited and removed segments."""

    async def test_moved_segments_take_their_items_along(self, store: Store) -> None:
        """Sources keep their offset in the segment; summaries stay as they are."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        came = resource(ANN, segment_count=3)
        one, two = (
            stored(
                ANN,
                text,
                sources=(source(came, ordinal).evolve(start=ordinal * 100 + 5, end=ordinal * 100 + 9),),
            )
            for ordinal, text in enumerate(("one", "two"))
        )
        texts = tuple(segment(ordinal, text) for ordinal, text in enumerate(("one", "two", "three")))
        first = await keep(
            store, ANN, one, two, resource=came, segments=texts, links=(in_category(one, topic),)
        )
        summed = await store.summarize(ANN, (await store.categories.get(ANN, [topic.id]))[topic.id], "One.")
        assert first.resource is not None
        moves = (Move(old=0, new=1, start=30, end=33), Move(old=1, new=0, start=0, end=3))
        seq = await store.seq(ANN)
        second = await keep(store, ANN, resource=first.resource.evolve(content_hash="new"), moves=moves)

        assert [(s.text, s.start, s.end) for s in await store.segments(ANN, came.id)] == [
            ("two", 0, 3),
            ("one", 30, 33),
            ("three", 200, 205),
        ]
        found = await store.items.get(ANN, [one.item.id, two.item.id])
        places = [
            (found[x.item.id].sources[0].ordinal, found[x.item.id].sources[0].start) for x in (one, two)
        ]
        assert places == [(1, 35), (0, 5)]
        assert await store.changed_items(ANN, seq) == ([one.item.id, two.item.id], second.seq)
        assert await store.categories.get(ANN, [topic.id]) == {topic.id: summed}
        assert await store.maintenance.integrity() == []

    async def test_what_a_resource_no_longer_says_loses_its_place(self, store: Store) -> None:
        """An item found nowhere else still belongs to the resource; others lose only that source."""
        came = resource(ANN, segment_count=3)
        edited = stored(ANN, "edited", sources=(source(came, 1),))
        cut = stored(ANN, "cut", sources=(source(came, 2), source(came, 0)))
        texts = tuple(segment(ordinal, text) for ordinal, text in enumerate("abc"))
        first = await keep(store, ANN, edited, cut, resource=came, segments=texts)
        assert first.resource is not None
        new = stored(ANN, "new", sources=(source(came, 1),))
        end = Supersession(item_id=edited.item.id, at=LATER, by=new.item.id)
        shorter = first.resource.evolve(content_hash="new", segment_count=2)
        second = await keep(
            store, ANN, new, resource=shorter, segments=(segment(1, "B"),), supersessions=(end,)
        )

        assert second.resource is not None
        assert second.resource.segment_count == 2
        assert [one.text for one in await store.segments(ANN, came.id)] == ["a", "B"]
        found = await store.items.get(ANN, [edited.item.id, cut.item.id])
        assert [one.ordinal for one in found[cut.item.id].sources] == [0]
        assert [one.ordinal for one in found[edited.item.id].sources] == [-1]
        assert found[edited.item.id].superseded_by == new.item.id
        rows = {row.id: (row.resource_id, row.ordinal) for row in await index_rows(store, ANN)}
        assert rows[edited.item.id] == (None, 0)
        assert rows[new.item.id] == (came.id, 1)
        assert await store.maintenance.integrity() == []
        await store.delete_resources(ANN, [came.id])
        assert await store.items.ids(ANN) == []

    async def test_a_fact_found_again_gets_a_place_again(self, store: Store) -> None:
        """The place that is no more makes room for the new one."""
        came = resource(ANN, segment_count=1)
        fact = stored(ANN, "fact", sources=(source(came, 0),))
        first = await keep(store, ANN, fact, resource=came, segments=(segment(0, "a"),))
        assert first.resource is not None
        again = Reinforcement(item_id=fact.item.id, at=LATER, sources=(source(came, 1),))
        grown = first.resource.evolve(content_hash="new", segment_count=2)
        second = await keep(
            store,
            ANN,
            resource=grown,
            segments=(segment(0, "b"), segment(1, "fact")),
            reinforcements=(again,),
        )

        assert [one.ordinal for one in second.reinforced[0].sources] == [1]

    async def test_an_edit_that_says_the_same_does_not_end_the_item(self, store: Store) -> None:
        """It would be superseded by itself."""
        known = (await keep(store, ANN, stored(ANN, "likes tea"))).added[0]
        new = stored(ANN, "likes tea")
        end = Supersession(item_id=known.id, at=LATER, by=new.item.id)
        said = Reinforcement(item_id=known.id, at=LATER)
        link = Link(source_id=new.item.id, target_id=known.id, kind=SIMILAR)
        committed = await store.commit(
            ANN,
            batch(
                reinforcements=(said,), supersessions=(end,), links=(link,), replaced={new.item.id: known.id}
            ),
        )

        assert committed.replaced == {new.item.id: known.id}
        assert [(one.valid_to, one.mentions) for one in committed.reinforced] == [(None, 2)]
        assert await store.links(ANN, [known.id]) == []

    async def test_segments_follow_items_that_were_not_needed(self, store: Store) -> None:
        """Their outcome names the item in the place of the one that they made."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        came = resource(ANN)
        same = stored(ANN, "tea", sources=(source(came, 0), source(came, 1)))
        other = stored(ANN, "other", sources=(source(came, 1),))
        segments = (
            segment(0, "tea", reason=same.item.id),
            segment(1, "tea and other", reason=same.item.id),
            segment(2, "dropped", reason="dropped"),
            segment(3, "again", outcome="reinforced", reason=same.item.id),
            segment(4, "hello", outcome="skipped", reason=same.item.id),
            segment(5, "by nobody"),
        )
        await keep(store, ANN, same, other, resource=came, segments=segments, replaced={"dropped": known.id})
        found = [(one.outcome, one.reason) for one in await store.segments(ANN, came.id)]

        assert found == [
            ("reinforced", known.id),
            ("stored", other.item.id),
            ("reinforced", known.id),
            ("reinforced", known.id),
            ("skipped", same.item.id),
            ("stored", None),
        ]

    async def test_an_ended_item_is_stored_beside_the_live_one(self, store: Store) -> None:
        """What was true for a while is no duplicate of what is true."""
        live = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        ended = (await keep(store, ANN, stored(ANN, "tea", valid_to=NOW))).added[0]

        assert await store.live_identities(ANN, [live.identity, "unknown"]) == {live.identity: live}
        assert len(await store.items.page(ANN, Query(live=False))) == 2
        assert ended.valid_to == NOW
