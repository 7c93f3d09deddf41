"""Contract of stores: when items were retrieved."""

from datetime import timedelta

from memu_py.records.presented import KEPT_MOMENTS, Presented
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

LATER = NOW + timedelta(days=1)
MINUTE = timedelta(minutes=1)


class AccessSuite:
    """When items came up."""

    async def test_what_was_only_said_came_up_once(self, store: Store) -> None:
        """Its own time is the first moment."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        first = known.said_at or known.created_at
        expected = Presented(first=first, count=1, moments=(first,))

        assert await store.presented(ANN, [known.id, "gone"]) == {known.id: expected}
        assert await store.presented(BOB, [known.id]) == {}

    async def test_the_newest_moments_are_kept_and_the_rest_counted(self, store: Store) -> None:
        """However often an item is read, it takes the same room; the order of batches does not matter."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        late = [LATER + number * MINUTE for number in range(KEPT_MOMENTS + 2)]
        await store.touch(ANN, {known.id: late[5:]})
        await store.touch(ANN, {known.id: late[:5], "gone": [NOW]})
        await store.touch(BOB, {known.id: [late[-1] + MINUTE]})

        found = (await store.presented(ANN, [known.id]))[known.id]

        assert found.count == 1 + len(late)
        assert found.moments == tuple(reversed(late))[:KEPT_MOMENTS]
        assert found.first == (known.said_at or known.created_at)

    async def test_moments_go_with_their_items(self, store: Store) -> None:
        """Also when the item is made anew from the same words."""
        known = (await keep(store, ANN, stored(ANN, "tea"))).added[0]
        await store.touch(ANN, {known.id: [LATER]})
        await store.delete_items(ANN, [known.id])

        assert await store.presented(ANN, [known.id]) == {}
        assert (await store.maintenance.stats())["accesses"] == 0
