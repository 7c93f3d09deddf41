"""The contract suite for queues of jobs.

::

    class TestMine(JobSuite):
        @pytest.fixture
        async def store(self, clock: FixedClock) -> AsyncIterator[Store]:
            store = MyStore(clock)
            await store.open()
            yield store
            await store.close()
"""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from memu_py.errors import Cancelled, Conflict, InvalidFilter, InvalidInput, InvalidScope
from memu_py.jobs.queue import JobQueue
from memu_py.records.ids import new_id
from memu_py.records.job import Job, JobError
from memu_py.records.page import Query
from memu_py.records.scope import Scope
from memu_py.storage.store import Store
from memu_py.testing.clock import FixedClock
from memu_py.testing.store_samples import ANN, BOB, NOW, keep, stored

KIND = "work"
LEASE_S = 60.0
AWAY = JobError(type="ModelError", message="the model is away")


def job(scope: Scope = ANN, **fields: Any) -> Job:
    """Return a job with a payload and a content."""
    usual: dict[str, Any] = {
        "id": new_id(),
        "kind": KIND,
        "run_id": new_id(),
        "payload": {"url": "file:///a", "count": 1},
        "content": b"\0\xff",
        "size": 2,
        "max_attempts": 2,
        "created_at": NOW,
        "updated_at": NOW,
        "not_before": NOW,
    }
    return Job(**usual | fields, scope=scope)


async def leased(queue: JobQueue) -> Job:
    """Lease a job that is there."""
    found = await queue.lease([KIND], LEASE_S)
    assert found is not None
    return found


async def status(queue: JobQueue, of: Job) -> str | None:
    """Return where a job stands by now."""
    found = await queue.get(of.scope, of.id)
    return found.status if found else None


class JobSuite:
    """What every queue must keep. Subclass it, and give the fixture `store`: open, empty, on the clock."""

    @pytest.fixture
    def clock(self) -> FixedClock:
        """Return the clock of the store under test."""
        return FixedClock(NOW)

    @pytest.fixture
    async def store(self, clock: FixedClock) -> Store:
        """Return the store under test; a subclass may yield it, and close it afterwards."""
        raise NotImplementedError

    @pytest.fixture
    def queue(self, store: Store) -> JobQueue:
        """Return its queue."""
        return store.jobs

    async def test_a_job_comes_back_as_it_was_given(self, queue: JobQueue) -> None:
        """Whole by id, without what it works on in lists."""
        given = job(
            ANN.evolve(agent="bot", session="s", custom=(("team", "x"),)),
            lock="chat",
            payload={"é": [1, None]},
        )
        assert await queue.enqueue(ANN, given) == given
        assert await queue.get(ANN, given.id) == given
        (listed,) = await queue.page(ANN, Query())
        assert listed == given.evolve(payload={}, content=None)

    async def test_a_job_that_cannot_be_stored_is_refused(self, queue: JobQueue) -> None:
        """Nothing is there afterwards."""
        with pytest.raises(InvalidInput, match="cannot be stored"):
            await queue.enqueue(ANN, job(payload={"call": print}))
        with pytest.raises(InvalidScope):
            await queue.enqueue(ANN, job(BOB))
        assert len(await queue.page(ANN, Query())) == 0

    async def test_a_run_has_one_job(self, queue: JobQueue) -> None:
        """The second is the first, also in another session; another user's run of the same id is another one."""
        first = await queue.enqueue(ANN, job(run_id="r"))
        assert (await queue.enqueue(ANN, job(run_id="r"))).id == first.id
        assert (await queue.enqueue(BOB, job(BOB, run_id="r"))).id != first.id
        one = ANN.evolve(session="one")
        with pytest.raises(Conflict, match="outside this scope"):
            await queue.enqueue(one, job(one, run_id="r"))

    async def test_nobody_sees_or_touches_anothers_job(self, queue: JobQueue) -> None:
        """By id, in lists, to cancel, to retry; nor what another session wrote."""
        mine = await queue.enqueue(ANN, job(ANN.evolve(session="one")))
        for scope in (BOB, ANN.evolve(session="two"), Scope(agent="ann")):
            assert await queue.get(scope, mine.id) is None
            assert await queue.cancel(scope, mine.id) is None
            assert await queue.retry(scope, mine.id) is None
            assert len(await queue.page(scope, Query())) == 0
        assert await status(queue, mine) == "queued"
        assert await queue.get(ANN, "\0") is None

    async def test_pages_follow_each_other_and_filter(self, queue: JobQueue) -> None:
        """By keyset; unknown fields are refused."""
        made = [await queue.enqueue(ANN, job()) for _ in range(3)]
        await queue.cancel(ANN, made[1].id)
        first = await queue.page(ANN, Query(limit=2, descending=True))
        rest = await queue.page(ANN, Query(limit=2, descending=True, cursor=first.next_cursor))
        assert [one.id for one in (*first, *rest)] == [one.id for one in reversed(made)]
        found = await queue.page(ANN, Query(where={"status": "cancelled"}))
        assert [one.id for one in found] == [made[1].id]
        with pytest.raises(InvalidFilter):
            await queue.page(ANN, Query(where={"payload": "x"}))

    # Leases

    async def test_the_oldest_begins_first_and_each_only_once(
        self, queue: JobQueue, clock: FixedClock
    ) -> None:
        """Whatever user it is of; other kinds are left alone."""
        made = [await queue.enqueue(scope, job(scope)) for scope in (BOB, ANN)]
        await queue.enqueue(ANN, job(kind="other"))
        taken = [await leased(queue), await leased(queue)]
        assert [one.id for one in taken] == [one.id for one in made]
        for one in taken:
            assert (one.status, one.attempts, one.content) == ("running", 1, b"\0\xff")
            assert one.lease_until == clock() + timedelta(seconds=LEASE_S)
        assert await queue.lease([KIND], LEASE_S) is None
        assert taken[0].lease != taken[1].lease

    async def test_many_who_ask_at_once_get_different_jobs(self, queue: JobQueue) -> None:
        """No job is given twice."""
        made = [await queue.enqueue(ANN, job()) for _ in range(5)]
        taken = await asyncio.gather(*(queue.lease([KIND], LEASE_S) for _ in range(8)))
        assert sorted(one.id for one in taken if one) == [one.id for one in made]

    async def test_jobs_of_one_lock_take_turns(self, queue: JobQueue) -> None:
        """Those of another user, another lock or none do not wait."""
        first, second = [await queue.enqueue(ANN, job(lock="chat")) for _ in range(2)]
        others = [
            await queue.enqueue(BOB, job(BOB, lock="chat")),
            await queue.enqueue(ANN, job(lock="other")),
            await queue.enqueue(ANN, job()),
            await queue.enqueue(ANN, job()),
        ]
        taken = [await leased(queue) for _ in range(5)]
        assert [one.id for one in taken] == [first.id, *(one.id for one in others)]
        assert await queue.lease([KIND], LEASE_S) is None
        assert await queue.finish(taken[0], {})
        assert (await leased(queue)).id == second.id

    async def test_many_jobs_of_one_user_keep_nobody_waiting(self, queue: JobQueue) -> None:
        """Who has the fewest that run goes first; a higher priority goes before that."""
        hers = [await queue.enqueue(ANN, job()) for _ in range(3)]
        his = [await queue.enqueue(BOB, job(BOB)) for _ in range(2)]
        urgent = await queue.enqueue(ANN, job(priority=5))
        last = await queue.enqueue(BOB, job(BOB, priority=-5))
        taken = [await leased(queue) for _ in range(7)]
        wanted = [urgent, his[0], hers[0], his[1], hers[1], hers[2], last]
        assert [one.id for one in taken] == [one.id for one in wanted]

    async def test_so_many_jobs_of_one_user_at_a_time(self, queue: JobQueue) -> None:
        """An agent without a user counts as one; what ends makes room."""
        bot = Scope(agent="bot")
        for scope in (ANN, ANN, ANN, BOB, bot):
            await queue.enqueue(scope, job(scope))
        taken = [await queue.lease([KIND], LEASE_S, per_user=1) for _ in range(4)]
        assert [one.scope if one else None for one in taken] == [ANN, BOB, bot, None]
        assert taken[0] is not None
        assert await queue.finish(taken[0], {})
        again = await queue.lease([KIND], LEASE_S, per_user=1)
        assert again is not None
        assert again.scope == ANN
        assert await queue.lease([KIND], LEASE_S, per_user=1) is None
        third = await queue.lease([KIND], LEASE_S, per_user=2)
        assert third is not None
        assert third.scope == ANN

    async def test_due_tells_when_the_next_begins(self, queue: JobQueue, clock: FixedClock) -> None:
        """At once, later, or when a lease runs out."""
        assert await queue.due([KIND]) is None
        await queue.enqueue(ANN, job(not_before=NOW + timedelta(hours=1)))
        assert await queue.due([KIND]) == NOW + timedelta(hours=1)
        assert await queue.due(["other"]) is None
        assert await queue.lease([KIND], LEASE_S) is None
        clock.advance(timedelta(hours=1))
        await leased(queue)
        assert await queue.due([KIND]) == clock() + timedelta(seconds=LEASE_S)

    async def test_a_lease_that_ran_out_is_taken_over(self, queue: JobQueue, clock: FixedClock) -> None:
        """Who had it may not speak for the job any more; after the last attempt it has failed."""
        await queue.enqueue(ANN, job(lock="chat"))
        dead = await leased(queue)
        clock.advance(timedelta(seconds=LEASE_S - 1))
        assert await queue.extend(dead, LEASE_S)
        clock.advance(timedelta(seconds=LEASE_S - 1))
        assert await queue.lease([KIND], LEASE_S) is None
        clock.advance(timedelta(seconds=1))
        heir = await leased(queue)
        assert (heir.id, heir.attempts) == (dead.id, 2)
        assert not await queue.extend(dead, LEASE_S)
        assert not await queue.finish(dead, {})
        assert not await queue.fail(dead, AWAY, again_at=None)
        assert not await queue.release(dead)
        assert await status(queue, heir) == "running"
        clock.advance(timedelta(seconds=LEASE_S))
        assert await queue.lease([KIND], LEASE_S) is None
        lost = await queue.get(ANN, heir.id)
        assert lost is not None
        assert (lost.status, lost.finished_at) == ("failed", clock())
        assert lost.error is not None
        assert "died" in lost.error.message

    async def test_a_done_job_tells_its_result_and_drops_what_it_worked_on(
        self, queue: JobQueue, clock: FixedClock
    ) -> None:
        """And it cannot be tried again or cancelled."""
        await queue.enqueue(ANN, job())
        taken = await leased(queue)
        assert await queue.finish(taken, {"added": 1})
        done = await queue.get(ANN, taken.id)
        assert done is not None
        assert (done.status, done.result, done.finished_at) == ("done", {"added": 1}, clock())
        assert (done.payload, done.content, done.size, done.lease) == ({}, None, 2, None)
        assert done.ended
        assert await queue.retry(ANN, done.id) == done
        assert await queue.cancel(ANN, done.id) == done

    async def test_a_failed_attempt_waits_and_the_last_one_is_final(
        self, queue: JobQueue, clock: FixedClock
    ) -> None:
        """With its error; a retry gives all attempts back."""
        await queue.enqueue(ANN, job())
        later = NOW + timedelta(minutes=1)
        assert await queue.fail(await leased(queue), AWAY, again_at=later)
        (waiting,) = await queue.page(ANN, Query())
        assert (waiting.status, waiting.error, waiting.not_before) == ("queued", AWAY, later)
        assert await queue.lease([KIND], LEASE_S) is None
        clock.set(later)
        assert await queue.fail(await leased(queue), AWAY, again_at=later)
        (failed,) = await queue.page(ANN, Query())
        assert (failed.status, failed.error, failed.attempts) == ("failed", AWAY, 2)
        again = await queue.retry(ANN, failed.id)
        assert again is not None
        assert (again.status, again.error, again.attempts, again.finished_at) == ("queued", None, 0, None)
        assert (again.payload, again.content) == ({"url": "file:///a", "count": 1}, b"\0\xff")
        assert await queue.fail(await leased(queue), AWAY, again_at=None)
        assert await status(queue, again) == "failed"

    async def test_what_is_given_back_begins_at_once_and_the_attempt_does_not_count(
        self, queue: JobQueue
    ) -> None:
        """As when a process closes."""
        await queue.enqueue(ANN, job(lock="chat"))
        assert await queue.release(await leased(queue))
        taken = await leased(queue)
        assert taken.attempts == 1

    # Cancelling and erasing

    async def test_what_is_cancelled_writes_nothing(self, store: Store) -> None:
        """Waiting or running; the commit of its run is refused. Afterwards it may be tried again."""
        queue = store.jobs
        waiting = await queue.enqueue(ANN, job())
        cancelled = await queue.cancel(ANN, waiting.id)
        assert cancelled is not None
        assert (cancelled.status, cancelled.ended) == ("cancelled", True)
        running = await queue.enqueue(ANN, job())
        taken = await leased(queue)
        assert taken.id == running.id
        await queue.cancel(ANN, running.id)
        assert not await queue.extend(taken, LEASE_S)
        with pytest.raises(Cancelled, match="nothing of it was written"):
            await keep(store, ANN, stored(ANN, "tea"), run_id=taken.run_id, lease=taken.lease)
        assert await store.items.count(ANN) == 0
        await queue.retry(ANN, running.id)
        again = await leased(queue)
        await keep(store, ANN, stored(ANN, "tea"), run_id=again.run_id, lease=again.lease)
        assert await store.items.count(ANN) == 1

    async def test_what_has_written_is_not_cancelled(self, store: Store) -> None:
        """It would say that nothing is stored."""
        await store.jobs.enqueue(ANN, job())
        taken = await leased(store.jobs)
        await keep(store, ANN, stored(ANN, "tea"), run_id=taken.run_id, lease=taken.lease)
        still = await store.jobs.cancel(ANN, taken.id)
        assert still is not None
        assert still.status == "running"
        assert await store.jobs.extend(taken, LEASE_S)

    async def test_the_run_of_a_job_tells_what_became_of_it(self, store: Store) -> None:
        """Without a word of what was said."""
        await store.jobs.enqueue(ANN, job())
        taken = await leased(store.jobs)
        await keep(store, ANN, stored(ANN, "tea"), run_id=taken.run_id, lease=taken.lease)
        summary = await store.find_run(ANN, taken.run_id)
        assert summary is not None
        assert (summary["added"], summary["outcomes"], summary["unchanged"]) == (1, [], False)

    async def test_erasing_takes_the_jobs_of_a_scope_and_no_others(self, store: Store) -> None:
        """A running one can then write nothing."""
        session = ANN.evolve(session="one")
        mine = await store.jobs.enqueue(session, job(session))
        taken = await leased(store.jobs)
        other, bobs = await store.jobs.enqueue(ANN, job()), await store.jobs.enqueue(BOB, job(BOB))
        await store.clear(session)
        assert await store.jobs.get(ANN, mine.id) is None
        with pytest.raises(Cancelled):
            await keep(store, session, stored(session, "tea"), run_id=taken.run_id, lease=taken.lease)
        assert await status(store.jobs, other) == "queued"
        await store.clear(ANN)
        assert [await status(store.jobs, one) for one in (other, bobs)] == [None, "queued"]
        assert await store.items.count(ANN) == 0

    async def test_ended_jobs_are_dropped_after_a_while(self, store: Store, clock: FixedClock) -> None:
        """What waits or runs stays, however old."""
        old, waiting = await store.jobs.enqueue(ANN, job()), await store.jobs.enqueue(ANN, job())
        await store.jobs.cancel(ANN, old.id)
        assert await store.jobs.prune(clock()) == 0
        clock.advance(timedelta(days=1))
        assert await store.jobs.prune(clock()) == 1
        assert [await status(store.jobs, one) for one in (old, waiting)] == [None, "queued"]
        assert await store.maintenance.integrity() == []
