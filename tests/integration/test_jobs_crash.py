"""A process that is killed in the middle of a job loses nothing, and doubles nothing."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jobs_kit
import pytest
from service_kit import texts

from memu_py import MemoryService
from memu_py.records.job import Job
from memu_py.testing.clock import FixedClock

HERE = Path(__file__).parent
CHAT = ["Ann likes tea.", "Hello!", "Ann owns a boat.", "Ann likes tea."]

VICTIM = """
import asyncio, json, sys
import jobs_kit
from memu_py import MemoryService

path, steps, after, chat = (json.loads(one) for one in sys.argv[1:])

async def main():
    service = MemoryService(jobs_kit.config(path, *steps, workers=1))
    if after:
        service.workflows["memorize"].insert_after(after, "fall_written")
    job = await service.memorize(messages=chat, resource_url="chat", user="ann", wait=False)
    print(job.id, flush=True)
    await service.jobs.wait(job.id, user="ann")

asyncio.run(main())
"""


def later() -> datetime:
    """A clock by which the leases of the dead have run out."""
    return datetime.now(UTC) + timedelta(hours=1)


def kill_in_the_middle(path: Path, steps: list[str], after: str | None) -> str:
    arguments = [json.dumps(one) for one in (str(path), steps, after, CHAT)]
    died = subprocess.run(
        [sys.executable, "-c", VICTIM, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    return died.stdout.strip()


def told(job: Job) -> list[tuple[Any, ...]]:
    assert job.result is not None
    return [(one["ordinal"], one["status"], one.get("reason")) for one in job.result["outcomes"]]


@pytest.mark.parametrize(
    ("steps", "after", "written"),
    [(["fall"], None, 0), ([], "persist", 2), ([], "build_response", 2)],
    ids=["before", "after", "at-the-end"],
)
async def test_another_process_finishes_it_with_the_same_result_once(
    steps: list[str], after: str | None, written: int, tmp_path: Path
) -> None:
    path = tmp_path / "memu.db"
    job_id = await asyncio.to_thread(kill_in_the_middle, path, steps, after)
    async with MemoryService(jobs_kit.config(path, workers=0)) as looking:
        left = await looking.jobs.get(job_id, user="ann")
        assert (left.status, left.attempts) == ("running", 1)
        assert await looking.count_items(user="ann") == written
        assert await looking.work(once=True) == 0
    async with MemoryService(jobs_kit.config(path), clock=later) as heir:
        done = await heir.jobs.wait(job_id, user="ann", timeout_s=60)
        assert (done.status, done.attempts) == ("done", 2)
        whole = await heir.memorize(messages=CHAT, resource_url="chat", user="bob", wait=False)
        whole = await heir.jobs.wait(whole.id, user="bob", timeout_s=60)
        assert told(done) == told(whole)
        for name in ("added", "reinforced", "skipped", "failed", "unchanged"):
            assert (done.result or {})[name] == (whole.result or {})[name], name
        assert await texts(heir, "ann") == await texts(heir, "bob")
        for user in ("ann", "bob"):
            mentions = [item.mentions for item in await heir.list_items(user=user)]
            assert mentions == [2, 1]
        ids = {item.id for item in await heir.list_items(user="ann")}
        assert {one["item_id"] for one in (done.result or {})["outcomes"] if "item_id" in one} == ids
        assert (await heir.stats())["runs"] == 2
        assert await heir.integrity() == []


async def test_a_job_that_kills_every_process_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "memu.db"
    job_id = await asyncio.to_thread(kill_in_the_middle, path, ["fall"], None)
    clock = FixedClock(later())
    async with MemoryService(jobs_kit.config(path, workers=0), clock=clock) as service:
        for number in range(2, 4):
            lost = await service._runtime.store.jobs.lease(["memorize"], 1)
            assert lost is not None
            assert lost.attempts == number
            clock.advance(timedelta(hours=1))
        other = await service.memorize(text="Ann plays chess.", user="ann", wait=False)
        assert await service.work(once=True) == 1
        failed = await service.jobs.get(job_id, user="ann")
        assert (failed.status, failed.attempts) == ("failed", 3)
        assert failed.error is not None
        assert failed.error.type == "WorkerLost"
        assert (await service.jobs.get(other.id, user="ann")).status == "done"
        await service.jobs.retry(job_id, user="ann")
        assert await service.work(once=True) == 1
        assert (await service.jobs.get(job_id, user="ann")).status == "done"
