"""The contract of stores: keys to the server, and what operators ask."""

from datetime import UTC, datetime, timedelta

from memu_py.records.api_key import ApiKey
from memu_py.records.scope import Scope
from memu_py.storage.store import Store

THEN = datetime(2026, 6, 1, 12, tzinfo=UTC)
DIGEST = bytes(range(32))


def _key(key_id: str, *, made: int = 0, scope: Scope | None = None) -> ApiKey:
    moment = THEN + timedelta(seconds=made)
    return ApiKey(id=key_id, name="键 app", role="write", scope=scope, created_at=moment)


class KeySuite:
    """Keys."""

    async def test_a_key_is_found_as_it_was_kept(self, store: Store) -> None:
        """Its scope and times come back whole."""
        narrow = Scope(user="安 'x'", agent="a", custom=(("project", "p"),))
        for key in (_key("a", scope=narrow), _key("b").evolve(expires_at=THEN)):
            await store.keys.add(key, DIGEST)
            assert await store.keys.find(key.id) == (key, DIGEST)
        assert await store.keys.find("c") is None

    async def test_keys_are_listed_in_the_order_of_their_making(self, store: Store) -> None:
        """Also those that end."""
        for key_id, made in (("b", 1), ("a", 2), ("c", 0)):
            await store.keys.add(_key(key_id, made=made), DIGEST)
        assert [key.id for key in await store.keys.all()] == ["c", "b", "a"]

    async def test_a_key_ends_once(self, store: Store) -> None:
        """One that was taken back is not there to be ended again."""
        await store.keys.add(_key("a"), DIGEST)
        later = THEN + timedelta(days=1)
        assert await store.keys.end("a", expires_at=later)
        assert await store.keys.end("a", revoked_at=THEN)
        assert not await store.keys.end("a", revoked_at=later)
        assert not await store.keys.end("b", revoked_at=later)
        found = await store.keys.find("a")
        assert found is not None and (found[0].expires_at, found[0].revoked_at) == (later, THEN)

    async def test_erasing_a_partition_takes_the_keys_to_it_along(self, store: Store) -> None:
        """Keys to a part of it too, even where there is nothing else; those of others and of everywhere stay."""
        scope = Scope(user="ann")
        scopes = {"a": scope, "b": Scope(user="ann", agent="cook"), "c": Scope(agent="cook"), "d": None}
        for name, one in scopes.items():
            await store.keys.add(_key(name, scope=one), DIGEST)
        await store.clear(Scope(user="ann", agent="cook"))
        assert {key.id for key in await store.keys.all()} == set(scopes)
        await store.clear(scope)
        assert {key.id for key in await store.keys.all()} == {"c", "d"}

    async def test_a_sound_store_is_ready_and_counts_its_jobs(self, store: Store) -> None:
        """It has none at first."""
        await store.maintenance.ready()
        assert await store.maintenance.jobs_by_status() == {}
