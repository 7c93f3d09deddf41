"""Kept conversations: when they are memorized, which messages are marked, and what is left when one is deleted."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from service_kit import NOW, config, texts

from memu_py import MemoryService
from memu_py.errors import InvalidInput, NotFound
from memu_py.testing.clock import FixedClock

FACTS = ["I like black tea.", "我养了一只猫。", "I own a red boat.", "My sister Mia lives in Kyoto."]
BROKEN = {"use": "break_segments", "with": {"containing": "boat"}}


def by(trigger: str, path: Path | None = None, **more: Any) -> dict[str, Any]:
    """Return a configuration in which nobody works unless told to."""
    auto = {"by": trigger, **more.pop("auto", {})}
    return config(path, jobs={"workers": 0}, conversations={"auto_memorize": auto}, **more)


@pytest.fixture
async def never() -> AsyncIterator[MemoryService]:
    async with MemoryService(by("never"), clock=lambda: NOW) as service:
        yield service


async def marked(service: MemoryService, name: str = "c", user: str = "ann") -> list[bool]:
    whole = await service.conversations.get(name, user=user)
    return [one.memorized_at is not None for one in whole.messages]


async def test_by_count_a_job_is_written_down_once_for_each_ten() -> None:
    async with MemoryService(by("count", auto={"count": 2}), clock=lambda: NOW) as service:
        for text in FACTS[:3]:
            await service.conversations.add_message(text, "c", user="ann")
        assert len(await service.jobs.list(user="ann")) == 1
        await service.work(once=True)
        # A job takes what is there when it begins.
        assert await marked(service) == [True, True, True]
        assert await texts(service) == FACTS[:3]
        await service.conversations.add_message(FACTS[3], "c", user="ann")
        assert await service.work(once=True) == 0
        await service.conversations.close("c", user="ann")
        assert await service.work(once=True) == 1
        assert await texts(service) == FACTS
        (found,) = await service.conversations.list(user="ann")
        assert (found.status, found.messages, found.memorized, found.unread) == ("closed", 4, 4, 0)


async def test_by_message_each_is_due_and_by_never_none(never: MemoryService) -> None:
    async with MemoryService(by("message"), clock=lambda: NOW) as service:
        for count, text in enumerate(FACTS, 1):
            await service.conversations.add_message({"role": "user", "content": text}, "c", user="ann")
            assert len(await service.jobs.list(user="ann")) == count
        await service.work(once=True)
        assert await texts(service) == FACTS
    await never.conversations.add("c", FACTS, user="ann")
    await never.conversations.close("c", user="ann")
    assert await never.work(once=True) == 0


@pytest.mark.parametrize("trigger", ["idle", "count"])
async def test_what_falls_silent_is_found_by_workers(trigger: str) -> None:
    clock = FixedClock(NOW)
    async with MemoryService(by(trigger, auto={"idle_s": 60}), clock=clock) as service:
        for user in ("ann", "bob"):
            await service.conversations.add_message(f"I am {user} and I like tea.", "c", user=user)
        assert await service.work(once=True) == 0
        clock.advance(timedelta(seconds=61))
        assert await service.work(once=True) == 2
        assert await texts(service, "bob") == ["I am bob and I like tea."]
        assert await service.work(once=True) == 0
        await service.conversations.add_message("I like rain.", "c", user="ann")
        clock.advance(timedelta(seconds=61))
        # Without a worker, whoever begins a conversation looks for those that fell silent.
        await service.conversations.add_message("Hello there, I am new.", "d", user="bob")
        assert (await service.jobs.list(user="ann", status="queued")).records


async def test_the_workers_look_for_silence_by_themselves(tmp_path: Path) -> None:
    settings = by("idle", tmp_path / "m.db", auto={"idle_s": 0.05})
    settings["jobs"] = {"workers": 1, "poll_s": 0.05}
    async with MemoryService(settings) as service:
        await service.conversations.add_message("I like tea.", "c", user="ann")
        working = asyncio.ensure_future(service.work())
        try:
            for _ in range(600):
                if await marked(service) == [True]:
                    break
                await asyncio.sleep(0.1)
            assert await marked(service) == [True]
        finally:
            working.cancel()
    assert await asyncio.gather(working, return_exceptions=True)


async def test_the_same_words_twice_are_two_messages_and_the_same_id_is_one(never: MemoryService) -> None:
    talks = never.conversations
    for _ in range(2):
        await talks.add_message("Good morning!", "c", user="ann")
        await talks.add_message({"role": "user", "content": "I like tea.", "id": "m1"}, "c", user="ann")
    whole = await talks.get("c", user="ann")
    assert [one.entry if isinstance(one.entry, str) else one.id for one in whole.messages] == [
        "Good morning!",
        "m1",
        "Good morning!",
    ]
    # A chat that is handed over again, as it is now.
    chat: list[Any] = [
        "Good morning!",
        {"role": "user", "content": "I like tea.", "id": "m1"},
        "Good morning!",
        "Bye!",
    ]
    assert (await talks.add("c", chat, user="ann")).messages == 4
    assert (await talks.add("c", chat, user="ann")).messages == 4


async def test_an_edited_message_is_memorized_again(never: MemoryService) -> None:
    chat: list[Any] = [{"role": "user", "content": "I moved to Lisbon.", "id": "a"}, "I own a boat."]
    await never.conversations.add("c", chat, user="ann")
    await never.memorize(resource_url="conversation://c", user="ann")
    assert await marked(never) == [True, True]
    chat[0] = {"role": "user", "content": "I moved to Porto.", "id": "a"}
    assert (await never.conversations.add("c", chat, user="ann")).unread == 1
    assert await marked(never) == [False, True]
    await never.memorize(resource_url="conversation://c", user="ann")
    assert sorted(await texts(never)) == ["I moved to Porto.", "I own a boat."]
    assert await marked(never) == [True, True]


async def test_a_long_message_that_grows_is_the_same_message(never: MemoryService) -> None:
    long = " ".join(f"In year {n} I moved to town number {n} by the sea." for n in range(40))
    await never.conversations.add("c", [long, "I like tea."], user="ann")
    longer = f"{long} In the end I moved to Lisbon."
    found = await never.conversations.add("c", [longer, "I like tea."], user="ann")
    assert (found.messages, found.version) == (2, 2)
    whole = await never.conversations.get("c", user="ann")
    assert whole.messages[0].entry == longer


async def test_what_could_not_be_read_is_not_marked_and_is_retried() -> None:
    flows = {"memorize": {"steps": [BROKEN, "extract_entities"]}}
    async with MemoryService(by("never", workflows=flows), clock=lambda: NOW) as service:
        await service.conversations.add("c", FACTS[:3], user="ann")
        await service.memorize(resource_url="conversation://c", user="ann")
        assert await marked(service) == [True, True, False]
        service.workflows["memorize"].remove_step("break_segments")
        await service.retry(user="ann")
        assert await marked(service) == [True, True, True]
        assert await texts(service) == FACTS[:3]


async def test_a_conversation_memorized_by_hand_before_is_not_doubled(never: MemoryService) -> None:
    url = "conversation://c"
    await never.memorize(resource_url=url, messages=FACTS[:2], user="ann")
    await never.conversations.add("c", FACTS[:2], user="ann")
    assert (await never.memorize(resource_url=url, user="ann")).unchanged
    assert await marked(never) == [True, True]
    await never.conversations.add("c", FACTS, user="ann")
    result = await never.memorize(resource_url=url, user="ann")
    assert [item.text for item in result.added] == FACTS[2:]
    assert await marked(never) == [True] * 4


async def test_a_session_is_given_and_kept(never: MemoryService) -> None:
    begun = await never.conversations.add_message("I like tea.", user="ann")
    assert begun.id and begun.scope.session
    named = await never.conversations.add_message("I own a boat.", "d", user="ann", session="s1")
    # Whoever adds to it later, it stays where it began.
    await never.conversations.add_message("I sold it.", "d", user="ann", session="s2")
    counted = {one.session: one.messages for one in await never.conversations.sessions(user="ann")}
    assert counted == {begun.scope.session: 1, "s1": 2}
    result = await never.memorize(resource_url=named.url, user="ann")
    assert {item.scope.session for item in result.added} == {"s1"}
    with pytest.raises(NotFound):
        await never.conversations.get("d", user="ann", session="s2")


async def test_two_users_share_ids_and_nothing_else(never: MemoryService) -> None:
    for user in ("ann", "bob"):
        await never.conversations.add("c", [f"I am {user} and I like tea."], user=user, session="s")
        await never.memorize(resource_url="conversation://c", user=user, session="s")
    await never.conversations.delete("c", user="bob", keep_items=False)
    assert await texts(never, "bob") == []
    assert await texts(never) == ["I am ann and I like tea."]
    whole = await never.conversations.get("c", user="ann", session="s")
    assert [one.entry for one in whole.messages] == ["I am ann and I like tea."]
    assert [one.session for one in await never.conversations.sessions(user="bob")] == []
    for call in (never.conversations.get, never.conversations.close, never.conversations.context):
        with pytest.raises(NotFound):
            await call("c", user="bob")
    with pytest.raises(NotFound):
        await never.conversations.delete("c", user="bob")


async def test_deleted_it_leaves_items_that_say_where_they_were_found(never: MemoryService) -> None:
    await never.conversations.add("c", FACTS, user="ann")
    await never.memorize(resource_url="conversation://c", user="ann")
    before = await never.list_items(user="ann")
    await never.conversations.delete("c", user="ann")
    assert await texts(never) == FACTS
    found = await never.list_items(user="ann")
    known = [tuple(source.evolve(own=True) for source in one.sources) for one in before]
    assert [one.sources for one in found] == known
    (place,) = await never.locate(found[0].id, user="ann")
    assert (str(place), place.text, place.resource.status) == ("c, gone", "", "gone")
    assert "deleted" in (place.resource.reason or "")
    with pytest.raises(NotFound, match="no original any more"):
        await never.read_resource(place.resource.id, user="ann")
    assert await never.list_segments(place.resource.id, user="ann") == []
    assert await never.integrity() == []
    with pytest.raises(NotFound):
        await never.memorize(resource_url="conversation://c", user="ann")
    # Begun again under the same id it is another one, and what is known is not doubled.
    await never.conversations.add("c", FACTS[:1], user="ann")
    again = await never.memorize(resource_url="conversation://c", user="ann")
    assert again.resource.id != place.resource.id
    assert await texts(never) == FACTS
    result = await never.retrieve("Who lives in Kyoto?", user="ann")
    assert "Kyoto" in result.items[0].record.text


async def test_deleted_with_its_items_nothing_is_left(never: MemoryService) -> None:
    await never.conversations.add("c", FACTS, user="ann")
    await never.memorize(resource_url="conversation://c", user="ann")
    await never.memorize(text=FACTS[0], user="ann")
    await never.conversations.delete("c", keep_items=False, user="ann")
    # What was said elsewhere too stays.
    assert await texts(never) == FACTS[:1]
    with pytest.raises(NotFound):
        await never.conversations.delete("c", user="ann")


async def test_one_that_was_only_memorized_can_be_deleted_too(never: MemoryService) -> None:
    await never.memorize(resource_url="conversation://c", messages=FACTS[:1], user="ann")
    with pytest.raises(NotFound):
        await never.conversations.delete("c", user="ann", agent="bot")
    await never.conversations.delete("c", user="ann")
    assert await texts(never) == FACTS[:1]


async def test_nothing_is_written_of_one_that_is_deleted_while_it_is_read(never: MemoryService) -> None:
    await never.conversations.add("c", FACTS, user="ann")
    job = await never.memorize(resource_url="conversation://c", user="ann", wait=False)
    await never.conversations.delete("c", user="ann")
    await never.work(once=True)
    assert (await never.jobs.get(job.id, user="ann")).status == "failed"
    assert await texts(never) == []


@pytest.mark.parametrize("message", ["", "  ", {"role": "user", "content": ""}, {"role": "user"}])
async def test_a_message_says_something(never: MemoryService, message: Any) -> None:
    with pytest.raises(InvalidInput):
        await never.conversations.add_message(message, "c", user="ann")
    assert len(await never.conversations.list(user="ann")) == 0


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 1025])
async def test_an_id_is_text_that_every_database_holds(never: MemoryService, name: str) -> None:
    with pytest.raises(InvalidInput, match="id"):
        await never.conversations.add_message("Hello there.", name, user="ann")


ADDER = """
import asyncio, sys
from memu_py import MemoryService
from test_conversations import by
from pathlib import Path

async def main():
    async with MemoryService(by("message", Path(sys.argv[1]))) as service:
        for n in range(10):
            await service.conversations.add_message(f"Guest {sys.argv[2]}{n} brought dish {n}.", "party", user="ann")

asyncio.run(main())
"""


async def test_two_processes_add_and_memorize_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with MemoryService(by("message", path)) as service:
        adders = [
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", ADDER, str(path), name, env=_with_kits()
            )
            for name in "ab"
        ]
        assert await asyncio.gather(*(one.wait() for one in adders)) == [0, 0]
        await service.work(once=True)
        assert len(await marked(service, "party")) == 20
        assert all(await marked(service, "party"))
        assert sorted(await texts(service)) == sorted(
            f"Guest {name}{n} brought dish {n}." for name in "ab" for n in range(10)
        )


def _with_kits() -> dict[str, str]:
    here = Path(__file__).parent
    return {**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
