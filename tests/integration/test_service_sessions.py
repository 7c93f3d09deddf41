"""A fact said in several sessions belongs to each of them, and outlives any one."""

from collections.abc import AsyncIterator

import pytest

from memu_py import MemoryService

TEA, BOAT = "I like tea.", "I own a red boat."


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService({"database": {"backend": "memory"}}) as opened:
        await opened.memorize(messages=[TEA, BOAT], user="ann", session="s1")
        await opened.memorize(messages=[TEA], user="ann", session="s2")
        yield opened


async def texts(service: MemoryService, session: str | None) -> list[str]:
    return [item.text for item in await service.list_items(user="ann", session=session)]


async def test_each_session_sees_what_was_said_in_it(service: MemoryService) -> None:
    assert await texts(service, None) == [TEA, BOAT]
    assert await texts(service, "s1") == [TEA, BOAT]
    assert await texts(service, "s2") == [TEA]
    assert await texts(service, "s3") == []
    found = await service.retrieve("tea", user="ann", session="s2", min_score=0)
    assert [hit.record.text for hit in found] == [TEA]
    (item,) = await service.list_items(user="ann", session="s2")
    assert item.mentions == 2


@pytest.mark.parametrize(("cleared", "left"), [("s1", [TEA]), ("s2", [TEA, BOAT])])
async def test_clearing_a_session_leaves_what_others_said_too(
    service: MemoryService, cleared: str, left: list[str]
) -> None:
    await service.clear(user="ann", session=cleared)
    assert await texts(service, None) == left
    assert await texts(service, cleared) == []
    (tea,) = [item for item in await service.list_items(user="ann") if item.text == TEA]
    assert {source.session for source in tea.sources} == {"s1", "s2"} - {cleared}
    assert await service.integrity() == []
    other = {"s1": "s2", "s2": "s1"}[cleared]
    await service.clear(user="ann", session=other)
    assert await texts(service, None) == []
    assert await service.integrity() == []
