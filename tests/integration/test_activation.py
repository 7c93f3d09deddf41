"""What comes up often and regularly stays at hand, where a profile minds it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from service_kit import config

from memu_py import MemoryService
from memu_py.scoring.profiles import ACTIVE

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TEA, COFFEE = "Ann drinks green tea.", "Ann drinks black coffee."


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def service(clock: Clock) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=clock) as made:
        for text in (TEA, COFFEE):
            await made.create_item(text, user="ann")
        yield made


async def factors(service: MemoryService, now: datetime) -> dict[str, float]:
    found = await service.retrieve("Ann drinks", user="ann", profile="activation", min_score=0, now=now)
    return {hit.record.text: hit.scores["activation"] for hit in found.items}


async def test_what_is_read_now_and_again_is_more_active(service: MemoryService, clock: Clock) -> None:
    for week in range(12):
        clock.now = START + timedelta(weeks=week)
        await service.retrieve("green tea", user="ann", top_k=1, min_score=0)
    await service.flush()

    now = START + timedelta(days=100)
    found = await service.retrieve("Ann drinks", user="ann", profile="activation", min_score=0, now=now)
    active = {hit.record.text: hit.scores["activation"] for hit in found.items}

    assert found.items[0].record.text == TEA
    assert active[TEA] > 0.9 > 0.5 > active[COFFEE] > 0
    for hit in found.items:
        assert hit.score <= hit.scores["relevance"]
        assert hit.score >= (1 - ACTIVE.activation) * (1 - ACTIVE.importance) * hit.scores["relevance"] - 1e-6


async def test_saying_it_again_counts_as_well(service: MemoryService, clock: Clock) -> None:
    clock.now = START + timedelta(days=50)
    await service.memorize(messages=[TEA], user="ann")
    await service.memorize(messages=[TEA], user="ann", session="again")
    active = await factors(service, START + timedelta(days=60))

    assert active[TEA] > active[COFFEE]


async def test_other_profiles_do_not_ask_for_it(service: MemoryService) -> None:
    found = await service.retrieve("Ann drinks", user="ann", min_score=0)

    assert all("activation" not in hit.scores for hit in found.items)
