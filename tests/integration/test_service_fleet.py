"""Workers on PostgreSQL: called by the server, watched, and given back what others left."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jobs_kit
import psycopg
import pytest
from service_kit import texts

from memu_py import MemoryService
from memu_py.records.job import Job

NEVER_S = 3600.0
"""Nobody looks by itself within a test."""


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


async def until_ended(service: MemoryService, job: Job) -> Job:
    """Ask until a job has ended; the service that waits does not work."""
    async with asyncio.timeout(60):
        while not (found := await service.jobs.get(job.id, user=job.scope.user)).ended:
            await asyncio.sleep(0.01)
    return found


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
    async with MemoryService(config(dsn, tmp_path, workers=0)) as asking:
        made = [
            await asking.memorize(text=f"Ann owns {n} boats.", user="ann", session=str(n), wait=False)
            for n in range(4)
        ]
        done = [await until_ended(asking, job) for job in made]
        assert {(one.status, one.attempts) for one in done} == {("done", 1)}
        assert len(await texts(asking)) == len(made)
