"""The service on PostgreSQL: only the configuration changes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_kit import Memu

from memu_py import MemoryService
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.registry import Registry

LATER = datetime(2023, 6, 5, tzinfo=UTC)
MESSAGES = [
    {"role": "user", "name": "Ann", "content": "I moved to Lisbon in May 2023.", "created_at": "2023-06-01"},
    {
        "role": "user",
        "name": "Ben",
        "content": "My sister Carla plays the cello.",
        "created_at": "2023-06-02",
    },
    {
        "role": "user",
        "name": "Ann",
        "content": "I bought a red bicycle for the city.",
        "created_at": "2023-06-03",
    },
]


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", lambda settings: HashingEmbedder())


def config(dsn: str) -> dict[str, Any]:
    return {
        "database": {"backend": "postgres", "dsn": dsn},
        "embedding": {"backend": "words"},
        "plugins": [__name__],
    }


async def test_what_one_service_memorizes_another_finds(dsn: str, tmp_path: Path) -> None:
    settings = config(dsn) | {"blobs": {"root": str(tmp_path)}}
    async with MemoryService(settings) as writer, MemoryService(settings) as reader:
        assert not await reader.retrieve("Who plays the cello?", user="ann")
        first = await writer.memorize(messages=MESSAGES, user="ann")
        again = await writer.memorize(messages=MESSAGES, user="ann")
        found = await reader.retrieve("Who plays the cello?", user="ann")
        others = await reader.retrieve("Who plays the cello?", user="ben")

    assert len(first.added) == len(MESSAGES)
    assert again.unchanged
    assert found.items[0].record.text == "My sister Carla plays the cello."
    assert not others


async def test_jobs_are_done_by_whoever_works(dsn: str, tmp_path: Path) -> None:
    settings = config(dsn) | {"blobs": {"root": str(tmp_path)}, "jobs": {"poll_s": 0.05}}
    idle = settings | {"jobs": {"workers": 0}}
    async with MemoryService(idle) as asker, MemoryService(settings) as worker:
        job = await asker.memorize(messages=MESSAGES, user="ann", wait=False)
        await worker.retrieve("anything", user="ann")
        done = await worker.jobs.wait(job.id, user="ann")
        found = await asker.retrieve("Who plays the cello?", user="ann")

    assert done.status == "done"
    assert found.items[0].record.text == "My sister Carla plays the cello."


@pytest.mark.parametrize("backend", ["memory", "postgres"])
async def test_calls_that_name_a_session_or_an_original_see_it_and_nothing_else(
    request: pytest.FixtureRequest, tmp_path: Path, backend: str
) -> None:
    settings = config(request.getfixturevalue("dsn")) if backend == "postgres" else config("")
    if backend == "memory":
        settings |= {"database": {"backend": "memory"}}
    async with MemoryService(settings | {"blobs": {"root": str(tmp_path)}}) as service:
        for session, message in zip(("s1", "s2", "s3"), MESSAGES, strict=True):
            await service.memorize(messages=[message], user="ann", session=session)
        (cello,) = await service.list_resources(user="ann", session="s2")
        question = "Who plays the cello in Lisbon?"
        calls = [
            await service.retrieve(question, user="ann", session="s2"),
            await service.retrieve(question, user="ann", session="s2", around=False),
            await service.retrieve(question, user="ann", session="s2", where={"speaker": "Ben"}),
            await service.retrieve(question, user="ann", session="s2", as_of=LATER),
            await service.search(question, user="ann", session="s2"),
            await service.retrieve(question, user="ann", where={"resource_id": cello.id}),
            await service.retrieve(question, user="ann", where={"not": {"resource_id": {"ne": cello.id}}}),
        ]
        # What comes next is guessed from a session, too.
        await service.predict_intent("The cello", user="ann", session="s2")
        nothing = await service.retrieve(question, user="ann", session="s4")

    assert [[hit.record.text for hit in found.items] for found in calls] == [
        ["My sister Carla plays the cello."]
    ] * len(calls)
    assert not nothing.items


def test_the_command_line_needs_only_the_address(
    dsn: str, memu: Memu, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "config.yaml").write_text("database:\n  backend: postgres\n  dsn: ${MEMU_DSN}\n")
    (tmp_path / "note.txt").write_text(
        "Ann: I moved to Lisbon in May 2023.\nBen: My sister plays the cello.\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMU_DSN", dsn)

    assert memu("migrate")[1].startswith("Migrated from nothing")
    assert memu("memorize", "note.txt")[0] == 0
    code, out, _ = memu("retrieve", "Where does Ann live?", "--json")
    assert code == 0
    assert "Lisbon" in out
    code, out, _ = memu("doctor")
    assert code == 0
    assert "postgres: 2 items" in out
