"""Workers that are killed again and again: each job ends once, as if nothing had been, and no answer is paid twice."""

import asyncio
import dataclasses
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from models_kit import asking
from nursery_kit import Nursery
from sqlalchemy import create_engine, text

from memu_py import MemoryService
from memu_py.records.job import Job
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import ScriptedServer

KILLS = 6
CHATS = [[f"Guest {chat_} brought dish {line} for us." for line in range(4)] for chat_ in range(6)]
LINES = sum(map(len, CHATS))


@dataclasses.dataclass
class Ledger:
    """A model whose every answer has the question in it, and what it was asked."""

    asked: list[str] = dataclasses.field(default_factory=list)
    news: asyncio.Event = dataclasses.field(default_factory=asyncio.Event)

    async def answer(self, request: Request) -> Answer:
        question = request.json["messages"][-1]["content"]
        self.asked.append(question)
        self.news.set()
        await asyncio.sleep(0.02)
        return chat(json.dumps({"facts": [{"text": question}]}))

    async def until(self, count: int) -> None:
        """Wait for so many questions, or until there are none left that were not asked."""
        while len(self.asked) < count and len({*self.asked}) < LINES:
            self.news.clear()
            await self.news.wait()


def kept(config: dict[str, Any]) -> list[str]:
    """Return the answers that are stored."""
    database = config["database"]
    if "dsn" in database:
        with psycopg.connect(database["dsn"]) as connection:
            return [row[0] for row in connection.execute("SELECT text FROM answers")]
    engine = create_engine(f"sqlite:///{database['path']}")
    with engine.connect() as opened:
        found = [row[0] for row in opened.execute(text("SELECT text FROM answers"))]
    engine.dispose()
    return found


async def put(service: MemoryService) -> list[Job]:
    """Write all chats down as jobs, of two users."""
    return [
        await service.memorize(
            messages=lines, resource_url=f"chat {n}", user=("ann", "bob")[n % 2], wait=False
        )
        for n, lines in enumerate(CHATS)
    ]


async def ended(service: MemoryService, made: Sequence[Job]) -> list[Job]:
    done = [await service.jobs.get(job.id, user=job.scope.user) for job in made]
    while not all(job.ended for job in done):
        await asyncio.sleep(0.05)
        done = [await service.jobs.get(job.id, user=job.scope.user) for job in made]
    return done


def told(job: Job) -> Any:
    """Return what a job gave, without ids."""
    result = dict(job.result or {})
    outcomes = [(one["ordinal"], one["status"]) for one in result.pop("outcomes")]
    result.pop("resource_id")
    return job.status, outcomes, result


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    if request.param == "sqlite":
        return {"backend": "sqlite", "path": str(tmp_path / "memu.db")}
    return {"backend": "postgres", "dsn": request.getfixturevalue("dsn")}


@pytest.mark.timeout(600)
async def test_each_job_ends_once_and_no_answer_that_is_kept_is_paid_again(
    database: dict[str, Any], tmp_path: Path
) -> None:
    ledger, rng = Ledger(), random.Random(7)
    async with ScriptedServer() as server:
        server.route(CHAT, ledger.answer)
        jobs = {"workers": 0, "lease_s": 3, "poll_s": 0.05, "backoff_s": 0, "max_attempts": 50}
        blobs = {"root": str(tmp_path / "blobs")}
        config = {**asking(server.base_url, jobs=jobs), "database": database, "blobs": blobs}
        async with MemoryService(config) as asker, Nursery(config) as workers:
            made = await put(asker)
            stored = list[tuple[int, list[str]]]()
            for _ in range(KILLS):
                await workers.begin()
                await ledger.until(len(ledger.asked) + rng.randint(1, 4))
                await asyncio.sleep(rng.random() / 10)
                await workers.kill()
                stored.append((len(ledger.asked), await asyncio.to_thread(kept, config)))
            await workers.begin()
            done = await ended(asker, made)
            await workers.kill()
            questions = list(ledger.asked)
            async with MemoryService({**config, "database": {"backend": "memory"}, "blobs": {}}) as calm:
                undisturbed = await put(calm)
                await calm.work(once=True)
                whole = await ended(calm, undisturbed)
            assert await asker.integrity() == []
            stats = await asker.stats()

    assert [told(job) for job in done] == [told(job) for job in whole]
    assert stats["runs"] == stats["resources"] == len(CHATS)
    assert stats["items"] == LINES
    assert max(job.attempts for job in done) > 1
    again = [
        (n, one) for count, answers in stored for n, one in enumerate(questions[count:]) if said(one, answers)
    ]
    assert again == []


def said(question: str, answers: Sequence[str]) -> bool:
    return any(question in one for one in answers)
