"""Workers on PostgreSQL: called by the server, watched, and given back what others left."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import jobs_kit
import psycopg
import pytest
from service_kit import texts

from memu_py import MemoryService
from memu_py.jobs.chore import Chore
from memu_py.jobs.fleet import Terms
from memu_py.records.job import Job
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.clock import FixedClock
from memu_py.testing.job_suite import job
from memu_py.testing.store_samples import ANN, NOW

NEVER_S = 3600.0
"""Nobody looks by itself within a test."""
YEARS_S = 10 * 365 * 86400.0


def config(dsn: str, tmp_path: Path, *steps: Any, **jobs: Any) -> dict[str, Any]:
    database = {"backend": "postgres", "dsn": dsn}
    made = jobs_kit.config(None, *steps, **{"poll_s": NEVER_S, **jobs})
    return made | {"database": database, "blobs": {"root": str(tmp_path / "blobs")}}


async def listening(dsn: str) -> None:
    """Wait until somebody listens for jobs."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        found = None
        while found is None:
            asked = await connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'"
            )
            found = await asked.fetchone()


async def waiting(dsn: str) -> list[dict[str, str]]:
    """Return what tickets hold that nobody has taken."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        asked = await connection.execute(
            "SELECT args FROM memu_jobs.procrastinate_jobs WHERE status = 'todo' AND task_name = 'memu.do'"
        )
        return [args for (args,) in await asked.fetchall()]


def asking(dsn: str, tmp_path: Path) -> MemoryService:
    """A service that leaves the work to others, and looks often what became of it."""
    return MemoryService(config(dsn, tmp_path, workers=0, poll_s=0.05))


async def until_ended(service: MemoryService, job: Job) -> Job:
    """Wait for the end of a job; where none comes, it is returned as it is."""
    return await service.jobs.wait(job.id, user=job.scope.user, timeout_s=120)


@pytest.fixture
async def working(dsn: str, tmp_path: Path) -> AsyncIterator[MemoryService]:
    """A service that works for ever, and is called."""
    async with MemoryService(config(dsn, tmp_path)) as service:
        task = asyncio.ensure_future(service.work(concurrency=2))
        await listening(dsn)
        yield service
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_job_of_another_process_begins_without_anybody_looking(
    dsn: str, tmp_path: Path, working: MemoryService
) -> None:
    async with asking(dsn, tmp_path) as idle:
        made = [
            await idle.memorize(text=f"Ann owns {n} boats.", user="ann", session=str(n), wait=False)
            for n in range(4)
        ]
        done = [await until_ended(idle, job) for job in made]
        assert {(one.status, one.attempts) for one in done} == {("done", 1)}
        assert len(await texts(idle)) == len(made)


async def test_as_many_work_as_the_command_says_though_jobs_wait_already(dsn: str, tmp_path: Path) -> None:
    door = jobs_kit.gate("fleet many")
    held = config(dsn, tmp_path, {"use": "hold", "with": {"gate": "fleet many"}}, workers=1)
    async with asking(dsn, tmp_path) as idle:
        made = [
            await idle.memorize(text="Ann owns a boat.", user="ann", session=str(n), wait=False)
            for n in range(3)
        ]
        async with MemoryService(held) as service:
            task = asyncio.ensure_future(service.work(concurrency=3))
            async with asyncio.timeout(60):
                assert {await door.here.get() for _ in made} == {job.run_id for job in made}
            door.open.set()
            assert [(await until_ended(idle, job)).status for job in made] == ["done"] * 3
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


async def test_a_ticket_holds_no_word_of_a_user_and_goes_with_the_job(dsn: str, tmp_path: Path) -> None:
    async with MemoryService(config(dsn, tmp_path, workers=0)) as service:
        text = "Ann hides the key under the mat."
        made = await service.memorize(text=text, user="ann", session="one", wait=False)
        other = await service.memorize(text="Ann owns a boat.", user="ann", session="two", wait=False)
        bobs = await service.memorize(text=text, user="bob", wait=False)
        ann, bob = (job.scope.partition_hash.hex() for job in (made, bobs))
        assert await waiting(dsn) == [
            {"partition": ann, "job": made.id},
            {"partition": ann, "job": other.id},
            {"partition": bob, "job": bobs.id},
        ]
        await service.clear(user="ann", session="one")
        assert [one["job"] for one in await waiting(dsn)] == [other.id, bobs.id]
        await service.clear(user="ann")
        assert [one["job"] for one in await waiting(dsn)] == [bobs.id]


async def test_what_nobody_listened_to_is_done_by_who_looks_and_tidied_up(dsn: str, tmp_path: Path) -> None:
    async with MemoryService(config(dsn, tmp_path, workers=0)) as service:
        await service.memorize(text="Ann owns a boat.", user="ann", wait=False)
        assert await service.work(once=True) == 1
        assert len(await waiting(dsn)) == 1
        await service._runtime.store.jobs.prune(service._runtime.clock())
    async with MemoryService(config(dsn, tmp_path, workers=0, keep_days=0)) as service:
        await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        assert await service.work(once=True) == 1
        assert await waiting(dsn) != []
    async with MemoryService(config(dsn, tmp_path, workers=0, keep_days=0)) as service:
        await service.count_items(user="ann")
        assert await waiting(dsn) == []


async def test_a_ticket_that_was_lost_is_issued_again_and_one_too_many_goes(dsn: str, tmp_path: Path) -> None:
    async with asking(dsn, tmp_path) as idle:
        made = await idle.memorize(text="Ann owns a boat.", user="ann", wait=False)
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            await connection.execute(
                "UPDATE memu_jobs.procrastinate_jobs SET args = jsonb_set(args, '{job}', '\"gone\"')"
            )
            await connection.execute(
                "UPDATE memu_jobs.procrastinate_jobs SET scheduled_at = now() + interval '1 hour'"
            )
        async with MemoryService(config(dsn, tmp_path, lease_s=6)) as working:
            task = asyncio.ensure_future(working.work())
            done = await until_ended(idle, made)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert done.status == "done"
        assert await waiting(dsn) == []


async def test_jobs_of_one_conversation_take_turns_on_any_number_of_workers(dsn: str, tmp_path: Path) -> None:
    door = jobs_kit.gate("fleet turns")
    held = config(dsn, tmp_path, {"use": "hold", "with": {"gate": "fleet turns"}})
    async with MemoryService(held) as one, MemoryService(held) as two, asking(dsn, tmp_path) as idle:
        chats = [[f"Guest {n} came." for n in range(length + 1)] for length in range(3)]
        made = [
            await service.memorize(messages=chat, resource_url="chat", user="ann", wait=False)
            for service, chat in zip((one, two, one), chats, strict=True)
        ]
        bobs = await two.memorize(messages=chats[0], resource_url="chat", user="bob", wait=False)
        assert {await door.here.get(), await door.here.get()} == {made[0].run_id, bobs.run_id}
        statuses = [(await one.jobs.get(job.id, user="ann")).status for job in made]
        assert statuses == ["running", "queued", "queued"]
        door.open.set()
        done = [await until_ended(idle, job) for job in made]
        assert [(job.result or {})["added"] for job in done] == [1, 1, 1]


async def test_who_closes_hands_over_what_is_not_done(dsn: str, tmp_path: Path) -> None:
    door = jobs_kit.gate("fleet over")
    steps = ({"use": "hold", "with": {"gate": "fleet over"}},)
    leaving = MemoryService(config(dsn, tmp_path, *steps, drain_s=0, workers=1))
    job = await leaving.memorize(text="Ann likes tea.", user="ann", wait=False)
    await door.here.get()
    await leaving.close()
    async with MemoryService(config(dsn, tmp_path)) as heir:
        done = await heir.jobs.wait(job.id, user="ann")
        assert (done.status, done.attempts) == ("done", 1)
        assert await texts(heir) == ["Ann likes tea."]


async def test_who_closes_goes_on_for_a_while(dsn: str, tmp_path: Path) -> None:
    async with MemoryService(config(dsn, tmp_path, drain_s=60, workers=1)) as leaving:
        for number in range(3):
            await leaving.memorize(text=f"Ann owns {number} boats.", user="ann", wait=False)
    async with MemoryService(config(dsn, tmp_path, workers=0)) as looking:
        assert {job.status for job in await looking.jobs.list(user="ann")} == {"done"}


async def test_the_ticket_of_a_silent_process_is_given_to_another(dsn: str, tmp_path: Path) -> None:
    async with asking(dsn, tmp_path) as idle:
        made = await idle.memorize(text="Ann owns a boat.", user="ann", wait=False)
        await idle._runtime.store.jobs.lease(["memorize"], 0.01)
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            await connection.execute("SET search_path = memu_jobs")
            await connection.execute(
                "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 day')"
            )
            await connection.execute(
                "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM procrastinate_workers)"
            )
        async with MemoryService(config(dsn, tmp_path, lease_s=6)) as working:
            task = asyncio.ensure_future(working.work())
            done = await until_ended(idle, made)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert (done.status, done.attempts) == ("done", 2)
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            asked = await connection.execute(
                "SELECT count(*) FROM memu_jobs.procrastinate_jobs WHERE task_name = 'memu.do'"
            )
            assert await asked.fetchone() == (0,)


async def test_a_fleet_scans_for_what_is_due(dsn: str, tmp_path: Path) -> None:
    async with MemoryService(config(dsn, tmp_path, workers=0, scan_every_s=1, lease_s=6)) as service:
        said = [{"role": "user", "content": "I was born on 3 May 1990.", "created_at": "2026-05-01"}]
        await service.memorize(messages=said, user="ann")
        task = asyncio.ensure_future(service.work())
        async with asyncio.timeout(60):
            news = service._runtime.workers.news
            while len(await service.jobs.list(status="done", user="ann")) < 2:
                await news.wait()
                news = service._runtime.workers.news
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert {job.kind for job in await service.jobs.list(user="ann")} == {"scan"}


async def test_a_period_that_begins_while_all_are_busy_is_kept_afterwards(dsn: str, tmp_path: Path) -> None:
    clock = FixedClock(NOW)
    store = build_store(StoreSettings(backend="postgres", dsn=dsn), clock=clock)
    await store.open()
    assert store.fleet is not None
    door, stop, kept = jobs_kit.gate("fleet busy"), asyncio.Event(), asyncio.Queue[float]()

    async def keep() -> None:
        kept.put_nowait(clock().timestamp())

    async def turn() -> None:
        await door.passed("turn")

    # By the server's clock no such period begins while this runs.
    chore = Chore(name="chore", every_s=YEARS_S, do=keep)
    terms = Terms(count=1, poll_s=0.05, lease_s=3, chores=(chore,))
    serving = asyncio.ensure_future(store.fleet.serve(turn, terms, stop))
    async with asyncio.timeout(60):
        assert await kept.get() == NOW.timestamp()
        await store.jobs.enqueue(ANN, job())
        await door.here.get()
        clock.advance(timedelta(seconds=YEARS_S))
        door.open.set()
        assert await kept.get() == clock().timestamp()
    stop.set()
    await serving
    await store.close()
