"""What callers say of memories: counted once, bounded, and gone with the memory."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from service_kit import config

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, InvalidScope, NotFound
from memu_py.records.feedback import MemoryUse

WEIGHT = 0.2
ACCESS: dict[str, Any] = {"scoring": {"profiles": {"read": {"like": "similarity", "access": WEIGHT}}}}
TEXTS = ("Ann plays the cello in Porto.", "Ann rents a cello in Braga.")


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(**ACCESS)) as made:
        for text in TEXTS:
            await made.create_item(text, user="ann")
        yield made


async def scores(service: MemoryService) -> dict[str, float]:
    """Look without leaving a trace: what is only looked at is not counted in time."""
    found = await service.search("cello", user="ann", min_score=0)
    profile = await service.retrieve("cello", user="ann", profile="read", min_score=0, layers=["item"])
    assert len(found) == len(profile) == len(TEXTS)
    return {hit.record.text: hit.score for hit in profile}


async def test_used_lifts_and_unhelpful_lowers_within_the_weight(service: MemoryService) -> None:
    item = (await service.retrieve("cello", user="ann", layers=["item"])).items[0]
    before = (await scores(service))[item.record.text]
    assert await service.feedback(item, helpful=False, run_id="none", user="ann")
    assert (await scores(service))[item.record.text] < before
    assert await service.feedback(item, helpful=True, run_id="none", user="ann")
    assert await service.feedback(item, used=True, helpful=True, run_id="one", user="ann")
    lifted = (await scores(service))[item.record.text]
    for number in range(20):
        assert await service.feedback(item.record, helpful=False, run_id=f"bad {number}", user="ann")
    lowered = (await scores(service))[item.record.text]

    assert lifted > before > lowered
    assert lowered >= (1 - WEIGHT) * lifted > 0


async def test_another_process_learns_of_it(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    async with MemoryService(config(path, **ACCESS)) as one, MemoryService(config(path, **ACCESS)) as two:
        for text in TEXTS:
            await one.create_item(text, user="ann")
        before = await scores(two)
        (first, _) = await one.list_items(user="ann")
        await one.feedback(first.id, helpful=True, user="ann")
        after = await scores(two)

        assert after[TEXTS[0]] > before[TEXTS[0]]
        assert after[TEXTS[1]] == before[TEXTS[1]]


async def test_it_counts_once_for_a_run_and_the_share_can_be_read(service: MemoryService) -> None:
    result = await service.retrieve("cello", user="ann", layers=["item"])
    run_id, best = result.trace.run_id, result.items[0]

    assert await service.feedback(best, used=True, run_id=run_id, user="ann")
    assert not await service.feedback(best, used=True, run_id=run_id, user="ann")
    assert await service.feedback(result.items[1], used=False, run_id=run_id, user="ann")
    report = await service.usage(user="ann")
    assert report.memories == MemoryUse(retrieved=2, used=1, unused=1)
    assert report.memories.share == 0.5
    assert await service.feedback(best, used=False, helpful=False, run_id=run_id, user="ann")
    assert (await service.usage(user="ann")).memories == MemoryUse(retrieved=2, unused=2, unhelpful=1)
    assert (await service.usage(user="ben")).memories.share is None


async def test_without_a_run_each_word_counts_and_a_share_is_at_most_all(service: MemoryService) -> None:
    (item, _) = await service.list_items(user="ann")
    await service.retrieve("cello", user="ann", top_k=1, layers=["item"])
    for _ in range(3):
        assert await service.feedback(item.id, used=True, user="ann")
    memories = (await service.usage(user="ann")).memories

    assert (memories.used, memories.retrieved, memories.share) == (3, 1, 1.0)


async def test_history_says_it_and_reads_stay_reads(service: MemoryService) -> None:
    (item, _) = await service.list_items(user="ann")
    await service.feedback(item.id, helpful=False, user="ann")
    change = (await service.history(item.id, user="ann"))[-1]

    assert (change.op, change.actor, change.after) == ("update", "feedback", {"helpful": False})
    now = await service.get_item(item.id, user="ann")
    assert (now.access_count, now.version) == (0, item.version)


async def test_it_goes_with_the_item(service: MemoryService) -> None:
    (item, other) = await service.list_items(user="ann")
    for one in (item, other):
        await service.feedback(one.id, used=True, user="ann")
    await service.delete_item(item.id, user="ann")

    assert (await service.usage(user="ann")).memories.used == 1
    await service.clear(user="ann")
    assert (await service.usage(user="ann")).memories == MemoryUse()
    assert (await service.stats())["feedback"] == 0
    assert await service.integrity() == []


async def test_of_somebody_else_s_memory_nothing_can_be_said(service: MemoryService) -> None:
    (item, _) = await service.list_items(user="ann")
    for user in ("ben", "%", "Ann"):
        with pytest.raises(NotFound):
            await service.feedback(item, used=True, user=user)
    with pytest.raises(InvalidScope):
        await service.for_user("ben").feedback(item, used=True, user="ann")
    assert (await service.usage(user="ann")).memories.used == 0


@pytest.mark.parametrize("wrong", [{}, {"used": True, "run_id": " "}])
async def test_what_says_nothing_is_refused(service: MemoryService, wrong: dict[str, Any]) -> None:
    (item, _) = await service.list_items(user="ann")
    with pytest.raises(InvalidInput):
        await service.feedback(item, user="ann", **wrong)


def test_code_that_is_not_async_may_say_it_too() -> None:
    with SyncMemoryService(config()) as sync:
        item = sync.create_item("小李喜欢喝茶。", user="ann")
        assert sync.for_user("ann").feedback(item, helpful=True)
