"""Agents of one user who name the same address, and one another's conversations."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config

from memu_py import MemoryService
from memu_py.errors import NotFound

ALLERGY, HOME, BOAT = "Ann is allergic to peanuts.", "Ann lives in Lisbon.", "Ann owns a red boat."
SECRET = "My secret project is called Falcon."


@pytest.fixture(params=["memory", "postgres"])
async def service(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MemoryService]:
    quiet: dict[str, Any] = {
        "jobs": {"workers": 0},
        "conversations": {"auto_memorize": {"by": "never"}},
        "scope": {"keys": ["topic"]},
    }
    settings = config(**quiet, blobs={"root": str(tmp_path / "blobs"), "allowed_roots": [str(tmp_path)]})
    if request.param == "postgres":
        settings["database"] = {"backend": "postgres", "dsn": request.getfixturevalue("shared_dsn")}
    async with MemoryService(settings, clock=lambda: NOW) as opened:
        yield opened


async def texts(service: MemoryService, agent: str | None = None, **keys: Any) -> list[str]:
    """Return what an agent's items say, or all of Ann's."""
    return sorted([item.text for item in await service.list_items(user="ann", agent=agent, **keys)])


async def test_a_file_that_two_agents_read_is_of_both(service: MemoryService, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text(f"{ALLERGY}\n\n{HOME}\n")
    first = await service.memorize(resource_url=str(notes), user="ann", agent="cook", session="s1")
    notes.write_text(f"{HOME}\n\n{BOAT}\n")
    second = await service.memorize(resource_url=str(notes), user="ann", agent="guide")
    assert (first.resource.url, first.resource.id) != (second.resource.url, second.resource.id)
    assert await texts(service, "cook") == [ALLERGY, HOME]
    assert await texts(service, "guide") == [HOME, BOAT]
    assert HOME in (await service.read_resource(first.resource.id, user="ann", agent="cook")).decode()
    # The agent's own text is continued, in whatever session.
    again = await service.memorize(resource_url=str(notes), user="ann", agent="cook", session="s2")
    assert again.resource.id == first.resource.id
    assert await texts(service, "cook") == [HOME, BOAT]
    assert await service.integrity() == []


async def test_a_conversation_that_two_agents_hand_over_is_of_both(service: MemoryService) -> None:
    for agent, lines in (("cook", [HOME, ALLERGY]), ("guide", [HOME, BOAT])):
        result = await service.memorize(messages=lines, resource_url="chat://1", user="ann", agent=agent)
        assert [one.status for one in result.outcomes] == ["stored", "stored"]
        assert result.resource.scope.agent == agent
    assert await texts(service, "cook") == [ALLERGY, HOME]
    assert await texts(service, "guide") == [HOME, BOAT]
    grown = await service.memorize(
        messages=[HOME, ALLERGY, "Bye!"], resource_url="chat://1", user="ann", agent="cook"
    )
    assert grown.resource.segment_count == 3
    await service.delete_resource(grown.resource.id, user="ann", agent="cook")
    assert await texts(service, "guide") == [HOME, BOAT]


async def test_custom_keys_narrow_an_address_as_the_agent_does(service: MemoryService) -> None:
    first = await service.memorize(text=HOME, resource_url="note://1", user="ann", custom={"topic": "a"})
    second = await service.memorize(text=BOAT, resource_url="note://1", user="ann", custom={"topic": "b"})
    assert first.resource.id != second.resource.id
    assert await texts(service, custom={"topic": "a"}) == [HOME]


async def test_the_user_alone_continues_what_one_agent_began(service: MemoryService) -> None:
    """Where there are several, it is a text of nobody's, and none of theirs is replaced."""
    url = "note://1"
    first = await service.memorize(text=HOME, resource_url=url, user="ann", agent="cook")
    alone = await service.memorize(text=f"{HOME}\n\n{BOAT}", resource_url=url, user="ann")
    assert alone.resource.id == first.resource.id
    await service.memorize(text=ALLERGY, resource_url=url, user="ann", agent="guide")
    third = await service.memorize(text="Ann plays chess.", resource_url=url, user="ann")
    assert third.resource.scope.agent is None
    assert await texts(service) == [ALLERGY, HOME, BOAT, "Ann plays chess."]
    fourth = await service.memorize(text="Ann plays go.", resource_url=url, user="ann")
    assert fourth.resource.id == third.resource.id
    assert await texts(service) == [ALLERGY, HOME, BOAT, "Ann plays go."]


async def test_two_agents_at_once_have_one_each(service: MemoryService) -> None:
    agents = [f"agent {n % 3}" for n in range(6)]
    results = await asyncio.gather(
        *(
            service.memorize(text=HOME, resource_url="note://1", user="ann", agent=agent, session=f"s{n}")
            for n, agent in enumerate(agents)
        )
    )
    assert len({one.resource.id for one in results}) == 3
    assert [one.resource.scope.agent for one in results] == agents


async def test_a_kept_conversation_is_its_agents(service: MemoryService) -> None:
    talks = service.conversations
    await talks.add("c", [SECRET], user="ann", agent="cook", session="s1")
    guide: dict[str, Any] = {"user": "ann", "agent": "guide"}
    for keys in (guide, {"user": "ann", "agent": "cook", "custom": {"topic": "x"}}):
        with pytest.raises(NotFound):
            await talks.get("c", **keys)
        with pytest.raises(NotFound):
            await service.memorize(resource_url="conversation://c", **keys)
        with pytest.raises(NotFound):
            await service.memorize(resource_url="conversation://c", wait=False, **keys)
        with pytest.raises(NotFound):
            await talks.add_message(HOME, "c", **keys)
        with pytest.raises(NotFound):
            await talks.add("c", [SECRET, HOME], **keys)
    assert await texts(service) == []
    whole = await talks.get("c", user="ann")
    assert [(one.entry, one.memorized_at) for one in whole.messages] == [(SECRET, None)]
    # Its own agent and the user alone may, in whatever session.
    await talks.add("c", [SECRET, HOME], user="ann", agent="cook", session="s2")
    await talks.add_message(BOAT, "c", user="ann")
    result = await service.memorize(resource_url="conversation://c", user="ann")
    assert {item.scope.agent for item in result.added} == {"cook"}
    assert await texts(service, "cook") == [HOME, BOAT, SECRET]


async def test_an_agents_own_text_may_stand_at_the_address_of_anothers_conversation(
    service: MemoryService,
) -> None:
    url = "conversation://c"
    await service.conversations.add("c", [SECRET], user="ann", agent="cook")
    mine = await service.memorize(messages=[BOAT], resource_url=url, user="ann", agent="guide")
    again = await service.memorize(resource_url=url, user="ann", agent="guide")
    assert again.unchanged and again.resource.id == mine.resource.id
    await service.memorize(resource_url=url, user="ann", agent="cook")
    assert (await texts(service, "cook"), await texts(service, "guide")) == ([SECRET], [BOAT])
    # And it is not deleted along with it.
    await service.conversations.delete("c", keep_items=False, user="ann")
    assert (await texts(service, "cook"), await texts(service, "guide")) == ([], [BOAT])


async def test_who_may_write_another_ones_memory_may_go_on_with_its_conversation(
    service: MemoryService,
) -> None:
    guide: dict[str, Any] = {"user": "ann", "agent": "guide"}
    await service.conversations.add("c", [SECRET], user="ann", agent="cook")
    await service.grants.give("cook", "guide", user="ann")
    with pytest.raises(NotFound):
        await service.conversations.add_message(HOME, "c", **guide)
    with pytest.raises(NotFound):
        await service.memorize(resource_url="conversation://c", **guide)
    await service.grants.give("cook", "guide", rights=("read", "write"), user="ann")
    assert (await service.conversations.add_message(HOME, "c", **guide)).scope.agent == "cook"
    assert (await service.conversations.add("c", [HOME, BOAT], **guide)).messages == 3
    job = await service.memorize(resource_url="conversation://c", wait=False, **guide)
    assert await service.work(once=True) == 1
    assert (await service.jobs.get(job.id, **guide)).status == "done"
    assert (await texts(service, "cook"), await texts(service, "guide")) == (
        [HOME, BOAT, SECRET],
        [HOME, BOAT, SECRET],
    )
    assert {item.scope.agent for item in await service.list_items(user="ann")} == {"cook"}
    begun = await service.conversations.add("d", [ALLERGY], **guide)
    assert (begun.scope.agent, begun.scope.granted) == ("guide", ())


async def test_all_who_add_at_once_are_heard(service: MemoryService) -> None:
    lines = [f"I bought {n} apples today." for n in range(8)]
    await asyncio.gather(*(service.conversations.add("c", [line], user="ann") for line in lines))
    whole = await service.conversations.get("c", user="ann")
    assert sorted(str(one.entry) for one in whole.messages) == lines
