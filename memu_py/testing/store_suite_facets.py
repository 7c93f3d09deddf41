"""The store's contract for what items claim of a person; a part of `StoreSuite`."""

from datetime import timedelta

from memu_py.records.batch import Reinforcement, Supersession
from memu_py.records.facet import FacetClaim, FacetMark
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, resource, segment, source, stored

MARK = FacetMark(seq=1, rules="1")
LATER = NOW + timedelta(days=1)


def claim(item_id: str, value: str = "Porto") -> FacetClaim:
    """Return a claim of an item that it is somebody's home."""
    return FacetClaim(
        item_id=item_id,
        facet="home",
        topic="",
        value=value,
        key=value.casefold(),
        ends=False,
        at=NOW,
        confidence=0.5,
    )


class FacetSuite:
    """Claims of items."""

    async def test_claims_are_replaced_item_by_item_or_all(self, store: Store) -> None:
        """With the mark, and only over the mark that they were read at."""
        one, two = stored(ANN, "one"), stored(ANN, "two")
        await keep(store, ANN, one, two)
        ids = [one.item.id, two.item.id]
        facets = store.facets
        both = [claim(ids[0]), claim(ids[1], "里斯本")]

        assert await facets.mark(ANN) is None
        assert await facets.keep(ANN, both, ids=None, mark=MARK, over=None)
        assert [held.claim for held in await facets.held(ANN)] == both
        assert await facets.mark(ANN) == MARK
        assert not await facets.keep(ANN, [], ids=None, mark=MARK, over=None)
        moved = MARK.evolve(seq=2)
        twice = [claim(ids[1], "Rome"), claim(ids[1], "Paris")]
        assert await facets.keep(ANN, twice, ids=ids[1:], mark=moved, over=MARK)
        assert {held.claim.value for held in await facets.held(ANN, "home")} == {"Porto", "Rome", "Paris"}
        assert await facets.held(ANN, "pets") == []
        assert await facets.keep(ANN, [claim("gone"), both[0]], ids=None, mark=moved, over=moved)
        assert [held.claim for held in await facets.held(ANN)] == both[:1]
        assert await facets.held(BOB) == []

    async def test_claims_go_with_their_item_and_end_with_it(self, store: Store) -> None:
        """Nothing is left of what was deleted."""
        one, two = stored(ANN, "one"), stored(ANN, "two")
        await keep(store, ANN, one, two)
        claims = [claim(one.item.id), claim(two.item.id)]
        await store.facets.keep(ANN, claims, ids=None, mark=MARK, over=None)
        end = Supersession(item_id=one.item.id, at=LATER)
        await keep(store, ANN, stored(ANN, "three"), supersessions=(end,))

        assert [held.ended_at for held in await store.facets.held(ANN)] == [LATER, None]
        await store.delete_items(ANN, [one.item.id])
        assert [held.claim.item_id for held in await store.facets.held(ANN)] == [two.item.id]
        await store.clear(ANN)
        assert await store.facets.mark(ANN) is None
        stats = await store.maintenance.stats()
        assert (stats["facets"], stats["facet_marks"]) == (0, 0)

    async def test_claims_are_narrowed_as_their_items_are(self, store: Store) -> None:
        """By the session of the item."""
        session = ANN.evolve(session="s")
        one, two = stored(ANN, "one"), stored(session, "two")
        await keep(store, ANN, one)
        await keep(store, session, two)
        await store.facets.keep(ANN, [claim(one.item.id), claim(two.item.id)], ids=None, mark=MARK, over=None)

        assert [held.claim.item_id for held in await store.facets.held(session)] == [two.item.id]
        assert len(await store.facets.held(ANN)) == 2

    async def test_what_the_person_said_is_told_from_what_others_did(self, store: Store) -> None:
        """By role and name; a text without an author is the person's, a file is not."""
        chat = resource(ANN, segment_count=4)
        turns = (
            segment(0, "I sail.").evolve(role="user"),
            segment(1, "I row.").evolve(role="assistant"),
            segment(2, "I ski.").evolve(role="user", speaker="Carl"),
            segment(3, "I run.").evolve(role="user", speaker="Ann"),
        )
        own, others, carls, anns = (
            stored(ANN, turn.text, sources=(source(chat, turn.ordinal),), speaker=turn.speaker)
            for turn in turns
        )
        await keep(store, ANN, own, others, carls, anns, resource=chat, segments=turns)
        by_hand, of_carl = stored(ANN, "I swim."), stored(ANN, "I fly.", speaker="Carl")
        await keep(store, ANN, by_hand, of_carl)

        found = {one.item_id: bool(one.times) for one in await store.facets.uttered(ANN)}
        assert [found[one.item.id] for one in (own, others, carls, anns, by_hand, of_carl)] == [
            True,
            False,
            False,
            True,
            True,
            False,
        ]
        few = await store.facets.uttered(ANN, [own.item.id, "gone"])
        assert [(one.item_id, one.text) for one in few] == [(own.item.id, "I sail.")]
        assert await store.facets.uttered(Scope(user="BOB")) == []

    async def test_whose_words_they_were_is_known_when_the_segments_are_gone(self, store: Store) -> None:
        """Also of what is changed, told anew or superseded since; and only what was found nowhere is by hand."""
        chat = resource(ANN, url="conversation://c", segment_count=2)
        turns = (
            segment(0, "I ski.").evolve(role="user", speaker="Carl", said_at=NOW),
            segment(1, "I row.").evolve(role="assistant"),
        )
        own, others = (
            stored(
                ANN, turn.text, sources=(source(chat, turn.ordinal, said_at=turn.said_at),), speaker=speaker
            )
            for turn, speaker in zip(turns, ("Carl", None), strict=True)
        )
        await keep(store, ANN, own, others, resource=chat, segments=turns)
        before = await store.facets.uttered(ANN)
        await store.forget_source(ANN, chat.id, title="c", reason="deleted")

        assert await store.facets.uttered(ANN) == before
        found = await store.items.get(ANN, [own.item.id, others.item.id])
        assert [found[one.item.id].sources[0].own for one in (own, others)] == [True, False]
        for one in found.values():
            await store.update_item(ANN, one.evolve(importance=7))
        assert await store.facets.uttered(ANN) == before
        assert [bool(one.times) for one in before] == [True, False]
        instead = stored(ANN, "I surf.", speaker="Carl", sources=found[own.item.id].sources)
        await keep(store, ANN, instead)
        assert (await store.facets.uttered(ANN, [instead.item.id]))[0].times == before[0].times

    async def test_whose_words_they_were_is_known_when_a_turn_is_no_more(self, store: Store) -> None:
        """As an edit of the conversation leaves it."""
        chat = resource(ANN, segment_count=2)
        turns = (segment(0, "I ski.").evolve(role="user"), segment(1, "I row.").evolve(role="assistant"))
        own, others = (stored(ANN, turn.text, sources=(source(chat, turn.ordinal),)) for turn in turns)
        first = await keep(store, ANN, own, others, resource=chat, segments=turns)
        assert first.resource is not None
        edited = tuple(turn.evolve(text="x", hash="other", role="user") for turn in turns)
        await keep(store, ANN, resource=first.resource.evolve(content_hash="new"), segments=edited)

        found = {one.item_id: bool(one.times) for one in await store.facets.uttered(ANN)}
        assert found == {own.item.id: True, others.item.id: False}
        assert await store.maintenance.integrity() == []

    async def test_a_rollback_keeps_whose_words_they_were(self, store: Store) -> None:
        """Segments do not come back, and what they told must not go."""
        chat, more = resource(ANN), resource(ANN)
        turn = segment(0, "I ski.").evolve(role="user")
        own = stored(ANN, turn.text, sources=(source(chat, 0),))
        await keep(store, ANN, own, resource=chat, segments=(turn,))
        before, point = await store.facets.uttered(ANN), await store.seq(ANN)
        again = Reinforcement(item_id=own.item.id, at=NOW, sources=(source(more, 0),))
        await keep(store, ANN, reinforcements=(again,), resource=more, segments=(turn,))
        await store.forget_source(ANN, chat.id, title="c", reason="deleted")
        await store.past.rollback(ANN, point, {}, {})

        (item,) = (await store.items.get(ANN, [own.item.id])).values()
        assert [(one.resource_id, one.own) for one in item.sources] == [(chat.id, True)]
        assert [one.times for one in await store.facets.uttered(ANN)] == [one.times for one in before]
