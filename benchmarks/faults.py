"""What is done to a server, its workers and its database while clients call."""

import asyncio
import collections
import random
import time
from pathlib import Path
from typing import Any

import httpx2
from postgres_kit import OwnServer
from process_kit import Program, ServerProgram, running

from benchmarks.crowd import Kept, look, memory_of
from memu_py import AsyncMemoryClient

PROBE_S = 0.25
SEED = 11
WORKERS = 2
WAITING = 40
"""Jobs that wait at least, so that no worker is killed while it idles."""
BUSY_S = (0.1, 1.5)
"""How long a worker works before it is killed, in seconds."""


async def restarted(server: ServerProgram, kills: int, seconds: float) -> list[float]:
    """Kill a server so often in a time, and start it again at once.

    Args:
        server: runs.
        kills: how often.
        seconds: in which; the last kill is well before their end.

    Returns:
        How long it took each time until it answered again, in seconds.
    """
    downs = []
    for _ in range(kills):
        await asyncio.sleep(seconds / (kills + 1))
        began = time.monotonic()
        await server.kill()
        await server.start()
        downs.append(time.monotonic() - began)
    return downs


async def away(own: OwnServer, url: str, seconds: float, after_s: float) -> dict[str, str | float]:
    """Stop a database after a while, start it again, and note what a server says meanwhile.

    Args:
        own: the server of the database.
        url: of the server that needs it.
        seconds: without it.
        after_s: seconds before.
    """
    await asyncio.sleep(after_s)
    said: collections.Counter[str] = collections.Counter()
    slowest = 0.0
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        await asyncio.to_thread(own.stop)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for path in ("/ready", "/v1/items?user=user-0"):
                began = time.monotonic()
                said[_said(await http.get(path))] += 1
                slowest = max(slowest, time.monotonic() - began)
            await asyncio.sleep(PROBE_S)
        began = time.monotonic()
        await asyncio.to_thread(own.start)
        back = time.monotonic()
        await answering(http)
        recovered = time.monotonic() - back
    return {
        "database away, s": round(began - until + seconds, 1),
        "said meanwhile": "; ".join(f"{count} × {text}" for text, count in said.items()),
        "slowest of these, s": round(slowest, 2),
        "until it answers, once the database is back, s": round(recovered, 2),
    }


async def answering(http: httpx2.AsyncClient) -> None:
    """Wait until a server answers what needs its database."""
    answer = await http.get("/v1/items?user=user-0")
    while answer.status_code != 200:
        await asyncio.sleep(PROBE_S / 5)
        answer = await http.get("/v1/items?user=user-0")


def _said(answer: httpx2.Response) -> str:
    kind = answer.json().get("type", "") if answer.status_code >= 400 else "ok"
    retry = answer.headers.get("retry-after")
    return f"{answer.status_code} {kind.rpartition(':')[2]}, Retry-After {retry}"


async def workers_killed(folder: Path, database: dict[str, Any], kills: int) -> dict[str, str | float]:
    """Kill one of two workers so often, at random, while jobs never run out; then let them finish.

    Args:
        folder: for files.
        database: of the configuration.
        kills: how often.
    """
    settings = {
        "database": database,
        "jobs": {"workers": 2, "lease_s": 2, "max_attempts": 1000, "backoff_s": 0.1},
    }
    server = ServerProgram(folder, {**settings, "jobs": {**settings["jobs"], "workers": 0}})
    async with running(server):
        # What the workers read is theirs alone: the server, which does no jobs, has read its own.
        workers = [Program(folder, f"worker{n}", "worker", settings=settings) for n in range(WORKERS)]
        async with AsyncMemoryClient(server.url) as client, running(*workers):
            queue = _Queue(client)
            await _kill(workers, queue, kills)
            figures = await queue.finish()
        found = await look(server.url, queue.kept)
    return {
        "kills of workers": kills,
        **figures,
        "memories acknowledged": len(queue.kept),
        "of these lost": found.lost,
        "stored twice": found.doubled,
    }


async def _kill(workers: list[Program], queue: "_Queue", kills: int) -> None:
    rng, begun = random.Random(SEED), collections.Counter[int]()
    for number in range(WORKERS):
        await workers[number].told("Working")
        begun[number] = 1
    for _ in range(kills):
        await queue.fill()
        await asyncio.sleep(rng.uniform(*BUSY_S))
        number = rng.randrange(WORKERS)
        await workers[number].kill()
        await workers[number].start()
        begun[number] += 1
        await workers[number].told("Working", begun[number])


class _Queue:
    """Jobs that wait for workers.

    Args:
        client: writes them down.
    """

    def __init__(self, client: AsyncMemoryClient) -> None:
        self._client = client
        self._rng = random.Random(SEED)
        self._jobs: dict[str, Kept] = {}
        self.kept: list[Kept] = []

    async def fill(self) -> None:
        """Write down as many as are missing."""
        for _ in range(WAITING - await self._waiting()):
            kept = memory_of(len(self.kept), 0, self._rng)
            job = await self._client.memorize(text=kept.text, user=kept.user, wait=False)
            self._jobs[job.id] = kept
            self.kept.append(kept)

    async def _waiting(self) -> int:
        page = (await self._client._http.get("/metrics")).text
        figures = dict(line.rsplit(" ", 1) for line in page.splitlines() if line.startswith("memu_jobs"))
        return sum(
            int(float(figures.get(f'memu_jobs{{status="{one}"}}', 0))) for one in ("queued", "running")
        )

    async def finish(self) -> dict[str, str | float]:
        """Wait for all, and say how they ended."""
        ended: collections.Counter[str] = collections.Counter()
        attempts: collections.Counter[int] = collections.Counter()
        for job_id, kept in self._jobs.items():
            job = await self._client.jobs.wait(job_id, user=kept.user)
            ended[job.status] += 1
            attempts[job.attempts] += 1
        stats = await self._client.stats()
        return {
            "jobs": len(self._jobs),
            "ended": ", ".join(f"{count} {status}" for status, count in ended.items()),
            "attempts": ", ".join(f"{count} × {number}" for number, count in sorted(attempts.items())),
            "runs in the store": int(stats["runs"]),
        }
