"""Anniversaries and plans: noted once by scans, told once, for whom they are, and gone with the memory."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from service_kit import config, texts

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import InvalidInput, InvalidScope
from memu_py.records.occasion import Due
from memu_py.testing.clock import FixedClock

HERE = Path(__file__).parent
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SAID = "2026-05-30T12:00:00Z"


def chat(*said: str, at: str = SAID) -> list[dict[str, str]]:
    return [{"role": "user", "content": text, "created_at": at} for text in said]


LIFE = chat("We married on June 3, 2020.", "I will fly to Rome on June 5, 2026.", "We moved in May 2021.")
LEBEN = chat("我2020年6月3日结婚了。", "我2026年6月5日要飞去罗马。", "我们2021年5月搬了家。")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
async def service(clock: FixedClock) -> AsyncIterator[MemoryService]:
    async with MemoryService(config(jobs={"poll_s": 0.05}), clock=clock) as made:
        yield made


def shown(found: list[Due]) -> list[tuple[str, date, int | None, str]]:
    return [(one.occasion.kind, one.occasion.day, one.occasion.years, str(one)) for one in found]


@pytest.mark.parametrize("said", [LIFE, LEBEN], ids=["english", "chinese"])
async def test_a_scan_notes_what_comes_and_nothing_twice(
    service: MemoryService, clock: FixedClock, said: list[dict[str, str]]
) -> None:
    await service.memorize(messages=said, user="ann")

    assert await service.scan(user="ann") == 2
    assert await service.scan(user="ann") == 0
    expected = [
        ("anniversary", date(2026, 6, 3), 6, said[0]["content"]),
        ("plan", date(2026, 6, 5), None, said[1]["content"]),
    ]
    assert shown(await service.due(user="ann")) == expected
    assert shown(await service.due(user="ann", within_days=2)) == expected[:1]
    assert await service.due(user="ann", within_days=1) == []
    assert shown(await service.due(user="ann", take=True, within_days=2)) == expected[:1]
    assert shown(await service.due(user="ann", take=True)) == expected[1:]
    clock.advance(timedelta(hours=6))
    assert await service.scan(user="ann") == 0
    assert await service.due(user="ann") == []
    assert [one.told_at for one in await service.due(user="ann", told=True)] == [NOON, NOON]
    clock.set(NOON.replace(year=2027))
    await service.scan(user="ann")
    assert shown(await service.due(user="ann")) == [
        ("anniversary", date(2027, 6, 3), 7, said[0]["content"]),
        ("anniversary", date(2027, 6, 5), 1, said[1]["content"]),
    ]


async def test_two_readers_never_get_the_same(service: MemoryService) -> None:
    await service.memorize(messages=LIFE, user="ann")
    await service.scan(user="ann")
    taken = await asyncio.gather(*(service.due(user="ann", take=True) for _ in range(6)))

    assert sorted(len(one) for one in taken) == [0, 0, 0, 0, 0, 2]


async def test_what_was_due_is_shown_when_asked_for(service: MemoryService, clock: FixedClock) -> None:
    await service.memorize(messages=LIFE, user="ann")
    await service.scan(user="ann")
    clock.advance(timedelta(days=3))

    assert [one.occasion.kind for one in await service.due(user="ann")] == ["plan"]
    assert [one.occasion.kind for one in await service.due(user="ann", overdue=True)] == [
        "anniversary",
        "plan",
    ]


async def test_a_29_february_is_kept_on_the_28th_and_only_once(clock: FixedClock) -> None:
    clock.set(datetime(2027, 2, 25, 12, tzinfo=UTC))
    async with MemoryService(config(), clock=clock) as service:
        born = chat("Leo was born on February 29, 2024.", at="2024-03-05T12:00:00Z")
        await service.memorize(messages=born, user="ann")
        assert await service.scan(user="ann") == 1
        assert [day for _, day, _, _ in shown(await service.due(user="ann", take=True))] == [
            date(2027, 2, 28)
        ]
        for _ in range(6):
            clock.advance(timedelta(days=1))
            assert await service.scan(user="ann") == 0
        clock.set(datetime(2028, 2, 25, 12, tzinfo=UTC))
        await service.scan(user="ann")
        assert [day for _, day, _, _ in shown(await service.due(user="ann"))] == [date(2028, 2, 29)]


async def test_today_is_the_user_s(clock: FixedClock) -> None:
    clock.set(datetime(2026, 6, 2, 17, tzinfo=UTC))
    zones: dict[str, Any] = {"timezones": {"li": "Asia/Shanghai", "joe": "America/Los_Angeles"}}
    async with MemoryService(config(**zones), clock=clock) as service:
        for user in ("li", "joe"):
            await service.memorize(messages=LIFE[:1], user=user)
            await service.scan(user=user)
        # It is the 3rd in Shanghai already, and the 2nd in California.
        assert len(await service.due(user="li", within_days=0)) == 1
        assert await service.due(user="joe", within_days=0) == []
        (there,), (here,) = await service.due(user="li"), await service.due(user="joe")
        assert there.occasion.due_at == datetime(2026, 6, 2, 16, tzinfo=UTC)
        assert here.occasion.due_at == datetime(2026, 6, 3, 7, tzinfo=UTC)


async def test_it_is_the_user_s_own_and_narrows_like_any_read(service: MemoryService) -> None:
    await service.memorize(messages=LIFE, user="ann", session="one")
    await service.memorize(messages=LIFE[:1], user="ben")
    await service.scan(user="ann")

    assert len(await service.due(user="ann", session="one")) == 2
    assert await service.due(user="ann", session="two") == []
    assert await service.due(user="ann", session="two", take=True) == []
    assert await service.due(user="ben") == []
    assert {one.item.scope.user for one in await service.for_user("ann").due()} == {"ann"}
    with pytest.raises(InvalidScope):
        await service.for_user("ann").due(user="ben")


async def test_it_goes_with_the_memory_and_with_its_date(service: MemoryService) -> None:
    added = (await service.memorize(messages=LIFE, user="ann")).added
    await service.scan(user="ann")
    await service.delete_item(added[0].id, user="ann")
    assert [one.occasion.kind for one in await service.due(user="ann")] == ["plan"]
    assert (await service.stats())["occasions"] == 1
    await service.clear(user="ann")
    assert (await service.stats())["occasions"] == 0
    assert await service.integrity() == []


async def test_a_worker_scans_everybody_once_in_a_period(service: MemoryService, clock: FixedClock) -> None:
    await service.memorize(messages=LIFE, user="ann")
    await service.memorize(messages=LIFE[:1], agent="helper")
    await service.memorize(messages=chat("Tea is fine."), user="ben")

    assert await service.work(once=True) == 2
    assert len(await service.due(user="ann")) == 2
    assert len(await service.due(agent="helper")) == 1
    (job,) = await service.jobs.list(user="ann")
    assert (job.kind, job.status, dict(job.result or {})) == (
        "scan",
        "done",
        {"added": 2, "unchanged": False},
    )
    assert not (await service.jobs.list(user="ben")).records
    assert await service.work(once=True) == 0
    clock.advance(timedelta(hours=6))
    assert await service.work(once=True) == 2
    assert [dict(one.result or {}) for one in await service.jobs.list(user="ann")] == [
        {"added": 0, "unchanged": True},
        {"added": 2, "unchanged": False},
    ]


async def test_a_worker_that_goes_on_scans_too(service: MemoryService) -> None:
    await service.memorize(messages=LIFE, user="ann")
    working = asyncio.ensure_future(service.work())
    async with asyncio.timeout(30):
        news = service._runtime.workers.news
        while not await service.due(user="ann"):
            await news.wait()
            news = service._runtime.workers.news
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working


async def test_scans_can_be_left_out(clock: FixedClock) -> None:
    async with MemoryService(config(jobs={"scan_every_s": 0}), clock=clock) as service:
        await service.memorize(messages=LIFE, user="ann")
        assert await service.work(once=True) == 0
        assert await service.due(user="ann") == []


async def test_a_wider_window_sees_more(clock: FixedClock) -> None:
    async with MemoryService(config(jobs={"scan_ahead_days": 2}), clock=clock) as service:
        await service.memorize(messages=LIFE, user="ann")
        assert await service.scan(user="ann") == 1


VICTIM = """
import asyncio, os, signal, sys
from datetime import datetime, UTC
from service_kit import config
from memu_py import MemoryService
from memu_py.storage.sql_foresight import SqlForesight
from memu_py.testing.clock import FixedClock

path, when = sys.argv[1:]
note = SqlForesight.note

async def falling(self, *given, **named):
    if when == "after":
        await note(self, *given, **named)
    os.kill(os.getpid(), signal.SIGKILL)

SqlForesight.note = falling

async def main():
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    async with MemoryService(config(path, jobs={"lease_s": 1}), clock=clock) as service:
        await service.work(once=True)

asyncio.run(main())
"""


@pytest.mark.parametrize(("when", "written"), [("before", 0), ("after", 2)])
async def test_a_crash_between_scan_and_write_loses_and_doubles_nothing(
    when: str, written: int, tmp_path: Path, clock: FixedClock
) -> None:
    path = tmp_path / "memu.db"
    settings = config(path, jobs={"backoff_s": 0, "poll_s": 0.05})
    async with MemoryService(settings, clock=clock) as service:
        await service.memorize(messages=LIFE, user="ann")
    died = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", VICTIM, str(path), when],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    async with MemoryService(config(path, jobs={"workers": 0}), clock=clock) as looking:
        (job,) = await looking.jobs.list(user="ann")
        assert (job.status, len(await looking.due(user="ann"))) == ("running", written)
        told = await looking.due(user="ann", take=True)
    clock.advance(timedelta(minutes=5))
    async with MemoryService(settings, clock=clock) as service:
        await service.work(once=True)
        (job,) = await service.jobs.list(user="ann")
        assert (job.status, job.attempts) == ("done", 2)
        assert len(await service.due(user="ann")) + len(told) == 2
        assert len(await service.due(user="ann", told=True)) == 2


async def test_what_is_erased_meanwhile_is_not_noted(service: MemoryService, clock: FixedClock) -> None:
    await service.memorize(messages=LIFE, user="ann")
    working = asyncio.ensure_future(service.work(once=True))
    await service.clear(user="ann")
    await working

    assert await texts(service) == []
    assert (await service.stats())["occasions"] == 0


@pytest.mark.parametrize("wrong", [{"within_days": -1}, {"take": True, "told": True}])
async def test_what_makes_no_sense_is_refused(service: MemoryService, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await service.due(user="ann", **wrong)


def test_code_that_is_not_async_may_ask_too(clock: FixedClock) -> None:
    with SyncMemoryService(MemoryService(config(), clock=clock)) as sync:
        sync.memorize(messages=LIFE, user="ann")
        assert sync.for_user("ann").scan() == 2
        assert json.dumps([str(one) for one in sync.due(user="ann")])
