"""The store's contract for habits, occasions and feedback; a part of `StoreSuite`."""

from datetime import date, timedelta

import pytest

from memu_py.errors import Cancelled, NotFound
from memu_py.records.feedback import UNHELPFUL_READS, USED_READS, Feedback, MemoryUse
from memu_py.records.job import Lease
from memu_py.records.occasion import Occasion
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, category, in_category, keep, resource, source, stored

DAY = date(2030, 5, 1)
AT = NOW + timedelta(days=3)
TRIP = TimeSpan(start=AT, until=AT, precision="instant", words="in three days")
GOOD = Feedback(item_id="", run_id="run", used=True)


def occasion(item_id: str) -> Occasion:
    """Return a plan of an item that happens at `AT`."""
    return Occasion(item_id=item_id, kind="plan", day=DAY, due_at=AT, start=AT)


class ForesightSuite:
    """Rows about items: noted once, told once, and gone with the item."""

    async def test_said_gives_each_time_with_its_categories(self, store: Store) -> None:
        """The newest first, of live items of the scope only."""
        (topic,) = await store.add_categories(ANN, [category(ANN, "Food")])
        came = resource(ANN)
        early, late = NOW - timedelta(days=2), NOW - timedelta(days=1)
        places = (source(came, 0).evolve(said_at=early), source(came, 1).evolve(said_at=late))
        often, once = stored(ANN, "tea", sources=places), stored(ANN, "boat", said_at=NOW)
        await keep(store, ANN, often, once, resource=came, links=(in_category(often, topic),))

        found = await store.foresight.said(ANN, 10)
        assert [(one.item_id, one.at, one.category_ids) for one in found] == [
            (once.item.id, NOW, ()),
            (often.item.id, late, (topic.id,)),
            (often.item.id, early, (topic.id,)),
        ]
        assert await store.foresight.said(ANN, 2) == found[:2]
        assert await store.foresight.said(BOB, 10) == []

    async def test_an_occasion_is_noted_once_and_told_once(self, store: Store) -> None:
        """Noted again it is no other one; taken it does not come back."""
        trip = stored(ANN, "trip", happened=TRIP)
        await keep(store, ANN, trip)
        wanted = occasion(trip.item.id)

        assert [one.start for one in await store.foresight.dated(ANN)] == [AT]
        assert await store.foresight.note(ANN, [wanted]) == 1
        assert await store.foresight.note(ANN, [wanted]) == 0
        assert [one.occasion for one in await store.foresight.due(ANN, first=DAY, last=DAY)] == [wanted]
        assert await store.foresight.due(ANN, first=DAY + timedelta(days=1), last=None) == []
        assert await store.foresight.due(ANN, first=None, last=DAY - timedelta(days=1)) == []
        (taken,) = await store.foresight.take(ANN, first=None, last=None)
        assert (taken.item.id, taken.told_at is None) == (trip.item.id, False)
        assert await store.foresight.note(ANN, [wanted]) == 0
        assert await store.foresight.take(ANN, first=None, last=None) == []
        assert len(await store.foresight.due(ANN, first=None, last=None, told=True)) == 1

    async def test_an_occasion_is_a_partitions_own_and_goes_with_its_item(self, store: Store) -> None:
        """Nor is one noted of an item that is gone, or has another date."""
        trip = stored(ANN, "trip", happened=TRIP)
        await keep(store, ANN, trip)
        wanted = occasion(trip.item.id)

        assert await store.foresight.note(BOB, [wanted]) == 0
        assert await store.foresight.note(ANN, [wanted.evolve(start=NOW)]) == 0
        assert await store.foresight.note(ANN, [wanted]) == 1
        assert await store.foresight.due(BOB, first=None, last=None, told=True) == []
        assert await store.foresight.take(BOB, first=None, last=None) == []
        await store.delete_items(ANN, [trip.item.id])
        assert await store.foresight.due(ANN, first=None, last=None, told=True) == []
        assert await store.foresight.note(ANN, [wanted]) == 0

    async def test_another_date_is_another_occasion(self, store: Store) -> None:
        """What followed from the old date is not shown any more."""
        trip = stored(ANN, "trip", happened=TRIP)
        kept = await keep(store, ANN, trip)
        await store.foresight.note(ANN, [occasion(trip.item.id)])
        later = AT + timedelta(days=1)
        moved = TRIP.evolve(start=later, until=later)
        await store.update_item(ANN, kept.added[0].evolve(happened=moved))

        assert await store.foresight.due(ANN, first=None, last=None) == []
        again = occasion(trip.item.id).evolve(start=later, due_at=later)
        await store.foresight.note(ANN, [again])
        assert [one.occasion for one in await store.foresight.due(ANN, first=None, last=None)] == [again]

    async def test_a_scan_without_its_lease_writes_nothing(self, store: Store) -> None:
        """Its job was cancelled, erased, or taken over."""
        trip = stored(ANN, "trip", happened=TRIP)
        await keep(store, ANN, trip)

        with pytest.raises(Cancelled):
            await store.foresight.note(ANN, [occasion(trip.item.id)], lease=Lease(job_id="x", id="y"))
        assert await store.foresight.due(ANN, first=None, last=None) == []

    async def test_feedback_counts_once_for_a_run_and_moves_the_index(self, store: Store) -> None:
        """The last word of a run holds; reads are never fewer than none."""
        tea = stored(ANN, "tea")
        await keep(store, ANN, tea)
        await store.touch(ANN, {tea.item.id: [NOW] * 3})
        said = GOOD.evolve(item_id=tea.item.id)
        seq = await store.seq(ANN)

        assert await store.foresight.judge(ANN, said)
        assert not await store.foresight.judge(ANN, said)
        assert await _reads(store) == [1 + 3 + USED_READS]
        changed = await store.changed_items(ANN, seq)
        assert changed is not None
        assert changed[0] == [tea.item.id]
        assert await store.foresight.judge(ANN, said.evolve(used=None, helpful=False))
        assert await _reads(store) == [1 + 3 + USED_READS + UNHELPFUL_READS]
        for number in range(3):
            await store.foresight.judge(ANN, said.evolve(run_id=f"r{number}", used=False, helpful=False))
        assert await _reads(store) == [0]
        assert await store.foresight.use(ANN) == MemoryUse(retrieved=3, used=1, unused=3, unhelpful=4)
        assert await store.foresight.use(BOB) == MemoryUse()

    async def test_feedback_is_a_partitions_own_and_goes_with_its_item(self, store: Store) -> None:
        """An item of somebody else is not there."""
        tea = stored(ANN, "tea")
        await keep(store, ANN, tea)
        said = GOOD.evolve(item_id=tea.item.id)

        with pytest.raises(NotFound):
            await store.foresight.judge(BOB, said)
        with pytest.raises(NotFound):
            await store.foresight.judge(Scope(user="ann", session="other"), said)
        await store.foresight.judge(ANN, said)
        await store.clear(ANN)
        assert await store.foresight.use(ANN) == MemoryUse()
        assert (await store.maintenance.stats())["feedback"] == 0

    async def test_vectors_of_several_partitions_come_page_by_page(self, store: Store) -> None:
        """Each once, with its owner; only live ones, and only of the scopes that are named."""
        team = Scope(agent="team")
        session = ANN.evolve(session="s")
        for scope in (ANN, BOB, team, session):
            await keep(store, scope, stored(scope, f"one {scope}"), stored(scope, f"two {scope}"))
        scan = store.maintenance.scan_vectors
        seen: list[tuple[str, str]] = []
        after = None
        while True:
            page = await scan(None, after, 3)
            seen += [(owner.partition, one) for owner, one in zip(page.owners, page.ids, strict=True)]
            assert len(page.ids) == len(page.matrix)
            after = page.after
            if after is None:
                break

        assert len(seen) == len(set(seen)) == 8
        assert {owner for owner, _ in seen} == {one.partition for one in (ANN, BOB, team)}
        users = await scan(None, None, 100, users_only=True)
        assert {owner.partition for owner in users.owners} == {ANN.partition, BOB.partition}
        assert len((await scan([session], None, 100)).ids) == 2
        assert len((await scan([ANN, BOB], None, 100)).ids) == 6
        assert len((await scan([Scope(user="%")], None, 100)).ids) == 0

    async def test_owners_of_dates_are_told(self, store: Store) -> None:
        """Who has no live item with a date is none."""
        trip = stored(ANN, "trip", happened=TRIP)
        await keep(store, ANN, trip)
        await keep(store, BOB, stored(BOB, "tea"))

        assert await store.maintenance.dated_owners() == [ANN]
        await store.delete_items(ANN, [trip.item.id])
        assert await store.maintenance.dated_owners() == []


async def _reads(store: Store) -> list[int]:
    return [int(count) for rows in await store.index_rows(ANN) for count in rows.access_count]
