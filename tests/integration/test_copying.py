"""All memories go from one database to another, and answer as before."""

import asyncio
import datetime
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli_kit import Memu
from service_kit import hashing
from sqlalchemy import create_engine, text

from memu_py import MemoryService
from memu_py.config.load import load_settings
from memu_py.config.settings import Settings
from memu_py.errors import ConfigError, StoreError
from memu_py.records.scope import Scope
from memu_py.service.copying import Copied, copy_memory
from memu_py.storage import copying
from memu_py.storage.raw_rows import TABLES
from memu_py.workflow.registry import Registry

ODD = "Zoë *%_'\"🫖 a\\b\u00a0c"
START = datetime.datetime(2026, 3, 1, 9, tzinfo=datetime.UTC)
QUESTIONS = ("Who bought the cello?", "咖啡", "What does Leo like?", "Lisbon")
KILLED = """
import asyncio, os, sys
from memu_py.config.load import load_settings
from memu_py.records.scope import Scope
from memu_py.service.copying import copy_memory
from memu_py.storage import copying

copying.PAGE = 7

def progress(table, done, total):
    if table == "item_vectors" and done >= 14:
        os.kill(os.getpid(), int(sys.argv[3]))

source, target = (load_settings(text) for text in sys.argv[1:3])
asyncio.run(copy_memory(source, target, progress=progress))
"""


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", hashing)


def sqlite(folder: Path, name: str = "memu.db") -> dict[str, Any]:
    return {"database": {"backend": "sqlite", "path": str(folder / name)}}


def postgres(dsn: str, folder: Path) -> dict[str, Any]:
    return {"database": {"backend": "postgres", "dsn": dsn}, "blobs": {"root": str(folder / "there")}}


def settings(config: dict[str, Any]) -> Settings:
    # No thoughts of its own while it is compared.
    quiet = {"reflect": {"every_items": 0}}
    return load_settings({**config, **quiet, "embedding": {"backend": "words"}, "plugins": [__name__]})


async def fill(source: Settings) -> None:
    async with MemoryService(source) as service:
        for user in ("ann", "小明", ODD):
            said = [
                {
                    "role": "user",
                    "name": ("Ann", "Leo")[n % 2],
                    "content": f"{('Leo likes tea', 'I bought the cello', '我喜欢喝咖啡', 'We fly to Lisbon')[n % 4]} "
                    f"number {n}, for {user}.",
                    "created_at": (START + datetime.timedelta(hours=n)).isoformat(),
                }
                for n in range(20)
            ]
            await service.memorize(messages=said, user=user, agent="coach", session="s/1")
            birthday = {"text": "Birthday on May 3rd 🎂", "metadata": {"深": [1, 2.5, None, True]}}
            await service.create_item(birthday, user=user)
            (item, *_) = (await service.list_items(user=user)).records
            await service.update_item(item.id, {"importance": 7.5}, user=user)
            await service.delete_item((await service.list_items(user=user, limit=3)).records[2].id, user=user)


async def answers(where: Settings) -> list[Any]:
    async with MemoryService(where) as service:
        found: list[Any] = []
        for user in ("ann", "小明", ODD):
            page = await service.list_items(user=user, limit=500)
            # To ask is counted.
            items = (item.evolve(access_count=0, last_accessed_at=None) for item in page)
            found.append(sorted(items, key=lambda item: item.id))
            for question in QUESTIONS:
                result = await service.retrieve(question, user=user, now=START, top_k=1, profile="similarity")
                found.append([hit.record.id for hit in result.items])
            found.append(
                [category.summary for category in (await service.list_categories(user=user)).records]
            )
        found.append(
            await service.maintenance_integrity() if hasattr(service, "maintenance_integrity") else []
        )
        return found


async def copied(source: Settings, target: Settings) -> Copied:
    return await copy_memory(source, target)


@pytest.fixture
async def source(tmp_path: Path) -> Settings:
    found = settings(sqlite(tmp_path))
    await fill(found)
    return found


async def test_there_and_back_the_answers_are_the_same(
    source: Settings, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE", 7)
    before = await answers(source)
    there, back = settings(postgres(dsn, tmp_path)), settings(sqlite(tmp_path / "back"))

    sent = await copied(source, there)
    returned = await copied(there, back)

    assert {one.table for one in sent.tables} == {table.name for table in TABLES}
    assert sum(one.rows for one in sent.tables) > 300
    assert sent.originals == 3
    assert not sent.lost
    assert returned.tables == sent.tables
    assert await answers(there) == before
    assert await answers(back) == before


async def test_numbers_of_the_log_go_on_where_they_were(source: Settings, dsn: str, tmp_path: Path) -> None:
    there, back = settings(postgres(dsn, tmp_path)), settings(sqlite(tmp_path / "back"))
    await copied(source, there)
    await copied(there, back)

    last = []
    for where in (source, there, back):
        async with MemoryService(where) as service:
            item = await service.create_item("One more.", user="ann")
            (change,) = await service.history(item.id, user="ann")
            last.append(change.seq)
    assert last == [last[0]] * 3


async def test_a_copy_that_is_there_is_no_error_and_another_database_is_left_alone(
    source: Settings, tmp_path: Path
) -> None:
    other = settings(sqlite(tmp_path / "other"))
    first = await copied(source, other)

    assert (await copied(source, other)).tables == first.tables
    async with MemoryService(other) as service:
        await service.create_item("Something of its own.", user="ann")
    with pytest.raises(StoreError, match=r"holds something else already, in .*items"):
        await copied(source, other)
    async with MemoryService(other) as service:
        assert await service.list_items(user="ann", where={"text": "Something of its own."})


def killed(source: str, target: str, by: signal.Signals = signal.SIGKILL) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, source, target, str(int(by))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -by, done.stderr


def as_text(where: dict[str, Any]) -> str:
    return "\n".join(
        f"{section}: {{{', '.join(f'{key}: {value!r}' for key, value in keys.items())}}}"
        for section, keys in where.items()
    )


@pytest.mark.parametrize(
    ("backend", "by"),
    [("postgres", signal.SIGKILL), ("sqlite", signal.SIGKILL), ("postgres", signal.SIGINT)],
)
async def test_a_copy_that_was_killed_goes_on(
    source: Settings,
    dsn: str,
    tmp_path: Path,
    backend: str,
    by: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = postgres(dsn, tmp_path) if backend == "postgres" else sqlite(tmp_path / "other")
    await asyncio.to_thread(killed, as_text(sqlite(tmp_path)), as_text(where), by)
    there, stranger = settings(where), settings(sqlite(tmp_path / "stranger"))
    await fill(stranger)

    with pytest.raises(StoreError, match="under way, or was cut off"):
        await answers(there)
    with pytest.raises(StoreError, match="was cut off"):
        await copied(stranger, there)
    with pytest.raises(StoreError, match="under way, or was cut off"):
        await copied(there, settings(sqlite(tmp_path / "third")))
    monkeypatch.setattr(copying, "PAGE", 7)
    told: list[tuple[str, int]] = []
    await copy_memory(source, there, progress=lambda table, done, _: told.append((table, done)))

    assert next((done for table, done in told if table == "item_vectors"), 21) >= 21
    assert "items" not in {table for table, _ in told}
    assert await answers(there) == await answers(source)


async def test_a_row_that_is_not_what_was_sent_is_found_and_the_copy_begins_anew(
    source: Settings, dsn: str, tmp_path: Path
) -> None:
    there = settings(postgres(dsn, tmp_path))
    await asyncio.to_thread(killed, as_text(sqlite(tmp_path)), as_text(postgres(dsn, tmp_path)))
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("UPDATE items SET text = text || '!' WHERE id = (SELECT min(id) FROM items)")

    with pytest.raises(StoreError, match="differs from what was sent, in items"):
        await copied(source, there)
    with pytest.raises(StoreError, match="cut off"):
        await answers(there)

    await copied(source, there)
    assert await answers(there) == await answers(source)


async def test_what_was_written_meanwhile_is_told(source: Settings, tmp_path: Path) -> None:
    there = settings(sqlite(tmp_path / "other"))
    engine = create_engine(f"sqlite:///{source.database.path}")

    def disturb(table: str, done: int, total: int) -> None:
        if table == "items":
            with engine.begin() as connection:
                connection.execute(text("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'changes'"))

    with pytest.raises(StoreError, match="wrote to the source while it was copied"):
        await copy_memory(source, there, progress=disturb)
    engine.dispose()
    await copied(source, there)
    assert await answers(there) == await answers(source)


async def test_keys_to_the_server_open_the_copy_and_a_database_that_has_some_is_left_alone(
    source: Settings, dsn: str, tmp_path: Path
) -> None:
    there, other = settings(postgres(dsn, tmp_path)), settings(sqlite(tmp_path / "other"))
    async with MemoryService(source) as service:
        opening, _ = await service.keys.create("app", scope=Scope(user="ann"))
        revoked, key = await service.keys.create("old")
        await service.keys.revoke(key.id)
        keys = await service.keys.list()
    async with MemoryService(other) as service:
        own, _ = await service.keys.create("its own")

    await copied(source, there)
    with pytest.raises(StoreError, match=r"holds something else already, in .*api_keys"):
        await copied(source, other)

    async with MemoryService(there) as service:
        assert await service.keys.list() == keys
        assert await service.keys.find(opening) is not None
        assert await service.keys.find(revoked) is None
    async with MemoryService(other) as service:
        assert await service.keys.find(own) is not None


def apart(where: dict[str, Any], talks: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with a database of conversations, which are kept as they come."""
    return where | {"conversations": {"database": talks["database"], "auto_memorize": {"by": "close"}}}


async def test_conversations_with_a_database_of_their_own_are_copied_too(dsn: str, tmp_path: Path) -> None:
    here = settings(apart(sqlite(tmp_path), sqlite(tmp_path, "talks.db")))
    there = settings(apart(sqlite(tmp_path / "there"), postgres(dsn, tmp_path)))
    back = settings(apart(sqlite(tmp_path / "back"), postgres(dsn, tmp_path)))
    async with MemoryService(here) as service:
        await service.create_item("I like tea.", user="ann")
        await service.conversations.add("c", ["I like tea.", "我养了一只猫。"], user="ann")
        whole = await service.conversations.get("c", user="ann")
    told: list[str] = []

    sent = await copy_memory(here, there, progress=lambda table, *_: told.append(table))
    again = await copied(there, back)

    assert {one.table: one.rows for one in sent.conversations or ()}["messages"] == 2
    assert {one.table: one.rows for one in sent.tables}["messages"] == 0
    assert "conversations: messages" in told
    # Both keep conversations at one place: there is nothing to copy.
    assert again.conversations is None
    for where in (there, back):
        async with MemoryService(where) as service:
            assert await service.conversations.get("c", user="ann") == whole
            assert await service.count_items(user="ann") == 1


async def test_conversations_that_only_one_side_keeps_apart_are_told(tmp_path: Path) -> None:
    plain, other = settings(sqlite(tmp_path)), settings(sqlite(tmp_path / "other"))
    split = settings(apart(sqlite(tmp_path), sqlite(tmp_path, "talks.db")))
    async with MemoryService(split) as service:
        await service.conversations.add("c", ["I like tea."], user="ann")

    with pytest.raises(ConfigError, match="the source keeps conversations in a database of their own"):
        await copied(split, other)
    with pytest.raises(ConfigError, match="the target keeps conversations in a database of their own"):
        await copied(plain, settings(apart(sqlite(tmp_path / "other"), sqlite(tmp_path, "more.db"))))
    assert not (tmp_path / "other").exists()
    same = settings(apart(sqlite(tmp_path), sqlite(tmp_path)))
    assert (await copied(same, other)).conversations is None


async def test_wrong_ends_are_told(tmp_path: Path) -> None:
    here = settings(sqlite(tmp_path))
    with pytest.raises(ConfigError, match="is not there"):
        await copied(here, settings(sqlite(tmp_path, "other.db")))
    assert not (tmp_path / "memu.db").exists()
    with pytest.raises(ConfigError, match="both where from and where to"):
        await copied(here, here)
    with pytest.raises(ConfigError, match="in memory"):
        await copied(settings({"database": {"backend": "memory"}}), here)


async def test_the_command(
    source: Settings, dsn: str, tmp_path: Path, memu: Memu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = f"postgresql:{dsn}"

    def commands() -> list[tuple[int, str, str]]:
        return [
            memu("copy", "--from", "sqlite:memu.db", "--to", address, "--blobs-to", "originals"),
            memu("copy", "--from", address, "--blobs-from", "originals", "--to", "sqlite:back.db", "--json"),
            memu("copy", "--from", "mysql:memu", "--to", address),
        ]

    (there, out, _), (back, document, _), (wrong, _, error) = await asyncio.to_thread(commands)

    assert (there, back, wrong) == (0, 0, 1)
    assert "both sides hold the same" in out
    assert "Copied 3 originals." in out
    assert '"table": "items"' in document
    assert "names no database" in error
    assert await answers(settings(sqlite(tmp_path, "back.db"))) == await answers(source)
