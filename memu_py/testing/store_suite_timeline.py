"""The store's contract for when things were; a part of `StoreSuite`."""

from datetime import UTC, datetime, timedelta

from memu_py.records.page import Query
from memu_py.records.span import TimeSpan
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

QUARTER = timedelta(minutes=15)
EARLY = datetime(1950, 1, 1, 0, 7, 30, tzinfo=UTC)


def at(moment: datetime) -> TimeSpan:
    """Return an instant."""
    return TimeSpan(start=moment, until=moment, precision="instant", words="then")


class TimelineSuite:
    """Counts by time."""

    async def test_items_are_counted_by_the_time_they_were(self, store: Store) -> None:
        """When it happened, else when it was said, else when it was stored; early ones by the instant."""
        happened = NOW + timedelta(days=1, minutes=7)
        said = happened + timedelta(minutes=7)
        await keep(
            store,
            ANN,
            stored(ANN, "one", happened=at(happened), said_at=NOW),
            stored(ANN, "two", said_at=said),
            stored(ANN, "three"),
            stored(ANN, "four", happened=at(EARLY)),
        )
        gone = stored(ANN, "five", valid_to=NOW)
        await keep(store, ANN, gone)
        await keep(store, BOB, stored(BOB, "six"))
        day = {"at": {"gte": NOW, "lt": NOW + timedelta(days=1)}}

        assert await store.timeline.slots(ANN) == [(EARLY, 1), (NOW, 1), (NOW + timedelta(days=1), 2)]
        assert await store.timeline.slots(ANN, day) == [(NOW, 1)]
        assert await store.timeline.slots(ANN, day, live=False) == [(NOW, 2)]

    async def test_items_are_listed_in_the_order_of_their_time(self, store: Store) -> None:
        """Page by page, in both directions."""
        moments = [NOW + timedelta(days=number) for number in (3, 1, 2)]
        await keep(store, ANN, *(stored(ANN, f"day {moment.day}", said_at=moment) for moment in moments))
        first = await store.items.page(ANN, Query(order="at", limit=2))
        rest = await store.items.page(ANN, Query(order="at", limit=2, cursor=first.next_cursor))
        backwards = await store.items.page(ANN, Query(order="at", descending=True))

        assert [item.said_at for item in (*first, *rest)] == sorted(moments)
        assert [item.said_at for item in backwards] == sorted(moments, reverse=True)
