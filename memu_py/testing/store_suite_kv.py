"""The store's contract for values by name; a part of `StoreSuite`."""

from datetime import timedelta
from typing import Any

import pytest

from memu_py.errors import Conflict, InvalidFilter, InvalidInput
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    "",
    "茶 🍵\n",
    [],
    {},
    [1, None, {"a": [False]}],
    {"键": {"x": "y"}},
)
LONG = "k" * 1024


class KeyValueSuite:
    """Values by name."""

    async def test_any_value_comes_back_as_it_was(self, store: Store) -> None:
        """With a version that grows."""
        for version, value in enumerate(VALUES, 1):
            kept = await store.kv.set(ANN, "n", LONG, value)
            assert (kept.value, kept.version) == (value, version)
            assert await store.kv.get(ANN, "n", LONG) == kept
        with pytest.raises(InvalidInput):
            await store.kv.set(ANN, "n", LONG, object())
        assert await store.kv.delete(ANN, "n", LONG)
        assert await store.kv.get(ANN, "n", LONG) is None
        assert not await store.kv.delete(ANN, "n", LONG)
        assert (await store.kv.set(ANN, "n", LONG, "again")).version == 1

    async def test_a_version_may_be_asked_for(self, store: Store) -> None:
        """Whoever read another one is told, and changes nothing."""
        await store.kv.set(ANN, "n", "k", 1, if_version=0)
        for wrong in (0, 2):
            with pytest.raises(Conflict):
                await store.kv.set(ANN, "n", "k", 9, if_version=wrong)
            with pytest.raises(Conflict):
                await store.kv.delete(ANN, "n", "k", if_version=wrong)
        with pytest.raises(Conflict):
            await store.kv.set(ANN, "n", "other", 1, if_version=1)
        assert (await store.kv.set(ANN, "n", "k", 2, if_version=1)).version == 2
        assert await store.kv.delete(ANN, "n", "k", if_version=2)

    async def test_each_scope_has_values_of_its_own(self, store: Store) -> None:
        """Also one that lies in another; names that look alike are not mixed up."""
        scopes = [ANN, BOB, ANN.evolve(agent="a"), ANN.evolve(session="a"), Scope(agent="ann")]
        scopes += [ANN.evolve(custom=(("team", "x"),)), Scope(user="ANN"), Scope(user="%")]
        for number, scope in enumerate(scopes):
            await store.kv.set(scope, "n", "k", number)
            await store.kv.set(scope, "n%", "k", "other")
        for number, scope in enumerate(scopes):
            found = await store.kv.get(scope, "n", "k")
            assert found is not None
            assert found.value == number
            assert [one.value for one in await store.kv.page(scope, "n")] == [number]

    async def test_what_has_expired_is_not_there(self, store: Store) -> None:
        """Neither for reading nor for versions; the next write removes it."""
        await store.kv.set(ANN, "n", "later", 1, expires_at=NOW + timedelta(days=36_500))
        await store.kv.set(ANN, "n", "k", 1, expires_at=NOW)

        assert await store.kv.get(ANN, "n", "k") is None
        assert [one.key for one in await store.kv.page(ANN, "n")] == ["later"]
        assert not await store.kv.delete(ANN, "n", "k")
        assert (await store.maintenance.stats())["kv"] == 2
        assert (await store.kv.set(ANN, "n", "new", 1)).version == 1
        assert (await store.maintenance.stats())["kv"] == 2

    async def test_keys_are_listed_in_order_page_by_page(self, store: Store) -> None:
        """By the codes of their characters; a prefix is no pattern."""
        for key in ("b", "B", "a_2", "a%1", "aX3", "é", "中"):
            await store.kv.set(ANN, "n", key, key)
        seen: list[str] = []
        cursor = None
        while True:
            page = await store.kv.page(ANN, "n", limit=2, cursor=cursor)
            seen += [one.key for one in page]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == sorted(seen) == ["B", "a%1", "aX3", "a_2", "b", "é", "中"]
        assert [one.key for one in await store.kv.page(ANN, "n", prefix="a_")] == ["a_2"]
        assert [one.key for one in await store.kv.page(ANN, "n", prefix="a%")] == ["a%1"]
        first = await store.kv.page(ANN, "n", limit=2)
        with pytest.raises(InvalidFilter):
            await store.kv.page(ANN, "other", limit=2, cursor=first.next_cursor)

    async def test_values_go_with_their_scope(self, store: Store) -> None:
        """A session's with the session, all of them with the user."""
        session = ANN.evolve(session="s")
        for scope in (ANN, session, BOB):
            await store.kv.set(scope, "n", "k", "secret")
        await store.clear(session)
        assert await store.kv.get(session, "n", "k") is None
        assert await store.kv.get(ANN, "n", "k") is not None
        await store.clear(ANN)
        assert await store.kv.get(ANN, "n", "k") is None
        assert await store.kv.get(BOB, "n", "k") is not None
