"""The service on PostgreSQL: only the configuration changes."""

from pathlib import Path
from typing import Any

from cli_kit import Memu

from memu_py import MemoryService
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.registry import Registry

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
