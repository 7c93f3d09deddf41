"""A conversation that is followed: it grows, and each piece brings a prediction."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from service_kit import config, texts

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, InvalidScope
from memu_py.service.watch import Turns, Watched
from memu_py.testing.clock import FixedClock

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=FixedClock(NOON)) as made:
        yield made


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


async def pieces(*given: Turns) -> AsyncIterator[Turns]:
    for one in given:
        yield one


async def watched(service: MemoryService, *given: Turns, **more: Any) -> list[Watched]:
    named = {"conversation": "talk", "user": "ann"} | more
    return [one async for one in service.watch(pieces(*given), **named)]


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Ann plays the cello in Porto.", ["Good morning everybody!", "Is the cello ready?"]),
        ("小李喜欢喝龙井茶。", ["早上好！", "龙井茶还有吗？"]),
    ],
    ids=["english", "chinese"],
)
async def test_it_grows_one_conversation_and_predicts_from_what_was_known(
    service: MemoryService, known: str, said: list[str]
) -> None:
    await service.create_item(known, user="ann")
    first, second = await watched(service, [user(said[0])], user(said[1]))

    assert first.memorized.resource.id == second.memorized.resource.id
    assert second.memorized.resource.segment_count == 2
    assert known in str(second)
    assert [item.text for item in second.intent.items][:1] == [known]
    assert len(await service.list_resources(user="ann")) == 1


async def test_the_same_words_twice_are_two_turns_and_watching_again_doubles_nothing(
    service: MemoryService,
) -> None:
    said = [user("The cello is ready."), user("Yes."), user("The cello is ready.")]
    *_, last = await watched(service, *said)
    assert last.memorized.resource.segment_count == 3
    *_, again = await watched(service, said)
    assert again.memorized.unchanged
    (item,) = await service.list_items(user="ann")
    assert (item.text, item.mentions) == ("The cello is ready.", 2)


async def test_the_whole_conversation_may_come_as_text_or_bytes(service: MemoryService) -> None:
    whole = "Ann: I own a cello.\nBen: I own a boat.\n"
    found = await watched(
        service, whole, (whole + "Ann: The cello is red.\n").encode(), conversation="file:///chat"
    )

    assert [one.memorized.resource.segment_count for one in found] == [2, 3]
    assert found[1].memorized.resource.url == "file:///chat"


async def test_what_else_is_known_counts(service: MemoryService) -> None:
    await service.create_items(["Ann plays the cello in Porto.", "Ann has a red canoe."], user="ann")
    (one,) = await watched(service, [user("Hello")], context={"wanted": "red canoe"}, top_k=1)

    assert [item.text for item in one.intent.items] == ["Ann has a red canoe."]


async def test_it_ends_when_it_is_cancelled_and_keeps_what_came(service: MemoryService) -> None:
    never = asyncio.Event()

    async def endless() -> AsyncIterator[Turns]:
        yield [user("Ann plays the cello.")]
        await never.wait()

    seen = asyncio.Event()

    async def follow() -> None:
        async for _ in service.watch(endless(), conversation="talk", user="ann"):
            seen.set()

    task = asyncio.ensure_future(follow())
    await seen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await texts(service) == ["Ann plays the cello."]


async def test_a_view_follows_its_own_user_only(service: MemoryService) -> None:
    await service.create_item("Ben plays the cello.", user="ben")
    stream = service.for_user("ann").watch(pieces([user("Is the cello ready?")]), conversation="talk")
    (one,) = [watched async for watched in stream]

    assert one.memorized.resource.scope.user == "ann"
    assert not one.intent
    with pytest.raises(InvalidScope):
        await anext(service.for_user("ann").watch(pieces("x"), conversation="talk", user="ben"))


async def test_what_cannot_be_followed_is_refused(service: MemoryService) -> None:
    for given, name in (([[]], "talk"), (["x"], "")):
        with pytest.raises(InvalidInput):
            await watched(service, *given, conversation=name)


def test_code_that_is_not_async_follows_an_iterable() -> None:
    with SyncMemoryService(MemoryService(config(), clock=FixedClock(NOON))) as service:
        service.create_item("Ann plays the cello in Porto.", user="ann")
        mine = service.for_user("ann")
        stream = mine.watch(
            [[user("Good morning everybody!")], user("Is the cello ready?")], conversation="talk"
        )
        first = next(stream)
        assert first.memorized.resource.segment_count == 1
        (second,) = stream
        assert "cello" in str(second)
        assert list(mine.watch([], conversation="talk")) == []
        with pytest.raises(InvalidInput):
            next(mine.watch([[]], conversation="other"))
