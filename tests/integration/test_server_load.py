"""A real server under load, killed, stopped and cut off from its database; the long versions are in `benchmarks/`."""

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx2
import pytest
from postgres_kit import own_server
from process_kit import Program, ServerProgram, running
from server_kit import PROBLEM

from benchmarks.crowd import MEMORIZE, RETRIEVE, Tally, crowd, look, memory_of
from benchmarks.faults import answering
from memu_py import AsyncMemoryClient, MemoryService

CLIENTS = 6
SECONDS = 2.0
MANY = 30
"""Tries of a client: a machine with much to do takes its time to start a process."""
QUICK: dict[str, Any] = {"plugins": ["service_kit"], "embedding": {"backend": "hashing"}}
SQLITE = {"backend": "sqlite", "path": "memu.db"}
WRITING = {MEMORIZE: 1.0, RETRIEVE: 0.0}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


async def whole(url: str, tally: Tally) -> None:
    """Check that what was acknowledged is there once, and nothing else."""
    found = await look(url, tally.kept, tally.unsure)
    assert tally.kept
    assert (found.lost, found.doubled, found.unasked) == (0, 0, 0)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "sqlite":
        return SQLITE
    return {"backend": "postgres", "dsn": request.getfixturevalue("dsn")}


async def test_many_clients_get_no_errors_and_find_what_they_kept(
    database: dict[str, Any], tmp_path: Path
) -> None:
    server = ServerProgram(tmp_path, {**QUICK, "database": database, "server": {"writes_at_once": 2}})
    async with running(server):
        tally = await crowd(server.url, 3 * CLIENTS, SECONDS)
        await whole(server.url, tally)

    assert not tally.errors


async def test_what_was_acknowledged_survives_a_kill_and_what_is_sent_again_is_no_second_memory(
    database: dict[str, Any], tmp_path: Path
) -> None:
    server, tally = ServerProgram(tmp_path, {**QUICK, "database": database}), Tally()
    last = memory_of(CLIENTS, 1, random.Random(0))
    async with running(server):
        calling = asyncio.create_task(
            crowd(server.url, CLIENTS, SECONDS, retries=MANY, shares=WRITING, tally=tally)
        )
        await tally.begun.wait()
        async with AsyncMemoryClient(server.url) as client:
            before = await client.memorize(text=last.text, user=last.user, run_id="run-1")
        await server.kill()
        await server.start()
        async with AsyncMemoryClient(server.url, retries=MANY) as client:
            again = await client.memorize(text=last.text, user=last.user, run_id="run-1")
        await calling
        tally.kept.append(last)
        await whole(server.url, tally)

    assert not tally.errors
    assert again.unchanged and again.resource.id == before.resource.id


async def test_a_database_that_goes_away_is_told_clearly_and_found_again_without_a_restart(
    tmp_path: Path,
) -> None:
    with own_server() as own:
        server = ServerProgram(tmp_path, {**QUICK, "database": {"backend": "postgres", "dsn": own.address}})
        kept = memory_of(0, 1, random.Random(0))
        async with running(server), httpx2.AsyncClient(base_url=server.url, timeout=60) as http:
            first = await http.post("/v1/memorize", json={"text": kept.text, "user": kept.user})
            await asyncio.to_thread(own.stop)
            away = [
                await http.get("/ready"),
                await http.get("/v1/items?user=ann"),
                await http.post("/v1/memorize", json={"text": "Ann sails.", "user": "ann"}),
                await http.post("/v1/retrieve", json={"query": "Who sails?", "user": kept.user}),
            ]
            alive = await http.get("/health")
            pid = server.pid
            await asyncio.to_thread(own.start)
            await answering(http)
            second = await http.post("/v1/memorize", json={"text": "Ann sails.", "user": "ann"})
            ready = await http.get("/ready")
            found = await look(server.url, [kept])

    for answer in away:
        assert answer.status_code == 503, answer.text
        assert answer.headers["content-type"] == PROBLEM and answer.headers["retry-after"] == "1"
        assert answer.json()["type"] == "urn:memu:problem:store-unreachable"
    assert [one.status_code for one in (first, alive, second, ready)] == [200] * 4
    assert found.lost == 0 and pid == server.pid


async def test_sigterm_in_the_middle_of_the_load_loses_nothing_that_was_acknowledged(
    database: dict[str, Any], tmp_path: Path
) -> None:
    server, tally = ServerProgram(tmp_path, {**QUICK, "database": database}), Tally()
    async with running(server):
        calling = asyncio.create_task(crowd(server.url, CLIENTS, SECONDS, shares=WRITING, tally=tally))
        await tally.begun.wait()
        code = await server.stop()
        await calling
        await server.start()
        await whole(server.url, tally)

    assert code == 0
    # Whoever came too late was turned away at the door.
    assert all("StoreUnreachable" in error for error in tally.errors)


async def test_two_processes_that_serve_the_same_users_lose_and_double_nothing(tmp_path: Path) -> None:
    server = ServerProgram(tmp_path, {**QUICK, "database": SQLITE}, workers=2)
    async with running(server):
        await server.told("Application startup complete", 2)
        tally = await crowd(server.url, 3 * CLIENTS, SECONDS)
        await whole(server.url, tally)
        code = await server.stop()

    assert not tally.errors and code == 0
    async with MemoryService({**QUICK, "database": {**SQLITE, "path": str(tmp_path / "memu.db")}}) as service:
        assert await service.integrity() == []


async def test_a_worker_that_is_killed_leaves_its_jobs_to_the_next_one_once_each(
    database: dict[str, Any], tmp_path: Path
) -> None:
    jobs = {"workers": 2, "lease_s": 1, "max_attempts": 100, "backoff_s": 0, "poll_s": 0.1}
    async with MemoryService(
        {**QUICK, "database": _placed(database, tmp_path), "jobs": {"workers": 0}}
    ) as service:
        kept = [memory_of(number, 1, random.Random(number)) for number in range(3 * CLIENTS)]
        made = [await service.memorize(text=one.text, user=one.user, wait=False) for one in kept]
        worker = Program(tmp_path, "worker", "worker", settings={**QUICK, "database": database, "jobs": jobs})
        async with running(worker):
            await worker.told("Working")
            await service.jobs.wait(made[0].id, user=kept[0].user)
            await worker.kill()
            await worker.start()
            done = [
                await service.jobs.wait(job.id, user=one.user) for job, one in zip(made, kept, strict=True)
            ]
        mentions = [
            item.mentions
            for user in {one.user for one in kept}
            for item in await service.list_items(user=user)
        ]
        runs = (await service.stats())["runs"]

    assert {job.status for job in done} == {"done"}
    assert mentions == [1] * len(kept) and runs == len(kept)


def _placed(database: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {**database, "path": str(folder / "memu.db")} if database["backend"] == "sqlite" else database
