"""Jobs on PostgreSQL, where callers and workers write side by side: what changed since it was read is decided again."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, event

from memu_py.jobs.queue import JobQueue
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.clock import FixedClock
from memu_py.testing.job_suite import KIND, LEASE_S, job, leased, status
from memu_py.testing.store_samples import ANN, BOB, NOW

AWAY_S = 60


@pytest.fixture
async def queue(shared_dsn: str) -> AsyncIterator[JobQueue]:
    """An empty queue."""
    store = build_store(StoreSettings(backend="postgres", dsn=shared_dsn), clock=FixedClock(NOW))
    await store.open()
    yield store.jobs
    await store.close()


@contextlib.contextmanager
def before(part: str, act: Callable[[], object]) -> Iterator[None]:
    """Act once, on another connection, before the first statement with this part: its transaction is open by then."""
    acts = [act]

    def look(*given: Any) -> None:
        if acts and part in given[2]:
            acts.pop()()

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", look)
    assert not acts


def elsewhere(
    call: Callable[[], Coroutine[Any, Any, Any]], kept: list[Any] | None = None
) -> Callable[[], None]:
    """Return what has a call made on this loop while a thread of the store waits; its result is kept."""
    loop = asyncio.get_running_loop()

    def act() -> None:
        found = asyncio.run_coroutine_threadsafe(call(), loop).result(AWAY_S)
        if kept is not None:
            kept.append(found)

    return act


BEGUN = "UPDATE jobs SET status=%(status)s::VARCHAR, attempts="
CHANGED = "UPDATE jobs SET "


async def test_what_was_cancelled_meanwhile_does_not_begin(queue: JobQueue) -> None:
    first, second = await queue.enqueue(ANN, job()), await queue.enqueue(BOB, job(BOB))
    with before(BEGUN, elsewhere(lambda: queue.cancel(ANN, first.id))):
        begun = await leased(queue)

    assert begun.id == second.id
    assert await status(queue, first) == "cancelled"
    assert await queue.lease([KIND], LEASE_S) is None


async def test_the_only_one_may_be_cancelled_or_erased_meanwhile(queue: JobQueue, shared_dsn: str) -> None:
    def erase() -> None:
        with psycopg.connect(shared_dsn, autocommit=True) as connection:
            connection.execute("DELETE FROM jobs")

    one = await queue.enqueue(ANN, job())
    with before(BEGUN, elsewhere(lambda: queue.cancel(ANN, one.id))):
        assert await queue.lease([KIND], LEASE_S) is None
    await queue.retry(ANN, one.id)
    with before(BEGUN, erase):
        assert await queue.lease([KIND], LEASE_S) is None


async def test_what_began_meanwhile_is_not_begun_again(queue: JobQueue) -> None:
    made = await queue.enqueue(ANN, job(lock="chat"))
    begun: list[Any] = []
    with before(CHANGED, elsewhere(lambda: leased(queue), begun)):
        found = await queue.retry(ANN, made.id)

    assert found is not None
    assert (found.status, found.attempts) == ("running", 1)
    assert await queue.lease([KIND], LEASE_S) is None
    assert await queue.finish(begun[0], {"added": 1})


async def test_who_cancels_what_began_meanwhile_stops_it(queue: JobQueue) -> None:
    made = await queue.enqueue(ANN, job(lock="chat"))
    begun: list[Any] = []
    with before(CHANGED, elsewhere(lambda: leased(queue), begun)):
        found = await queue.cancel(ANN, made.id)

    assert found is not None
    assert found.status == "cancelled"
    assert not await queue.finish(begun[0], {})


async def test_what_was_given_up_meanwhile_is_cancelled_for_good(queue: JobQueue, shared_dsn: str) -> None:
    made = await queue.enqueue(ANN, job(max_attempts=1))
    await leased(queue)

    def give_up() -> None:
        with psycopg.connect(shared_dsn, autocommit=True) as connection:
            connection.execute("UPDATE jobs SET status = 'failed', lease_id = NULL, finished_at = 1")

    with before(CHANGED, give_up):
        found = await queue.cancel(ANN, made.id)

    assert found is not None
    assert found.status == "failed"
