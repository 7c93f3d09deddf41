"""memorize(wait=False): what a job stores, tells, refuses, and how it is stopped, tried again and erased."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jobs_kit
import pytest
from service_kit import NOW, texts

from memu_py import MemoryService, SyncMemoryService
from memu_py.errors import (
    AccessDenied,
    Conflict,
    InvalidFilter,
    InvalidInput,
    NotFound,
    ScopeRequired,
    UnsupportedModality,
)
from memu_py.records.job import Job
from memu_py.records.scope import Scope

CHAT: list[dict[str, Any]] = [
    {
        "role": "user",
        "name": "Ann",
        "content": "I moved to Lisbon.",
        "created_at": datetime(2024, 5, 1, tzinfo=UTC),
    },
    {"role": "user", "name": "Ann", "content": "Hello!"},
    {"role": "user", "name": "Ann", "content": "I moved to Lisbon."},
]


def config(*steps: Any, path: Path | None = None, **jobs: Any) -> dict[str, Any]:
    return jobs_kit.config(path, *steps, **jobs)


@pytest.fixture
async def service() -> AsyncIterator[MemoryService]:
    async with MemoryService(config(), clock=lambda: NOW) as opened:
        yield opened


async def ended(service: MemoryService, job: Job, user: str = "ann") -> Job:
    return await service.jobs.wait(job.id, user=user, timeout_s=30)


# What is stored and told


async def test_a_job_tells_what_became_of_each_message(service: MemoryService) -> None:
    job = await service.memorize(messages=CHAT, user="ann", wait=False)
    assert (job.status, job.kind, job.scope) == ("queued", "memorize", Scope(user="ann"))
    done = await ended(service, job)
    (item,) = await service.list_items(user="ann")
    assert done.status == "done"
    assert done.result == {
        "resource_id": item.sources[0].resource_id,
        "unchanged": False,
        "added": 1,
        "reinforced": 0,
        "skipped": 1,
        "failed": 0,
        "outcomes": [
            {"ordinal": 0, "status": "stored", "item_id": item.id},
            {"ordinal": 1, "status": "skipped", "reason": "no content: greeting"},
            {"ordinal": 2, "status": "reinforced", "item_id": item.id},
        ],
    }
    again = await ended(service, await service.memorize(messages=CHAT, user="ann", wait=False))
    assert again.result is not None
    assert (again.result["unchanged"], again.result["outcomes"]) == (True, [])
    assert again.result["resource_id"] == done.result["resource_id"]


async def test_what_failed_and_what_was_said_before_is_told(service: MemoryService) -> None:
    known = await service.create_item("Ann owns a boat.", user="ann")
    broken = {"use": "break_segments", "with": {"containing": "tea"}}
    service.workflows["memorize"].insert_before("extract_entities", broken)
    job = await service.memorize(messages=["Ann owns a boat.", "Ann likes tea."], user="ann", wait=False)
    done = await ended(service, job)
    assert done.result is not None
    assert done.result["outcomes"] == [
        {"ordinal": 0, "status": "reinforced", "item_id": known.id},
        {"ordinal": 1, "status": "failed", "reason": "the model is away"},
    ]
    assert (done.result["reinforced"], done.result["failed"]) == (1, 1)


@pytest.mark.parametrize(
    "given",
    [
        {"text": "Ann likes \ud800 tea.\0 She owns a boat."},
        {"text": "# Boats\n\nAnn owns a red boat.", "resource_url": "notes/boat.md", "modality": "text"},
        {"messages": CHAT, "resource_url": "chat 7", "timezone": "Asia/Shanghai"},
        {"messages": ["Ann likes \ud800 tea."]},
        {"data": "Ann: I own a boat.\nLeo: I like tea.".encode("utf-16")},
        {"resource_url": "data:text/plain;charset=latin-1;base64,QW5uIGxpa2VzIGNhZukgYXUgbGFpdC4="},
        {"text": "Ann likes tea.", "metadata": {"topic": ["tea"]}, "infer": False},
    ],
    ids=["text", "named", "messages", "surrogate", "bytes", "data-url", "metadata"],
)
async def test_a_job_stores_what_a_direct_call_stores(given: dict[str, Any], service: MemoryService) -> None:
    direct = await service.memorize(**given, user="bob")
    done = await ended(service, await service.memorize(**given, user="ann", wait=False))
    assert done.error is None
    assert done.result is not None
    resource = await service.get_resource(done.result["resource_id"], user="ann")
    for name in ("url", "modality", "media_type", "title", "content_hash", "size", "metadata", "status"):
        assert getattr(resource, name) == getattr(direct.resource, name), name
    ours, theirs = await service.list_items(user="ann"), await service.list_items(user="bob")
    assert [(one.text, one.said_at, one.metadata) for one in ours] == [
        (one.text, one.said_at, one.metadata) for one in theirs
    ]
    assert len(ours) > 0


async def test_a_file_is_read_when_the_job_is_made(
    service: MemoryService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with MemoryService(config(workers=0), clock=lambda: NOW) as idle:
        note = tmp_path / "note.md"
        note.write_text("# Boats\n\nAnn owns a red boat.\n")
        job = await idle.memorize(resource_url="note.md", user="ann", wait=False)
        note.unlink()
        monkeypatch.chdir("/")
        assert (await idle.jobs.get(job.id, user="ann")).status == "queued"
        assert await idle.work(once=True) == 1
        done = await idle.jobs.get(job.id, user="ann")
        assert done.result is not None
        resource = await idle.get_resource(done.result["resource_id"], user="ann")
        assert (resource.url, resource.modality) == (note.as_uri(), "markdown")
        assert (done.size, done.payload) == (resource.size, {})


async def test_a_kept_conversation_is_taken_as_it_is_when_the_job_begins(service: MemoryService) -> None:
    async with MemoryService(config(workers=0), clock=lambda: NOW) as idle:
        await idle.conversations.add("c", ["Ann likes tea."], user="ann")
        job = await idle.memorize(resource_url="conversation://c", user="ann", wait=False)
        assert (job.content, job.size) == (None, 0)
        await idle.conversations.add("c", ["Ann likes tea.", "Ann owns a boat."], user="ann")
        await idle.work(once=True)
        assert (await idle.jobs.get(job.id, user="ann")).status == "done"
        assert await texts(idle) == ["Ann likes tea.", "Ann owns a boat."]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"text": "x", "progress": print}, InvalidInput, "progress callback"),
        ({}, InvalidInput, "nothing to memorize"),
        ({"text": "a", "data": b"b"}, InvalidInput, "one content"),
        ({"text": " "}, InvalidInput, "empty"),
        ({"messages": [{"content": print}]}, InvalidInput, "JSON"),
        ({"text": "x", "metadata": {"f": print}}, InvalidInput, "plain JSON"),
        ({"text": "x", "modality": "txt"}, UnsupportedModality, "did you mean"),
        ({"data": b"\x7fELF" + bytes(20)}, UnsupportedModality, "a program"),
        ({"resource_url": "/etc/passwd"}, AccessDenied, "allowed"),
        ({"resource_url": "conversation://none"}, NotFound, "no conversation"),
        ({"text": "x", "timezone": "Mars"}, InvalidInput, "Mars"),
    ],
)
async def test_what_is_wrong_with_a_call_is_told_at_the_call(
    given: dict[str, Any], error: type[Exception], message: str, service: MemoryService
) -> None:
    with pytest.raises(error, match=message):
        await service.memorize(**given, user="ann", wait=False)
    with pytest.raises(ScopeRequired):
        await service.memorize(text="x", wait=False)
    assert len(await service.jobs.list(user="ann")) == 0


async def test_a_run_is_one_job_and_one_memory(service: MemoryService) -> None:
    made = await asyncio.gather(
        *(service.memorize(text=f"Ann owns {n} boats.", user="ann", run_id="r", wait=False) for n in range(3))
    )
    assert len({job.id for job in made}) == 1
    await ended(service, made[0])
    assert len(await texts(service)) == 1
    assert (await service.memorize(text="x", user="ann", run_id="r")).unchanged
    await service.memorize(text="Ann likes tea.", user="ann", run_id="direct")
    late = await ended(service, await service.memorize(text="y", user="ann", run_id="direct", wait=False))
    assert late.result is not None
    assert (late.result["unchanged"], late.result["added"]) == (True, 0)
    assert len(await texts(service)) == 2


# Whose it is


async def test_a_job_of_somebody_else_is_not_found(service: MemoryService) -> None:
    job = await service.memorize(text="Ann likes tea.", user="ann", session="one", wait=False)
    await ended(service, job)
    for view in (service.for_user("bob"), service.for_user("ann", session="two")):
        for call in (view.jobs.get, view.jobs.wait, view.jobs.cancel, view.jobs.retry):
            with pytest.raises(NotFound, match="no job"):
                await call(job.id)
        assert len(await view.jobs.list()) == 0
    assert await service.for_user("ann").jobs.get(job.id) == await service.jobs.get(job.id, user="ann")
    with pytest.raises(ScopeRequired):
        await service.jobs.get(job.id)
    assert [one.id for one in await service.jobs.list(user="ann", status="done")] == [job.id]
    assert len(await service.jobs.list(user="ann", status="done", where={"kind": "other"})) == 0
    with pytest.raises(InvalidFilter):
        await service.jobs.list(user="ann", where={"payload": "x"})


def test_the_facade_has_the_same_calls() -> None:
    with SyncMemoryService(config()) as service:
        ann = service.for_user("ann")
        job = ann.memorize(text="Ann likes tea.", wait=False)
        done = ann.jobs.wait(job.id)
        assert done.status == "done"
        assert ann.jobs.list()[0] == done
        with pytest.raises(Conflict, match="it is done"):
            ann.jobs.cancel(job.id)
        with pytest.raises(Conflict, match="it is done"):
            ann.jobs.retry(job.id)
        with pytest.raises(NotFound):
            service.jobs.get(job.id, user="bob")


# Stopping, failing, erasing


async def test_a_running_job_that_is_cancelled_stores_nothing_and_may_be_tried_again() -> None:
    door = jobs_kit.gate("cancel")
    async with MemoryService(config({"use": "hold", "with": {"gate": "cancel"}})) as service:
        job = await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        assert await door.here.get() == job.run_id
        waiting = await service.memorize(text="Ann owns a boat.", user="ann", wait=False)
        for one in (waiting, job):
            assert (await service.jobs.cancel(one.id, user="ann")).status == "cancelled"
        door.open.set()
        assert (await service.jobs.wait(job.id, user="ann")).status == "cancelled"
        assert await texts(service) == []
        await service.jobs.retry(job.id, user="ann")
        assert (await ended(service, job)).status == "done"
        assert await texts(service) == ["Ann likes tea."]


async def test_a_job_of_another_process_that_is_cancelled_cannot_write(tmp_path: Path) -> None:
    door = jobs_kit.gate("elsewhere")
    held = config({"use": "hold", "with": {"gate": "elsewhere"}}, path=tmp_path / "memu.db")
    async with (
        MemoryService(held) as service,
        MemoryService(config(path=tmp_path / "memu.db", workers=0)) as other,
    ):
        job = await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        await door.here.get()
        with pytest.raises(Conflict, match="it is running"):
            await other.jobs.retry(job.id, user="ann")
        await other.jobs.cancel(job.id, user="ann")
        door.open.set()
        await service.work(once=True)
        assert (await other.jobs.get(job.id, user="ann")).status == "cancelled"
        assert await texts(other) == []


async def test_a_job_that_has_stored_what_it_found_is_not_cancelled() -> None:
    door = jobs_kit.gate("late")
    async with MemoryService(config(workers=1)) as service:
        service.workflows["memorize"].insert_after(
            "persist", {"use": "hold_written", "with": {"gate": "late"}}
        )
        job = await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        await door.here.get()
        with pytest.raises(Conflict, match="stored already"):
            await service.jobs.cancel(job.id, user="ann")
        door.open.set()
        assert (await ended(service, job)).status == "done"


@pytest.mark.parametrize("session", [None, "s"])
async def test_clear_takes_jobs_that_wait_or_run_along(session: str | None) -> None:
    door = jobs_kit.gate("clear")
    async with MemoryService(config({"use": "hold", "with": {"gate": "clear"}})) as service:
        running = await service.memorize(text="Ann likes tea.", user="ann", session="s", wait=False)
        await door.here.get()
        waiting = await service.memorize(text="Ann owns a boat.", user="ann", session="s", wait=False)
        await service.clear(user="ann", session=session)
        door.open.set()
        for job in (running, waiting):
            with pytest.raises(NotFound):
                await service.jobs.wait(job.id, user="ann")
        await service.work(once=True)
        assert await service.count_items(user="ann") == 0
        stats = await service.stats()
        assert [stats[name] for name in ("jobs", "runs", "items", "resources", "embedding_cache")] == [0] * 5
        assert await service.sweep() == 0
        again = await service.memorize(text="Ann likes tea.", user="ann", session="s", wait=False)
        assert (await ended(service, again)).status == "done"


async def test_clear_in_another_process_keeps_a_running_job_from_writing(tmp_path: Path) -> None:
    door = jobs_kit.gate("far")
    held = config({"use": "hold", "with": {"gate": "far"}}, path=tmp_path / "memu.db")
    async with (
        MemoryService(held) as service,
        MemoryService(config(path=tmp_path / "memu.db", workers=0)) as other,
    ):
        await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        await door.here.get()
        await other.clear(user="ann")
        door.open.set()
        await service.work(once=True)
        assert await texts(other) == []
        assert len(await other.jobs.list(user="ann")) == 0


async def test_a_job_that_failed_is_tried_again_by_itself_and_then_by_hand() -> None:
    door = jobs_kit.gate("flaky")
    door.open.set()
    steps = {"use": "hold", "with": {"gate": "flaky"}}
    async with MemoryService(config(steps, max_attempts=2)) as service:
        door.broken = 1
        flaky = await ended(service, await service.memorize(text="Ann likes tea.", user="ann", wait=False))
        assert (flaky.status, flaky.attempts, flaky.error) == ("done", 2, None)
        door.broken = 2
        poisoned = await service.memorize(text="Ann owns a boat.", user="ann", wait=False)
        failed = await ended(service, poisoned)
        assert (failed.status, failed.attempts) == ("failed", 2)
        assert failed.error is not None
        assert (failed.error.type, failed.error.message) == ("ModelError", "the model is away")
        assert await texts(service) == ["Ann likes tea."]
        await service.jobs.retry(failed.id, user="ann")
        assert (await ended(service, failed)).status == "done"
        assert await texts(service) == ["Ann likes tea.", "Ann owns a boat."]


async def test_what_is_not_configured_fails_at_once_and_says_so(service: MemoryService) -> None:
    failed = await ended(service, await service.memorize(text="x", user="ann", infer=True, wait=False))
    assert (failed.status, failed.attempts) == ("failed", 1)
    assert failed.error is not None
    assert failed.error.type == "ConfigError"


async def test_waiting_ends_when_its_time_is_up() -> None:
    door = jobs_kit.gate("slow")
    async with MemoryService(config({"use": "hold", "with": {"gate": "slow"}}, drain_s=0)) as service:
        job = await service.memorize(text="Ann likes tea.", user="ann", wait=False)
        await door.here.get()
        assert (await service.jobs.wait(job.id, user="ann", timeout_s=0)).status == "running"
        assert (await service.jobs.wait(job.id, user="ann", timeout_s=0.01)).status == "running"


@pytest.mark.parametrize("concurrency", [0, 65])
async def test_so_many_at_the_same_time_are_refused(concurrency: int) -> None:
    async with MemoryService(config()) as service:
        with pytest.raises(InvalidInput, match="concurrency"):
            await service.work(once=True, concurrency=concurrency)
