"""Grants: what agents of a user see and change of one another's memory, and what they do not."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, InvalidScope, NotFound, OutsideScope
from memu_py.records.scope import Scope

COFFEE = "Ann drinks black coffee in the morning."
TEA = "安娜下午喜欢喝绿茶。"
HILL = "Ann walks up the hill in Sintra."


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        await fill(opened)
        yield opened


async def fill(service: MemoryService) -> None:
    """Two agents of Ann's with memories, a third one, and agents of the same names of Bob's."""
    for text in (COFFEE, TEA):
        await service.create_item(text, user="ann", agent="cook", session="kitchen")
    await service.create_item(HILL, user="ann", agent="guide")
    await service.create_item("Ann parks her car below the coffee house.", user="ann", agent="driver")
    await service.create_item("Bob drinks black coffee at night.", user="bob", agent="cook")
    await service.create_item("鲍勃喜欢喝绿茶。", user="bob", agent="guide")


async def top(service: MemoryService, query: str, agent: str = "guide", **more: Any) -> list[str]:
    found = await service.retrieve(query, user="ann", agent=agent, min_score=0.0, **more)
    return [hit.record.text for hit in found.items]


async def texts(service: MemoryService, agent: str = "guide", user: str = "ann") -> list[str]:
    return sorted([item.text async for item in _all(service, user, agent)])


async def _all(service: MemoryService, user: str, agent: str) -> AsyncIterator[Any]:
    for item in await service.list_items(user=user, agent=agent):
        yield item


async def item_of_cook(service: MemoryService, text: str = COFFEE) -> str:
    found = await service.list_items(user="ann", agent="cook", where={"text": text})
    return found.records[0].id


async def test_what_is_granted_is_on_top_until_it_is_revoked(service: MemoryService) -> None:
    coffee = await item_of_cook(service)
    assert await texts(service) == [HILL]
    assert await top(service, "black coffee") == [HILL]
    with pytest.raises(NotFound):
        await service.get_item(coffee, user="ann", agent="guide")

    given = await service.grants.give("cook", "guide", user="ann")
    assert (given.rights, given.given_at, given.given_by) == (("read",), NOW, "person")
    assert (await top(service, "black coffee"))[0] == COFFEE
    assert (await top(service, "谁喜欢喝绿茶？"))[0] == TEA
    found = await service.search("coffee", user="ann", agent="guide")
    assert found.items[0].record.text == COFFEE
    assert await texts(service) == sorted([COFFEE, TEA, HILL])
    assert await service.count_items(user="ann", agent="guide") == 3
    assert (await service.get_item(coffee, user="ann", agent="guide")).scope.agent == "cook"
    assert COFFEE in (await service.recall("black coffee", user="ann", agent="guide")).context
    assert len(await service.history(coffee, user="ann", agent="guide")) == 1
    assert (await top(service, "black coffee", known_at=NOW))[0] == COFFEE
    # It goes one way.
    assert await texts(service, "cook") == sorted([COFFEE, TEA])

    assert (await service.grants.revoke("cook", "guide", user="ann")).id == given.id
    assert await texts(service) == [HILL]
    assert await top(service, "black coffee") == [HILL]
    with pytest.raises(NotFound, match="granted nothing"):
        await service.grants.revoke("cook", "guide", user="ann")


async def test_a_session_narrows_what_is_granted(service: MemoryService) -> None:
    await service.grants.give("cook", "guide", user="ann")
    ann = service.for_user("ann", agent="guide")
    assert await ann.count_items(session="kitchen") == 2
    assert await ann.count_items(session="hall") == 0


async def test_a_grant_is_not_handed_on_and_names_mean_one_users_agents(service: MemoryService) -> None:
    await service.grants.give("cook", "guide", user="ann")
    await service.grants.give("guide", "driver", user="ann")
    driver = await texts(service, "driver")
    assert HILL in driver and COFFEE not in driver
    assert await texts(service, "guide", "bob") == ["鲍勃喜欢喝绿茶。"]
    assert await service.grants.list(user="bob") == ()
    with pytest.raises(NotFound):
        await service.grants.revoke("cook", "guide", user="bob")
    named = [(one.from_agent, one.to_agent) for one in await service.grants.list(user="ann")]
    assert named == [("cook", "guide"), ("guide", "driver")]
    assert [one.to_agent for one in await service.grants.list(of="cook", user="ann")] == ["guide"]


async def test_who_may_only_read_is_told_so(service: MemoryService) -> None:
    coffee = await item_of_cook(service)
    await service.grants.give("cook", "guide", user="ann")
    guide = service.for_user("ann", agent="guide")
    writes: list[Callable[[], Awaitable[Any]]] = [
        lambda: guide.update_item(coffee, {"importance": 9}),
        lambda: guide.delete_item(coffee),
        lambda: guide.correct("not coffee but tea", item_id=coffee),
        lambda: guide.feedback(coffee, used=True),
    ]
    for write in writes:
        with pytest.raises(OutsideScope, match="'cook', and 'guide' may read it, not write"):
            await write()
    (own,) = (await guide.list_items(where={"text": HILL})).records
    with pytest.raises(NotFound):
        await guide.link(own.id, coffee, kind="near")
    found = await guide.correct("not black coffee but green tea")
    assert not found.done and coffee not in [hit.record.id for hit in found.candidates]
    with pytest.raises(NotFound):
        await guide.update_item("nothing", {"importance": 9})
    assert (await service.get_item(coffee, user="ann")).version == 1


async def test_who_may_write_changes_corrects_links_and_deletes(service: MemoryService) -> None:
    coffee, tea = await item_of_cook(service), await item_of_cook(service, TEA)
    await service.grants.give("cook", "guide", rights=["write", "read"], by="Ann", user="ann")
    guide = service.for_user("ann", agent="guide")
    changed = await guide.update_item(coffee, {"text": "Ann drinks white coffee in the morning."})
    assert changed.scope == Scope(user="ann", agent="cook", session="kitchen")
    assert await guide.feedback(coffee, used=True)
    done = await guide.correct("not coffee but cocoa", item_id=coffee)
    assert done.after is not None and done.after.scope.agent == "cook"
    assert done.before is not None and done.before.superseded_by == done.after.id
    assert (await top(service, "cocoa", "cook"))[0] == "Ann drinks white cocoa in the morning."
    await guide.link(tea, done.after.id, kind="near")
    assert [link.kind for link in await guide.list_links(tea)] == ["near"]
    await guide.unlink(tea, done.after.id, kind="near")
    await guide.delete_item(tea)
    assert TEA not in await texts(service, "cook")
    # What it writes anew is its own.
    assert (await guide.create_item("她在学大提琴。")).scope.agent == "guide"
    # Fewer rights take back the others.
    await service.grants.give("cook", "guide", user="ann")
    with pytest.raises(OutsideScope):
        await guide.delete_item(done.after.id)


async def test_what_follows_from_items_follows_the_grant(service: MemoryService) -> None:
    cook, guide = service.for_user("ann", agent="cook"), service.for_user("ann", agent="guide")
    await cook.memorize(
        messages=[{"role": "user", "name": "Ann", "content": "I live in Porto. I work at Acme."}]
    )
    await cook.memorize(messages=[{"role": "user", "content": "我住在里斯本。"}])
    (resource, *_) = (await cook.list_resources()).records
    assert (await guide.profile.get()).values == ()
    assert await guide.graph.relations() == []
    await service.grants.give("cook", "guide", rights=("read", "write"), user="ann")
    assert {one.value for one in (await guide.profile.get()).values} == {
        one.value for one in (await cook.profile.get()).values
    }
    assert await guide.profile.history("home") == await cook.profile.history("home")
    relations = await guide.graph.relations()
    assert relations == await cook.graph.relations() != []
    assert await guide.graph.neighbors("Ann") == await cook.graph.neighbors("Ann")
    assert (await guide.emotions.state()).count == (await cook.emotions.state()).count
    assert len((await guide.timeline.items()).records) == len((await cook.timeline.items()).records) + 1
    assert await guide.get_resource(resource.id) == resource
    assert await guide.list_segments(resource.id) != []
    assert (await guide.changes()).records != (await guide.changes(kind="block")).records
    await guide.graph.delete(relations[0].id)
    assert (await guide.update_resource(resource.id, {"title": "moved"})).title == "moved"
    await guide.delete_resource(resource.id)
    assert resource.id not in [one.id for one in (await cook.list_resources()).records]


async def test_only_a_person_grants(service: MemoryService) -> None:
    scopes: list[dict[str, Any]] = [
        {"user": "ann", "agent": "guide"},
        {"user": "ann", "session": "s"},
        {"agent": "guide"},
        {"session": "s"},
    ]
    for scope in scopes:
        for call in (service.grants.give, service.grants.revoke):
            with pytest.raises(InvalidScope, match="grants are given by a user"):
                await call("cook", "guide", **scope)
        with pytest.raises(InvalidScope):
            await service.grants.list(**scope)
    with pytest.raises(InvalidScope):
        await service.for_user("ann", agent="guide").grants.give("cook", "guide")
    with pytest.raises(OutsideScope):
        await service.for_user("bob").grants.give("cook", "guide", user="ann")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"to_agent": "cook"}, "sees its own memory"),
        ({"to_agent": None}, "names two agents|`to_agent` is text"),
        ({"rights": "read"}, "is a list"),
        ({"rights": []}, "is a list"),
        ({"rights": ["write"]}, "name `read` too"),
        ({"rights": ["reed"]}, "read"),
        ({"by": " "}, "`by` is a name"),
    ],
)
async def test_what_is_no_grant_is_refused(
    service: MemoryService, given: dict[str, Any], message: str
) -> None:
    wanted: dict[str, Any] = {"from_agent": "cook", "to_agent": "guide", "user": "ann"} | given
    with pytest.raises(InvalidInput, match=message):
        await service.grants.give(**wanted)
    with pytest.raises(InvalidScope):
        await service.grants.give("", "guide", user="ann")
    assert await service.grants.list(user="ann") == ()


async def test_the_log_says_who_gave_and_took_and_agents_do_not_see_it(service: MemoryService) -> None:
    given = await service.grants.give("cook", "guide", by="Ann", user="ann")
    seq = (await service.changes(user="ann")).records[0].seq
    await service.grants.give("cook", "guide", by="Ann", user="ann")
    await service.grants.revoke("cook", "guide", by="Ben", user="ann")
    log = await service.history(given.id, user="ann")
    assert [(one.op, one.actor) for one in log] == [("create", "Ann"), ("update", "Ann"), ("delete", "Ben")]
    assert len((await service.changes(kind="grant", user="ann")).records) == 3
    assert (await service.changes(kind="grant", user="ann", agent="guide")).records == ()
    # A memory that goes back does not give back a grant.
    await service.rollback(seq, user="ann")
    assert await service.grants.list(user="ann") == ()


async def test_a_grant_holds_at_once_in_other_processes_and_travels_with_the_user(tmp_path: Path) -> None:
    async with (
        MemoryService(config(tmp_path / "memu.db")) as one,
        MemoryService(config(tmp_path / "memu.db")) as other,
    ):
        await fill(one)
        assert await texts(other) == [HILL]
        await one.grants.give("cook", "guide", user="ann")
        assert (await top(other, "black coffee"))[0] == COFFEE
        await one.export_user(tmp_path / "ann.zip", user="ann")
        await one.import_user(tmp_path / "ann.zip", user="eve")
        assert await texts(other, user="eve") == sorted([COFFEE, TEA, HILL])
        await one.grants.revoke("cook", "guide", user="ann")
        assert await top(other, "black coffee") == [HILL]
        await one.clear(user="eve", agent="cook")
        assert await other.grants.list(user="eve") == ()


def test_it_works_without_async() -> None:
    with SyncMemoryService(config()) as service:
        service.create_item(COFFEE, user="ann", agent="cook")
        service.grants.give("cook", "guide", user="ann")
        assert service.count_items(user="ann", agent="guide") == 1
