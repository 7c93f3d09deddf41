"""The store's contract for grants, and for what a scope sees by them; a part of `StoreSuite`."""

from memu_py.records.grant import Grant, Right
from memu_py.records.ids import new_id
from memu_py.records.link import Link
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

COOK = Scope(user="ann", agent="cook")
GUIDE = Scope(user="ann", agent="guide")
BOTH = GUIDE.evolve(granted=("cook",))


def grant(
    from_agent: str, to_agent: str, *, scope: Scope = ANN, rights: tuple[Right, ...] = ("read",)
) -> Grant:
    """Return a grant that is new."""
    return Grant(
        id=new_id(), scope=scope, from_agent=from_agent, to_agent=to_agent, rights=rights, given_at=NOW
    )


class GrantSuite:
    """Grants are a partition's own, and each change of one is in the log."""

    async def test_a_grant_is_given_changed_and_taken_back(self, store: Store) -> None:
        """It keeps its id; what changes nothing is not logged."""
        first = await store.grants.give(ANN, grant("cook", "助手"))
        wider = grant("cook", "助手", rights=("read", "write")).evolve(given_by="Ann")
        changed = await store.grants.give(ANN, wider)
        assert (changed.id, changed.rights, changed.given_by) == (first.id, ("read", "write"), "Ann")
        assert await store.grants.give(ANN, grant("cook", "助手", rights=("read", "write"))) == changed
        other = await store.grants.give(ANN, grant("a", "b"))
        assert await store.grants.all(ANN) == [other, changed]

        assert await store.grants.revoke(ANN, "助手", "cook", actor="Ann") is None
        assert await store.grants.revoke(ANN, "cook", "助手", actor="Ben") == changed
        assert await store.grants.revoke(ANN, "cook", "助手", actor="Ben") is None
        assert await store.grants.all(ANN) == [other]
        log = await store.history(ANN, first.id)
        assert [(one.kind, one.op, one.actor) for one in log] == [
            ("grant", "create", "person"),
            ("grant", "update", "person"),
            ("grant", "update", "Ann"),
            ("grant", "delete", "Ben"),
        ]
        assert log[2].before == {"rights": ["read"]}
        assert log[3].before == {"from_agent": "cook", "to_agent": "助手", "rights": ["read", "write"]}

    async def test_grants_are_a_partitions_own_and_are_erased_with_it(self, store: Store) -> None:
        """With an agent go those that it gave and got."""
        for scope in (ANN, BOB):
            await store.grants.give(scope, grant("cook", "guide", scope=scope))
            await store.grants.give(scope, grant("guide", "driver", scope=scope))
            await store.grants.give(scope, grant("nurse", "driver", scope=scope))
        assert await store.history(COOK, (await store.grants.all(ANN))[0].id) == []
        assert await store.grants.revoke(BOB, "cook", "nurse", actor="x") is None
        await store.clear(GUIDE.evolve(session="s"))
        assert len(await store.grants.all(ANN)) == 3
        await store.clear(GUIDE)
        assert [(one.from_agent, one.to_agent) for one in await store.grants.all(ANN)] == [
            ("nurse", "driver")
        ]
        await store.clear(ANN)
        assert await store.grants.all(ANN) == []
        assert len(await store.grants.all(BOB)) == 3

    async def test_a_scope_sees_what_it_was_granted_and_nothing_else(self, store: Store) -> None:
        """In every way of reading; the user's others and other users stay apart, and a session still narrows."""
        theirs = stored(COOK, "coffee 咖啡", entities=("Carl",))
        own = stored(GUIDE, "sintra")
        hidden = stored(ANN.evolve(agent="driver"), "car")
        colliding = stored(BOB.evolve(agent="cook"), "bob's coffee")
        nobodys = stored(ANN, "said to nobody")
        for one in (theirs, own, hidden, nobodys, colliding):
            await keep(store, one.item.scope, one)
        ids = [one.item.id for one in (theirs, own, hidden, colliding, nobodys)]
        wanted = sorted([theirs.item.id, own.item.id])

        assert await store.items.ids(GUIDE) == [own.item.id]
        assert sorted(await store.items.ids(BOTH)) == wanted
        assert sorted(one.id for one in await store.items.page(BOTH, Query())) == wanted
        assert sorted(await store.items.get(BOTH, ids)) == wanted
        assert await store.items.count(BOTH) == 2
        assert sorted(await store.vectors(BOTH, ids)) == wanted
        assert [one.name for one in await store.entities(BOTH)] == ["Carl"]
        assert len(await store.history(BOTH, theirs.item.id)) == 1
        assert await store.history(GUIDE, theirs.item.id) == []
        assert sorted(await store.past.known(BOTH, NOW)) == sorted(await store.past.known(GUIDE, NOW))
        assert await store.items.ids(BOTH.evolve(session="s")) == []
        assert await store.items.ids(ANN.evolve(granted=("cook",))) == await store.items.ids(ANN)

    async def test_a_granted_record_is_changed_as_what_it_is(self, store: Store) -> None:
        """It stays the other agent's, in its row and in the log."""
        theirs, own = stored(COOK, "coffee"), stored(GUIDE, "sintra")
        await keep(store, COOK, theirs)
        await keep(store, GUIDE, own)
        item = (await store.items.get(BOTH, [theirs.item.id]))[theirs.item.id]
        assert item.scope == COOK
        changed = await store.update_item(BOTH, item.evolve(importance=9))
        assert (changed.scope, changed.importance) == (COOK, 9)
        like = Link(source_id=own.item.id, target_id=item.id, kind="likes")
        await store.link(BOTH, [like])
        assert [one.target_id for one in await store.links(BOTH, [own.item.id])] == [item.id]
        assert await store.links(GUIDE, [own.item.id]) == []
        assert [one.op for one in await store.history(COOK, item.id)] == ["create", "update"]
        assert await store.delete_items(GUIDE, [item.id]) == 0
        assert await store.delete_items(BOTH, [item.id]) == 1
