"""What a store must keep of `commit`."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from memu_py.errors import BadVectors, Conflict, InvalidInput, InvalidScope
from memu_py.records.batch import Batch, Reinforcement, StoredItem, Supersession
from memu_py.records.item import Emotion
from memu_py.records.link import IN_CATEGORY, SIMILAR, Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import (
    ANN,
    BOB,
    NOW,
    batch,
    category,
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


class CommitSuite:
    """One batch, one transaction."""

    async def test_everything_of_a_batch_is_read_again_as_it_was_committed(self, store: Store) -> None:
        """Resource, segments, items and links come back."""
        topic = (await store.add_categories(ANN, [category(ANN, "Food")]))[0]
        came = resource(ANN, url="file:///a", metadata={"from": "a"})
        fact = stored(ANN, "likes tea", sources=(source(came, 0, metadata={"id": "D1:1"}),))
        committed = await keep(
            store,
            ANN,
            fact,
            resource=came,
            segments=(segment(0, "I like tea"), segment(1, "Hello", outcome="skipped", reason="no content")),
            links=(in_category(fact, topic),),
        )

        assert committed.added == (fact.item,)
        assert committed.resource == came.evolve(segment_count=2)
        assert await store.items.get(ANN, [fact.item.id]) == {fact.item.id: fact.item}
        assert await store.resources.get(ANN, [came.id]) == {came.id: came.evolve(segment_count=2)}
        assert [s.outcome for s in await store.segments(ANN, came.id)] == ["stored", "skipped"]
        assert [link.target_id for link in await store.links(ANN, [fact.item.id])] == [topic.id]
        assert committed.seq == await store.seq(ANN)

    async def test_a_failing_batch_leaves_nothing(self, store: Store) -> None:
        """A link to nowhere takes the whole batch down."""
        fact = stored(ANN, "likes tea")
        came = resource(ANN)
        lost = Link(source_id=fact.item.id, target_id="nowhere", kind=IN_CATEGORY)
        with pytest.raises(Conflict, match="nowhere"):
            await keep(store, ANN, fact, resource=came, segments=(segment(0, "tea"),), links=(lost,))

        assert await store.items.count(ANN) == 0
        assert await store.resources.count(ANN) == 0
        assert await store.seq(ANN) == 0

    async def test_a_run_is_written_once(self, store: Store) -> None:
        """The same run again changes nothing and returns its resource."""
        came = resource(ANN)
        first = batch(run_id="run", resource=came, items=(stored(ANN, "one"),), summary={"items": 1})
        done = await store.commit(ANN, first)
        again = await store.commit(ANN, batch(run_id="run", items=(stored(ANN, "two"),)))

        assert again.resource == done.resource
        assert (again.added, again.seq) == ((), done.seq)
        assert await store.items.count(ANN) == 1
        assert await store.find_run(ANN, "run") == {"items": 1, "resource_id": came.id}
        assert await store.find_run(ANN, "other") is None
        assert await store.find_run(BOB, "run") is None

    async def test_a_known_identity_becomes_a_reinforcement(self, store: Store) -> None:
        """The live item counts one more, and the segment says so."""
        known = (await keep(store, ANN, stored(ANN, "Likes tea"))).added[0]
        came = resource(ANN)
        same = stored(ANN, "likes  tea", created_at=LATER, sources=(source(came, 0),))
        committed = await keep(
            store, ANN, same, resource=came, segments=(segment(0, "likes tea"),), run_id="second"
        )

        assert committed.added == ()
        assert committed.replaced == {same.item.id: known.id}
        (reinforced,) = committed.reinforced
        assert (reinforced.id, reinforced.mentions, reinforced.text) == (known.id, 2, "Likes tea")
        assert reinforced.last_reinforced_at == LATER
        assert reinforced.sources == same.item.sources
        assert reinforced.version == known.version + 1
        assert await store.items.get(ANN, [known.id]) == {known.id: reinforced}
        (said,) = await store.segments(ANN, came.id)
        assert (said.outcome, said.reason) == ("reinforced", known.id)

    async def test_the_same_fact_twice_in_one_batch_is_one_item(self, store: Store) -> None:
        """The second makes the first count two, and links follow it."""
        came = resource(ANN)
        one = stored(ANN, "likes tea", sources=(source(came, 0),))
        two = stored(ANN, "likes tea", sources=(source(came, 1),))
        other = stored(ANN, "drinks tea")
        links = (
            Link(source_id=other.item.id, target_id=two.item.id, kind=SIMILAR),
            Link(source_id=one.item.id, target_id=two.item.id, kind=SIMILAR),
        )
        committed = await keep(store, ANN, one, two, other, resource=came, links=links)

        assert [added.text for added in committed.added] == ["likes tea", "drinks tea"]
        assert committed.added[0].mentions == 2
        assert [one.ordinal for one in committed.added[0].sources] == [0, 1]
        (link,) = await store.links(ANN, [one.item.id, other.item.id])
        assert (link.source_id, link.target_id) == (other.item.id, one.item.id)

    async def test_reinforcing_adds_count_time_and_sources(self, store: Store) -> None:
        """A source that is known is not added again."""
        came = resource(ANN)
        fact = stored(ANN, "likes tea", sources=(source(came, 0),))
        await keep(store, ANN, fact, resource=came)
        again = Reinforcement(
            item_id=fact.item.id, at=LATER, count=2, sources=(source(came, 0), source(came, 3))
        )
        earlier = Reinforcement(item_id=fact.item.id, at=NOW)
        (after,) = (await store.commit(ANN, batch(reinforcements=(again, earlier)))).reinforced

        assert (after.mentions, after.last_reinforced_at) == (4, LATER)
        assert [one.ordinal for one in after.sources] == [0, 3]
        assert await store.items.get(ANN, [fact.item.id]) == {fact.item.id: after}

    async def test_a_fuller_text_replaces_text_vector_and_tokens(self, store: Store) -> None:
        """Counters stay the stored item's own."""
        fact = (await keep(store, ANN, stored(ANN, "likes tea", mentions=3))).added[0]
        fuller = StoredItem(
            item=reworded(fact, "likes green tea", mentions=1),
            vector=vector(0, 0, 1, 0),
            tokens=("green", "tea"),
        )
        said = Reinforcement(item_id=fact.id, at=LATER, replacement=fuller)
        (after,) = (await store.commit(ANN, batch(reinforcements=(said,)))).reinforced

        assert (after.text, after.identity, after.mentions) == ("likes green tea", fuller.item.identity, 4)
        (row,) = await index_rows(store, ANN, [fact.id])
        assert row.tokens == ("green", "tea")
        assert row.vector.tolist() == [0, 0, 1, 0]

    async def test_a_fuller_text_that_another_item_has_is_left_to_it(self, store: Store) -> None:
        """Two live items never say exactly the same."""
        fact, other = (await keep(store, ANN, stored(ANN, "tea"), stored(ANN, "green tea"))).added
        fuller = StoredItem(item=reworded(fact, "green tea"), vector=vector(), tokens=())
        said = Reinforcement(item_id=fact.id, at=LATER, replacement=fuller)
        (after,) = (await store.commit(ANN, batch(reinforcements=(said,)))).reinforced

        assert (after.text, after.mentions) == ("tea", 2)
        assert await store.live_identities(ANN, [other.identity]) == {other.identity: other}

    async def test_reinforcing_what_is_gone_is_a_conflict(self, store: Store) -> None:
        """Nothing that was said is lost: the caller reads again."""
        gone, ended = (await keep(store, ANN, stored(ANN, "a"), stored(ANN, "b"))).added
        await store.delete_items(ANN, [gone.id])
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=ended.id, at=NOW),)))
        for lost in (gone, ended):
            with pytest.raises(Conflict, match="read again"):
                await store.commit(ANN, batch(reinforcements=(Reinforcement(item_id=lost.id, at=NOW),)))

    async def test_a_superseded_item_ends_and_names_its_successor(self, store: Store) -> None:
        """It is kept, left out of live pages, and its identity is free again."""
        old = (await keep(store, ANN, stored(ANN, "works at Acme"))).added[0]
        new, same = stored(ANN, "left Acme"), stored(ANN, "works at Acme")
        end = Supersession(item_id=old.id, at=LATER, by=new.item.id, reason="She left.")
        committed = await keep(store, ANN, new, same, supersessions=(end,))

        assert [added.id for added in committed.added] == [new.item.id, same.item.id]
        ended = (await store.items.get(ANN, [old.id]))[old.id]
        assert (ended.valid_to, ended.superseded_by) == (LATER, new.item.id)
        assert old.id not in [one.id for one in await store.items.page(ANN, Query())]
        assert old.id in [one.id for one in await store.items.page(ANN, Query(live=False))]
        assert await store.items.count(ANN) == 2
        assert old.id in await store.items.ids(ANN)
        assert [change.reason for change in await store.history(ANN, old.id)] == [None, "She left."]

    async def test_an_item_can_come_and_end_in_one_batch(self, store: Store) -> None:
        """A history told at once is stored as it was."""
        first, second = stored(ANN, "lived in Rome"), stored(ANN, "lives in Oslo")
        end = Supersession(item_id=first.item.id, at=NOW, by=second.item.id)
        committed = await keep(store, ANN, first, second, supersessions=(end,))

        assert committed.added[0].superseded_by == second.item.id
        assert await store.items.count(ANN) == 1

    async def test_ending_again_keeps_the_first_end(self, store: Store) -> None:
        """The earlier word stands; what is missing is filled in, what is gone or would end itself is no fault."""
        old, new = (await keep(store, ANN, stored(ANN, "old"), stored(ANN, "new"))).added
        for end in (
            Supersession(item_id=old.id, at=NOW),
            Supersession(item_id=old.id, at=LATER, by=new.id),
            Supersession(item_id="gone", at=LATER),
            Supersession(item_id=new.id, at=LATER, by=new.id),
        ):
            await store.commit(ANN, batch(supersessions=(end,)))

        ended = (await store.items.get(ANN, [old.id]))[old.id]
        assert (ended.valid_to, ended.superseded_by) == (NOW, new.id)
        assert await store.items.count(ANN) == 1

    async def test_an_unknown_successor_is_a_conflict(self, store: Store) -> None:
        """Nothing ends for the sake of an item that is not there."""
        old = (await keep(store, ANN, stored(ANN, "old"))).added[0]
        with pytest.raises(Conflict, match="nobody"):
            await store.commit(ANN, batch(supersessions=(Supersession(item_id=old.id, at=NOW, by="nobody"),)))

    async def test_recheck_sees_what_came_since_and_decides(self, store: Store) -> None:
        """It gets the live items of the same user and agent, with vectors."""
        before = (await keep(store, ANN, stored(ANN, "before"))).added[0]
        seq = await store.seq(ANN)
        since = stored(ANN, "likes tea")
        await keep(store, ANN, since, stored(Scope(user="ann", agent="other"), "other agent"))
        await keep(store, BOB, stored(BOB, "bob"))
        ended = (await keep(store, ANN, stored(ANN, "ended"))).added[0]
        await store.commit(ANN, batch(supersessions=(Supersession(item_id=ended.id, at=NOW),)))
        seen: list[StoredItem] = []

        def recheck(planned: Batch, fresh: Sequence[StoredItem]) -> Batch:
            seen.extend(fresh)
            said = Reinforcement(item_id=fresh[0].item.id, at=LATER)
            return planned.evolve(items=(), reinforcements=(said,))

        planned = batch(items=(stored(ANN, "is fond of tea"),), read_seq=seq)
        committed = await store.commit(ANN, planned, recheck=recheck)

        assert [one.item.id for one in seen] == [since.item.id]
        assert seen[0].tokens == since.tokens
        assert seen[0].vector.tolist() == since.vector.tolist()
        assert [one.id for one in committed.reinforced] == [since.item.id]
        assert before.id not in [one.item.id for one in seen]

    async def test_a_resource_is_swapped_by_version(self, store: Store) -> None:
        """A conversation grows; the second of two writers reads again."""
        came = resource(ANN, url="conversation://1")
        first = await store.commit(ANN, batch(resource=came, segments=(segment(0, "a"), segment(1, "b"))))
        assert first.resource is not None
        grown = first.resource.evolve(content_hash="more", status="partial", reason="why", updated_at=LATER)
        segments = (segment(1, "edited"), segment(2, "c"))
        second = await store.commit(ANN, batch(resource=grown, segments=segments))

        assert second.resource == grown.evolve(version=2, segment_count=3)
        assert [one.text for one in await store.segments(ANN, came.id)] == ["a", "edited", "c"]
        with pytest.raises(Conflict, match="version"):
            await store.commit(ANN, batch(resource=grown, segments=(segment(3, "d"),)))
        assert len(await store.segments(ANN, came.id)) == 3

    async def test_a_resource_that_was_deleted_is_not_revived(self, store: Store) -> None:
        """The run that read it starts anew."""
        came = (await keep(store, ANN, resource=resource(ANN))).resource
        assert came is not None
        seq = await store.seq(ANN)
        await store.delete_resources(ANN, [came.id])
        for version in (1, 2):
            with pytest.raises(Conflict, match="deleted"):
                await store.commit(ANN, batch(resource=came.evolve(version=version), read_seq=seq))

    async def test_two_resources_of_one_address_or_content_conflict(self, store: Store) -> None:
        """An address is unique in a partition, content in its attributes."""
        session = Scope(user="ann", session="s")
        await keep(store, ANN, resource=resource(ANN, url="file:///a", content_hash="x"))
        await keep(store, ANN, resource=resource(ANN, content_hash="x"))
        await keep(store, session, resource=resource(session, content_hash="x"))
        await keep(store, BOB, resource=resource(BOB, url="file:///a"))
        with pytest.raises(Conflict, match="file:///a"):
            await keep(store, session, resource=resource(session, url="file:///a"))
        with pytest.raises(Conflict, match="same content"):
            await keep(store, ANN, resource=resource(ANN, content_hash="x"))

    async def test_records_of_somebody_else_are_refused(self, store: Store) -> None:
        """A batch writes into its own scope only."""
        session = Scope(user="ann", session="s")
        for scope in (BOB, Scope(agent="ann"), ANN):
            with pytest.raises(InvalidScope):
                await store.commit(session, batch(items=(stored(scope, "x"),)))
            with pytest.raises(InvalidScope):
                await store.commit(session, batch(resource=resource(scope)))
        assert await store.items.count(ANN) == 0

    async def test_a_source_needs_its_resource(self, store: Store) -> None:
        """A resource that was deleted since takes no items."""
        lost = stored(ANN, "x", sources=(source(resource(ANN), 0),))
        with pytest.raises(Conflict, match="source"):
            await keep(store, ANN, lost)

    async def test_segments_need_a_resource(self, store: Store) -> None:
        """A segment belongs somewhere."""
        with pytest.raises(InvalidInput, match="resource"):
            await store.commit(ANN, batch(segments=(segment(0, "x"),)))

    async def test_vectors_of_different_lengths_are_refused(self, store: Store) -> None:
        """So are those that are no list of finite numbers; nothing is written."""
        short = stored(ANN, "b").evolve(vector=vector(1, 0))
        endless = stored(ANN, "c").evolve(vector=vector(float("nan"), 0, 0, 0))
        for wrong in (short, endless):
            with pytest.raises(BadVectors):
                await keep(store, ANN, stored(ANN, "a"), wrong)
        assert await store.items.count(ANN) == 0

    async def test_an_id_is_stored_once(self, store: Store) -> None:
        """A second item under a taken id is no second memory, and no overwriting."""
        known = (await keep(store, ANN, stored(ANN, "one"))).added[0]
        with pytest.raises(Conflict):
            await keep(store, ANN, stored(ANN, "two", id=known.id))
        assert (await store.items.get(ANN, [known.id]))[known.id].text == "one"

    async def test_a_deleted_fact_can_be_stored_again(self, store: Store) -> None:
        """Nothing of the old one stands in the way."""
        known = (await keep(store, ANN, stored(ANN, "likes tea"))).added[0]
        await store.delete_items(ANN, [known.id])
        again = await keep(store, ANN, stored(ANN, "likes tea"))

        assert [one.mentions for one in again.added] == [1]

    async def test_text_that_no_database_keeps_is_replaced(self, store: Store) -> None:
        """NUL and lone surrogates become U+FFFD, in text and metadata."""
        broken = stored(ANN, "a\0b\ud800c", metadata={"k\0": ["v\udfff", {"x": "\0"}]}, entities=("\0",))
        (added,) = (await keep(store, ANN, broken)).added

        assert added.text == "a\ufffdb\ufffdc"
        assert added.metadata == {"k\ufffd": ["v\ufffd", {"x": "\ufffd"}]}
        assert await store.items.get(ANN, [added.id]) == {added.id: added}

    async def test_what_cannot_be_stored_is_refused_before_anything_is_written(self, store: Store) -> None:
        """Times without a zone, numbers that are none, objects."""
        unstorable: list[dict[str, Any]] = [
            {"said_at": NOW.replace(tzinfo=None)},
            {"importance": float("inf")},
            {"emotion": Emotion(valence=float("nan"), arousal=0)},
            {"metadata": {"x": object()}},
            {"metadata": {1: "x"}},
            {"mentions": 2**70},
            {"id": "\ud800"},
        ]
        for fields in unstorable:
            with pytest.raises(InvalidInput):
                await keep(store, ANN, stored(ANN, "fine"), stored(ANN, "not fine", **fields))
        assert await store.items.count(ANN) == 0
