"""Workers who are called: every call is answered, or given to somebody else."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from test_jobs_workers import Site, Ticks, now, put

from memu_py.config.jobs import JobSettings
from memu_py.errors import StoreError
from memu_py.jobs.chore import Chore, Rounds
from memu_py.jobs.fleet import Terms, Turn
from memu_py.jobs.running import Stopped
from memu_py.jobs.worker import Workers
from memu_py.records.scope import Scope
from memu_py.storage.factory import build_store
from memu_py.storage.postgres_fleet import period_of
from memu_py.storage.settings import StoreSettings
from memu_py.storage.store import Store
from memu_py.testing.clock import FixedClock
from memu_py.testing.job_suite import KIND
from memu_py.testing.store_samples import NOW


class Bell:
    """A fleet of one process, called by the test."""

    def __init__(self, *, away: int = 0) -> None:
        self.away = away
        self.served = 0
        self.terms: Terms | None = None
        self.ready = asyncio.Event()
        self._turn: Turn

    async def serve(self, turn: Turn, terms: Terms, stop: asyncio.Event) -> None:
        self.served += 1
        if self.away:
            self.away -= 1
            raise StoreError("the database is away")
        self._turn, self.terms = turn, terms
        self.ready.set()
        await stop.wait()

    async def ring(self, *, again: bool = True) -> None:
        """Call it, and wait until it has answered.

        Args:
            again: wait until it is ready; else call the one that was.
        """
        if again:
            await self.ready.wait()
        await self._turn()


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    opened = build_store(StoreSettings(backend="memory"), clock=FixedClock(NOW))
    await opened.open()
    yield opened
    await opened.close()


def crew(store: Store, bell: Bell, site: Site, ticks: Ticks, **settings: Any) -> Workers:
    workers = Workers(
        store.jobs,
        JobSettings(**{"workers": 2, "lease_s": 60, "poll_s": 7} | settings),
        clock=FixedClock(NOW),
        fleet=bell,
        sleep=ticks,
        rng=random.Random(1),
    )
    workers.register(KIND, site)
    return workers


async def test_a_call_is_answered_with_all_that_can_begin(store: Store) -> None:
    bell, site = Bell(), Site()
    workers = crew(store, bell, site, Ticks(), per_user=3)
    workers.start()
    made = [await put(store, lock="chat") for _ in range(3)]
    await bell.ring()
    assert [(await now(store, one)).status for one in made] == ["done"] * 3
    await bell.ring()
    assert bell.terms is not None
    assert (bell.terms.count, bell.terms.poll_s, bell.terms.lease_s, bell.terms.per_user) == (2, 7, 60, 3)
    await workers.close()


async def test_while_the_database_is_away_it_is_tried_again(store: Store) -> None:
    bell, site, ticks = Bell(away=2), Site(), Ticks()
    workers = crew(store, bell, site, ticks)
    workers.start()
    for time in (1, 2):
        await ticks.until(7, time)
        ticks.tick()
    made = await put(store)
    await bell.ring()
    assert bell.served == 3
    assert (await now(store, made)).status == "done"
    await workers.close()


async def test_who_takes_no_more_lets_somebody_else_be_called(store: Store) -> None:
    bell, site = Bell(), Site()
    workers = crew(store, bell, site, Ticks())
    working = asyncio.ensure_future(workers.for_ever())
    made = await put(store)
    await bell.ready.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    with pytest.raises(Stopped):
        await bell.ring()
    assert (await now(store, made)).status == "queued"
    await workers.close()


async def test_a_call_in_a_pause_is_answered_after_it(store: Store) -> None:
    bell, site = Bell(), Site()
    workers = crew(store, bell, site, Ticks())
    workers.start()
    made = await put(store)
    async with workers.paused(Scope(user="nobody"), "the test says so"):
        ringing = asyncio.ensure_future(bell.ring())
        await bell.ready.wait()
        await now(store, made)
        assert not ringing.done()
        assert site.begun.empty()
    await ringing
    assert (await now(store, made)).status == "done"
    await workers.close()


async def test_until_idle_looks_for_itself_and_is_called_again_afterwards(store: Store) -> None:
    bell, site = Bell(), Site()
    workers = crew(store, bell, site, Ticks())
    workers.start()
    await bell.ready.wait()
    made = [await put(store) for _ in range(3)]
    await workers.until_idle(count=1)
    assert [(await now(store, one)).status for one in made] == ["done"] * 3
    assert site.most == 1
    bell.ready.clear()
    workers.start()
    last = await put(store)
    await bell.ring()
    assert bell.served == 2
    assert (await now(store, last)).status == "done"
    await workers.close()


async def test_as_many_work_as_the_caller_says_though_work_has_begun(store: Store) -> None:
    bell, site = Bell(), Site()
    workers = crew(store, bell, site, Ticks())
    waiting = [await put(store, "wait") for _ in range(2)]
    await workers.start_if_due()
    await bell.ready.wait()
    assert bell.terms is not None
    assert bell.terms.count == 2
    bell.ready.clear()
    ringing = asyncio.ensure_future(bell.ring(again=False))
    assert (await site.begun.get()).id == waiting[0].id

    working = asyncio.ensure_future(workers.for_ever(5))
    await bell.ready.wait()
    assert (bell.terms.count, bell.served) == (5, 2)
    # Who was called by the old terms ends what it has begun, and leaves the rest to others.
    site.gate.set()
    with pytest.raises(Stopped):
        await ringing
    assert (await now(store, waiting[1])).status == "queued"
    await bell.ring()
    assert (await now(store, waiting[1])).status == "done"
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
    await workers.close()


async def test_a_number_that_is_held_to_counts_from_the_beginning(store: Store) -> None:
    bell = Bell()
    workers = crew(store, bell, Site(), Ticks())
    await put(store)
    with workers.held_to(5), workers.held_to(None):
        await workers.start_if_due()
        working = asyncio.ensure_future(workers.for_ever())
        await bell.ring()
    assert bell.terms is not None
    assert (bell.terms.count, bell.served) == (5, 1)
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
    await workers.close()


async def test_chores_are_done_at_the_beginning_and_by_the_fleet(store: Store) -> None:
    bell, done = Bell(), asyncio.Event()

    async def sweep() -> None:
        done.set()
        raise StoreError("the database is away")

    workers = crew(store, bell, Site(), Ticks())
    chore = Chore(name="sweep", every_s=10, do=sweep)
    workers.see_to(chore)
    working = asyncio.ensure_future(workers.for_ever())
    await done.wait()
    await bell.ready.wait()
    assert bell.terms is not None
    assert bell.terms.chores == (chore,)
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working
    await workers.close()


async def test_a_chore_is_kept_by_who_has_no_fleet() -> None:
    times, ticks = asyncio.Queue[int](), Ticks()

    async def count() -> None:
        times.put_nowait(1)

    keeping = asyncio.ensure_future(Chore(name="count", every_s=3600, do=count).keep(FixedClock(NOW), ticks))
    await times.get()
    await ticks.until(3600 - NOW.timestamp() % 3600)
    ticks.tick()
    await times.get()
    keeping.cancel()
    await Chore(name="never", every_s=0, do=count).keep(FixedClock(NOW))
    assert times.empty()


async def test_a_chore_is_attempted_at_the_first_look_in_a_period() -> None:
    now, done = 0, []

    async def note() -> None:
        done.append(now)

    chores = (Chore(name="x", every_s=60, do=note), Chore(name="never", every_s=0, do=note))
    rounds = Rounds()
    # The watches of 180, 200 and 220 came to nobody: all workers were busy.
    for now in (100, 120, 140, 160, 230, 230, 239, 240):
        await rounds.look(chores, now)
    assert done == [100, 120, 230, 240]


def test_it_is_watched_often_enough_to_give_up_the_dead() -> None:
    assert [period_of(lease_s) for lease_s in (0.1, 3, 7, 60, 10_000)] == [1, 1, 2, 20, 30]
