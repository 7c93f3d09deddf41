"""The store's contract for moods; a part of `StoreSuite`."""

from datetime import timedelta
from typing import Any

from memu_py.records.batch import Archival, StoredItem, Supersession
from memu_py.records.item import Emotion
from memu_py.records.mood import MoodKey, Tally
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

GLAD = Emotion(valence=0.8, arousal=0.6, label="Glad ")
SAD = Emotion(valence=-0.4, arousal=0.2)
DAY = NOW.date()


def felt(scope: Scope, text: str, emotion: Emotion | None = GLAD, **fields: Any) -> StoredItem:
    """Return an item that Ann said at `NOW`, with a feeling."""
    return stored(scope, text, **{"emotion": emotion, "said_at": NOW, "speaker": "Ann", **fields})


class MoodSuite:
    """Sums that are those of the items that hold, whatever was done to them."""

    async def test_moods_are_sums_over_days_speakers_labels_and_names(self, store: Store) -> None:
        """Items without a feeling add nothing."""
        await keep(
            store,
            ANN,
            felt(ANN, "Rex came", entities=("Rex",)),
            felt(ANN, "rain", SAD, said_at=NOW + timedelta(days=1), speaker=None),
            felt(ANN, "a plain fact", None),
        )
        glad = Tally.of(GLAD)
        assert await store.moods.sums(ANN) == {
            MoodKey(day=DAY, speaker="Ann"): glad,
            MoodKey(day=DAY, speaker="Ann", part="label", name="glad"): glad,
            MoodKey(day=DAY, speaker="Ann", part="entity", name="rex"): glad,
            MoodKey(day=DAY + timedelta(days=1), speaker=""): Tally.of(SAD),
        }
        assert len(await store.moods.sums(ANN, last=DAY)) == 3
        assert len(await store.moods.sums(ANN, first=DAY + timedelta(days=1))) == 1
        assert len(await store.moods.sums(ANN, speaker="Ann")) == 3
        assert await store.moods.sums(BOB) == {}

    async def test_what_no_longer_holds_takes_its_part_along(self, store: Store) -> None:
        """A change moves it; an end, a deletion and an erasure leave nothing."""
        first, second, third = felt(ANN, "one"), felt(ANN, "two"), felt(ANN, "three", SAD)
        await keep(store, ANN, first, second, third)
        key = MoodKey(day=DAY, speaker="Ann")
        known = (await store.items.get(ANN, [first.item.id]))[first.item.id]
        await store.update_item(ANN, known.evolve(emotion=SAD))
        two = Tally.of(SAD).plus(Tally.of(SAD))
        assert (await store.moods.sums(ANN))[key] == two.plus(Tally.of(GLAD))
        await keep(store, ANN, supersessions=(Supersession(item_id=second.item.id, at=NOW),))
        assert await store.moods.sums(ANN) == {key: two}
        await store.delete_items(ANN, [third.item.id])
        assert await store.moods.sums(ANN) == {key: Tally.of(SAD)}
        assert await store.maintenance.integrity() == []
        await store.clear(ANN)
        assert await store.moods.sums(ANN) == {}

    async def test_what_faded_was_felt_and_what_expired_takes_its_part_along(self, store: Store) -> None:
        """Whoever asks, before, after, and when it is back."""
        mine = ANN.evolve(session="s")
        faded, expired = felt(mine, "one"), felt(mine, "two", SAD, expires_at=NOW)
        await keep(store, mine, faded, expired)
        key = MoodKey(day=DAY, speaker="Ann")

        async def counted() -> Tally:
            kept, reckoned = (await store.moods.sums(ANN))[key], (await store.moods.sums(mine))[key]
            cited = await store.moods.cited(ANN)
            assert kept == reckoned and kept.count == len(cited)
            assert await store.maintenance.integrity() == []
            return kept

        both = Tally.of(GLAD).plus(Tally.of(SAD))
        assert await counted() == both
        away = [
            Archival(item_id=one.item.id, at=NOW, because=why, version=1)
            for one, why in ((faded, "faded"), (expired, "expired"))
        ]
        await keep(store, ANN, archivals=tuple(away))
        assert await counted() == Tally.of(GLAD)
        found = await store.items.get(ANN, [faded.item.id, expired.item.id])
        for one in found.values():
            await store.update_item(ANN, one.evolve(archived_at=None, archived_because=None, expires_at=None))
        assert await counted() == both

    async def test_a_narrower_scope_has_the_moods_of_its_own_items(self, store: Store) -> None:
        """As sums and as citations."""
        mine, other = ANN.evolve(session="s"), ANN.evolve(session="t")
        await keep(store, mine, felt(mine, "one"))
        await keep(store, other, felt(other, "two", SAD))
        key = MoodKey(day=DAY, speaker="Ann")
        assert (await store.moods.sums(mine))[key] == Tally.of(GLAD)
        assert (await store.moods.sums(ANN))[key] == Tally.of(GLAD).plus(Tally.of(SAD))
        assert [one.text for one in await store.moods.cited(mine)] == ["one"]
        await store.clear(mine)
        assert await store.moods.sums(ANN) == {key: Tally.of(SAD)}

    async def test_the_strongest_feelings_are_cited_first(self, store: Store) -> None:
        """Of these days, of this speaker, about this name."""
        late = NOW + timedelta(days=3)
        await keep(
            store,
            ANN,
            felt(ANN, "weak", SAD, entities=("Rex",)),
            felt(ANN, "strong", GLAD, speaker="Ben"),
            felt(ANN, "late", GLAD.evolve(valence=-0.9), said_at=late, entities=("rex ", "Tom")),
        )

        async def texts(**more: Any) -> list[str]:
            return [one.text for one in await store.moods.cited(ANN, **more)]

        assert await texts() == ["late", "strong", "weak"]
        assert await texts(limit=1) == ["late"]
        assert await texts(last=DAY) == ["strong", "weak"]
        assert await texts(first=late.date(), last=late.date()) == ["late"]
        assert await texts(speaker="Ben") == ["strong"]
        assert await texts(entity="rex") == ["late", "weak"]
        assert await store.moods.cited(BOB) == []
