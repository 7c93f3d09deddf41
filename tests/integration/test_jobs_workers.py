"""Workers over a real queue: how many, how often, how long, and what becomes of jobs that fail or are left."""

import asyncio
import logging
import random
import sqlite3
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memu_py.config.jobs import JobSettings
from memu_py.errors import InvalidInput, ModelError
from memu_py.jobs.worker import Workers
from memu_py.records.job import Job
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.clock import FixedClock
from memu_py.testing.job_suite import KIND, job
from memu_py.testing.store_samples import ANN, BOB, NOW
from memu_py.workflow.cancellation import Cancellation


class Ticks:
    """Sleep that lasts until the test says so."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._asking = asyncio.Event()
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        asking, self._asking = self._asking, asyncio.Event()
        asking.set()
        await self._event.wait()

    async def until(self, seconds: float, times: int = 1) -> None:
        """Wait until somebody has asked so often for so many seconds."""
        while self.asked.count(seconds) < times:
            await self._asking.wait()

    def tick(self) -> None:
        event, self._event = self._event, asyncio.Event()
        event.set()


class Site:
    """Does jobs as their payload says, and lets the test watch."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[Job] = asyncio.Queue()
        self.gate = asyncio.Event()
        self.at_once = 0
        self.most = 0
        self.cancels: list[Cancellation] = []

    async def __call__(self, job: Job, cancel: Cancellation) -> Mapping[str, Any]:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.cancels.append(cancel)
        self.begun.put_nowait(job)
        try:
            return await self._do(job)
        finally:
            self.at_once -= 1

    async def _do(self, job: Job) -> Mapping[str, Any]:
        how = job.payload.get("how")
        if how == "wait":
            await self.gate.wait()
        if how == "break":
            raise ModelError("the model is away")
        if how == "refuse":
            raise InvalidInput("there is no content")
        if how == "crash":
            raise ZeroDivisionError
        if how == "give up":
            raise asyncio.CancelledError
        return {"done": how}


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
async def store(clock: FixedClock) -> AsyncIterator[Store]:
    opened = build_store(StoreSettings(backend="memory"), clock=clock)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


def crew(store: Store, clock: FixedClock, site: Site, ticks: Ticks, **settings: Any) -> Workers:
    usual: dict[str, Any] = {"workers": 2, "lease_s": 60, "backoff_s": 10}
    workers = Workers(
        store.jobs, JobSettings(**usual | settings), clock=clock, sleep=ticks, rng=random.Random(1)
    )
    workers.register(KIND, site)
    return workers


async def put(store: Store, how: str | None = None, scope: Scope = ANN, **fields: Any) -> Job:
    return await store.jobs.enqueue(scope, job(scope, payload={"how": how}, **fields))


async def now(store: Store, of: Job) -> Job:
    found = await store.jobs.get(of.scope, of.id)
    assert found is not None
    return found


async def test_so_many_at_the_same_time_and_all_in_the_end(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    made = [await put(store, "wait") for _ in range(5)]
    workers = crew(store, clock, site, ticks)
    working = asyncio.create_task(workers.until_idle())
    first = [await site.begun.get() for _ in range(2)]
    assert [one.id for one in first] == [one.id for one in made[:2]]
    site.gate.set()
    await working
    assert site.most == 2
    assert [(await now(store, one)).result for one in made] == [{"done": "wait"}] * 5
    assert workers.ended == 5


async def test_fewer_at_the_same_time_whoever_else_begins_the_work(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    workers = crew(store, clock, site, ticks)
    workers.start()
    working = asyncio.create_task(workers.for_ever(1))

    def at_work() -> int:
        return sum(task.get_name() == "memu-worker" for task in asyncio.all_tasks())

    async with asyncio.timeout(60):
        while at_work() != 1:
            await store.jobs.due([KIND])
    workers.start()
    assert at_work() == 1
    working.cancel()
    await workers.close()


async def test_a_poisoned_job_fails_with_its_error_and_blocks_nobody(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    poisoned = await put(store, "break", lock="chat", max_attempts=3)
    after = await put(store, lock="chat")
    other = await put(store, scope=BOB)
    workers = crew(store, clock, site, ticks)
    pauses = []
    for _ in range(3):
        await workers.until_idle()
        waiting = await now(store, poisoned)
        pauses.append((waiting.not_before - clock()).total_seconds())
        clock.advance(timedelta(seconds=60))
    assert [(await now(store, one)).status for one in (after, other)] == ["done", "done"]
    ended = await now(store, poisoned)
    assert (ended.status, ended.attempts) == ("failed", 3)
    assert ended.error is not None
    assert (ended.error.type, ended.error.message) == ("ModelError", "the model is away")
    assert 5 <= pauses[0] <= 15
    assert 10 <= pauses[1] <= 30
    assert pauses[0] != 10


@pytest.mark.parametrize(
    ("how", "kind", "attempts", "message"),
    [
        ("refuse", "InvalidInput", 1, "there is no content"),
        ("give up", "Cancelled", 1, "The run was cancelled."),
        ("crash", "ZeroDivisionError", 2, "Second argument to a division"),
    ],
)
async def test_an_error_that_another_attempt_would_not_change_is_final(
    how: str,
    kind: str,
    attempts: int,
    message: str,
    store: Store,
    clock: FixedClock,
    site: Site,
    ticks: Ticks,
) -> None:
    made = await put(store, how)
    workers = crew(store, clock, site, ticks, backoff_s=0)
    await workers.until_idle()
    ended = await now(store, made)
    assert ended.error is not None
    assert (ended.status, ended.attempts, ended.error.type) == ("failed", attempts, kind)
    assert ended.error.message.startswith(message)
    assert "Traceback" not in ended.error.message


async def test_a_job_that_comes_in_wakes_who_rests(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    workers = crew(store, clock, site, ticks)
    await workers.start_if_due()
    made = await put(store)
    workers.start()
    news = workers.news
    while not (await now(store, made)).ended:
        await news.wait()
        news = workers.news
    assert (await now(store, made)).status == "done"
    await workers.close()


async def test_one_that_rests_looks_for_jobs_of_others_and_rests_no_longer_than_needed(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    await put(store, not_before=NOW + timedelta(seconds=0.25))
    workers = crew(store, clock, site, ticks, workers=1, poll_s=30)
    await workers.start_if_due()
    await ticks.until(0.25)
    assert ticks.asked == [0.25]
    clock.advance(timedelta(seconds=1))
    ticks.tick()
    await site.begun.get()
    await workers.close()


async def test_the_lease_is_extended_while_the_work_goes_on(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    made = await put(store, "wait")
    workers = crew(store, clock, site, ticks, workers=1)
    workers.start()
    await site.begun.get()
    await ticks.until(20)
    clock.advance(timedelta(seconds=20))
    ticks.tick()
    until = NOW + timedelta(seconds=80)
    await ticks.until(20, times=2)
    assert (await now(store, made)).lease_until == until
    site.gate.set()
    await workers.close()
    assert (await now(store, made)).status == "done"


async def test_work_whose_lease_is_lost_is_stopped(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    made = await put(store, "wait")
    workers = crew(store, clock, site, ticks, workers=1)
    workers.start()
    await site.begun.get()
    await ticks.until(20)
    await store.jobs.cancel(ANN, made.id)
    news = workers.news
    ticks.tick()
    await news.wait()
    assert site.at_once == 0
    assert site.cancels[0].reason == "its lease is gone"
    assert (await now(store, made)).status == "cancelled"
    await workers.close()


async def test_closing_hands_over_what_is_not_done(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    running, waiting = await put(store, "wait"), await put(store)
    workers = crew(store, clock, site, ticks, workers=1, drain_s=0)
    workers.start()
    await site.begun.get()
    await workers.close()
    given_back = await now(store, running)
    assert (given_back.status, given_back.attempts, given_back.lease) == ("queued", 0, None)
    assert (await now(store, waiting)).status == "queued"
    workers.start()
    await workers.close()
    other = crew(store, clock, site, ticks)
    site.gate.set()
    await other.until_idle()
    assert [(await now(store, one)).status for one in (running, waiting)] == ["done", "done"]


async def test_closing_goes_on_for_a_while(store: Store, clock: FixedClock, site: Site, ticks: Ticks) -> None:
    made = [await put(store, "wait"), await put(store)]
    workers = crew(store, clock, site, ticks, workers=1)
    workers.start()
    await site.begun.get()
    closing = asyncio.create_task(workers.close())
    site.gate.set()
    await closing
    assert [(await now(store, one)).status for one in made] == ["done", "done"]


async def test_who_is_told_to_stop_begins_nothing_new(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    running, waiting = await put(store, "wait"), await put(store)
    workers = crew(store, clock, site, ticks, workers=1)
    working = asyncio.create_task(workers.for_ever())
    await site.begun.get()
    working.cancel()
    await asyncio.wait([working])
    site.gate.set()
    await workers.close()
    assert [(await now(store, one)).status for one in (running, waiting)] == ["done", "queued"]


async def test_a_pause_stops_the_jobs_of_a_scope_and_lets_others_be(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    session = ANN.evolve(session="one")
    mine, elsewhere = await put(store, "wait", scope=session), await put(store, "wait")
    bobs = await put(store, "wait", scope=BOB)
    workers = crew(store, clock, site, ticks, workers=3)
    workers.start()
    for _ in range(3):
        await site.begun.get()
    async with workers.paused(session, "it is erased"):
        assert site.at_once == 2
        statuses = [(await now(store, one)).status for one in (mine, elsewhere, bobs)]
        assert statuses == ["queued", "running", "running"]
        await put(store)
        workers.start()
        assert site.begun.empty()
    site.gate.set()
    await workers.until_idle()
    assert (await now(store, mine)).status == "done"


async def test_what_cannot_be_written_is_done_again_when_the_lease_has_run_out(
    clock: FixedClock, site: Site, ticks: Ticks, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "memu.db"
    store = build_store(StoreSettings(path=path, busy_timeout_s=0.01), clock=clock)
    await store.open()
    made = await put(store, "wait", max_attempts=2)
    workers = crew(store, clock, site, ticks, workers=1)
    workers.start()
    await site.begun.get()
    await ticks.until(20)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    news = workers.news
    with caplog.at_level(logging.WARNING):
        ticks.tick()
        await ticks.until(20, times=2)
        site.gate.set()
        await news.wait()
    assert "was not extended" in caplog.text
    assert "could not be written" in caplog.text
    assert (await now(store, made)).status == "running"
    other.close()
    clock.advance(timedelta(seconds=60))
    await workers.close()
    ended = await now(store, made)
    assert (ended.status, ended.attempts) == ("done", 2)
    await store.close()


async def test_a_database_that_is_away_is_looked_for_again(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks, caplog: pytest.LogCaptureFixture
) -> None:
    workers = crew(store, clock, site, ticks, workers=1)
    workers.start()
    await store.close()
    await ticks.until(1.0)
    ticks.tick()
    await ticks.until(1.0, times=2)
    assert "no job could be begun" in caplog.text
    await workers.close()
    assert site.begun.empty()


async def test_ended_jobs_go_after_their_time_while_a_process_lives(
    store: Store, clock: FixedClock, site: Site, ticks: Ticks
) -> None:
    made = await put(store)
    workers = crew(store, clock, site, ticks, keep_days=1)
    await workers.until_idle()
    clock.advance(timedelta(hours=23))
    await workers.until_idle()
    assert (await now(store, made)).status == "done"
    clock.advance(timedelta(hours=2))
    await workers.until_idle()
    assert await store.jobs.get(ANN, made.id) is None
