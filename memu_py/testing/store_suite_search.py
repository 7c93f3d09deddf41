"""The store's contract for what a search may find; a part of `StoreSuite`."""

from typing import Any

from memu_py.records.batch import Reinforcement
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.search import Sight
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, NOW, batch, keep, resource, source, stored, vector

EVERY = vector(1, 0, 0, 0)


class SearchSuite:
    """Sessions and originals, in which an item may lie several times."""

    async def _found(self, store: Store, scope: Scope, where: dict[str, Any]) -> set[str]:
        """Return what is found, and check that every way of looking finds the same."""
        page = await store.items.page(scope, Query(where=where))
        found = {one.id for one in page}
        assert set(await store.items.ids(scope, where)) == found
        if store.search is None:
            return found
        sight = Sight(scope=scope, where=where or None)
        every = await store.items.ids(ANN)
        for placed in (True, False):
            held = await store.search.holding(sight, {"tea": 3}, 10, placed=placed)
            assert set(held.ids) == found
        near, around = await store.search.nearby(sight, EVERY, 10, reach=1)
        assert {one for one, _ in near} == found == around.visible
        assert {one for one, _ in await store.search.nearest(sight, EVERY, 10)} == found
        assert (await store.search.surroundings(sight, every, reach=1)).visible == found
        return found

    async def test_a_session_and_an_original_narrow_every_search(self, store: Store) -> None:
        """Also to what was said there again, and stands elsewhere first."""
        first, second = ANN.evolve(session="s1"), ANN.evolve(session="s2")
        one, two = resource(first), resource(second)
        green = stored(first, "green tea", sources=(source(one, 0, said_at=NOW),))
        black = stored(second, "black tea", sources=(source(two, 0, said_at=NOW),))
        plain = stored(ANN, "plain tea")
        await keep(store, first, green, resource=one)
        await keep(store, second, black, resource=two)
        await keep(store, ANN, plain)
        place = source(two, 1, said_at=NOW, session="s2")
        again = Reinforcement(item_id=green.item.id, at=NOW, sources=(place,))
        await store.commit(second, batch(reinforcements=(again,), read_seq=await store.seq(second)))
        ids = {name: row.item.id for name, row in (("green", green), ("black", black), ("plain", plain))}
        checks: list[tuple[Scope, dict[str, Any], set[str]]] = [
            (ANN, {}, {"green", "black", "plain"}),
            (first, {}, {"green"}),
            (second, {}, {"green", "black"}),
            (second, {"text": {"contains": "black"}}, {"black"}),
            (ANN.evolve(session="s3"), {}, set()),
            (ANN, {"resource_id": one.id}, {"green"}),
            (ANN, {"resource_id": two.id}, {"green", "black"}),
            (first, {"resource_id": two.id}, {"green"}),
            (ANN, {"resource_id": "gone"}, set()),
        ]
        for scope, where, expected in checks:
            found = await self._found(store, scope, where)
            assert found == {ids[name] for name in expected}, (scope, where)
