"""Row-level security: the server itself shows a connection only whose rows it asks for."""

import contextlib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from service_kit import hashing
from sqlalchemy import Engine, event

from memu_py import MemoryService
from memu_py.config.load import load_settings
from memu_py.errors import ConfigError
from memu_py.records.scope import Scope
from memu_py.service.copying import copy_memory
from memu_py.storage.bulk import BULK
from memu_py.storage.factory import build_store
from memu_py.storage.migrating import migrate
from memu_py.storage.settings import StoreSettings
from memu_py.storage.tables import PARTITIONED
from memu_py.workflow.registry import Registry

MESSAGES = [
    {"role": "user", "name": "Ann", "content": f"I bought the cello number {n}."} for n in range(2 * BULK)
]


def register(registry: Registry) -> None:
    """Make this module a plug-in with an embedder that needs no model."""
    registry.add("embedder", "words", hashing)


@pytest.fixture
def owned(dsn: str) -> Iterator[str]:
    """The address of an empty database whose owner is no superuser, as that owner."""
    owner, name = f"memu_{uuid.uuid4().hex}", conninfo_to_dict(dsn)["dbname"]
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute(f"CREATE ROLE {owner} LOGIN NOSUPERUSER PASSWORD 'secret'".encode())
        connection.execute(f"ALTER DATABASE {name} OWNER TO {owner}".encode())
        connection.execute(f"ALTER SCHEMA public OWNER TO {owner}".encode())
    yield make_conninfo(dsn, user=owner, password="secret")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"REASSIGN OWNED BY {owner} TO CURRENT_USER".encode())
        connection.execute(f"DROP OWNED BY {owner}".encode())
        connection.execute(f"DROP ROLE {owner}".encode())


def config(dsn: str, tmp_path: Path, *, on: bool = True) -> dict[str, Any]:
    return {
        "database": {"backend": "postgres", "dsn": dsn, "row_level_security": on},
        "blobs": {"root": str(tmp_path / "blobs")},
        "embedding": {"backend": "words"},
        # No insight comes in between by itself.
        "reflect": {"every_items": 0},
        "plugins": [__name__],
    }


def settings(dsn: str, *, on: bool = True) -> StoreSettings:
    return StoreSettings(backend="postgres", dsn=dsn, row_level_security=on)


async def fill(dsn: str, tmp_path: Path) -> None:
    async with MemoryService(config(dsn, tmp_path)) as service:
        await service.memorize(messages=MESSAGES, user="ann")
        await service.memorize(text="Bob likes milk.", user="bob")


def seen(connection: psycopg.Connection, partition: str | None = None) -> dict[str, set[bytes]]:
    """Return whose rows each table shows."""
    with connection.transaction():
        if partition is not None:
            connection.execute("SELECT set_config('memu.partition', %s, true)", [partition])
        return {
            table.name: {
                row[0] for row in connection.execute(f"SELECT partition_hash FROM {table.name}".encode())
            }
            for table in PARTITIONED
        }


async def test_a_connection_sees_the_rows_of_whom_it_names_and_no_others(owned: str, tmp_path: Path) -> None:
    await fill(owned, tmp_path)
    ann, bob = Scope(user="ann").partition_hash, Scope(user="bob").partition_hash
    with psycopg.connect(owned) as connection:
        assert set().union(*seen(connection).values()) == set()
        assert set().union(*seen(connection, "").values()) == set()
        assert set().union(*seen(connection, bob.hex()).values()) == {bob}
        assert {"items", "item_vectors", "sources", "changes", "segments"} <= {
            name for name, found in seen(connection, ann.hex()).items() if found == {ann}
        }
        assert seen(connection, "*")["items"] == {ann, bob}


async def test_a_connection_writes_only_for_whom_it_names(owned: str, tmp_path: Path) -> None:
    await fill(owned, tmp_path)
    ann, bob = Scope(user="ann").partition_hash, Scope(user="bob").partition_hash
    with psycopg.connect(owned) as connection:
        with connection.transaction():
            connection.execute("SELECT set_config('memu.partition', %s, true)", [bob.hex()])
            assert (
                connection.execute("UPDATE items SET text = 'x' WHERE partition_hash = %s", [ann]).rowcount
                == 0
            )
            assert connection.execute("DELETE FROM items WHERE partition_hash = %s", [ann]).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute("SELECT set_config('memu.partition', %s, true)", [bob.hex()])
            connection.execute(
                "INSERT INTO embedding_cache (partition_hash, partition, key, vector) VALUES (%s, 'x', 'x', '[1]')",
                [ann],
            )


async def test_tickets_of_jobs_are_held_too_and_workers_do_their_work(owned: str, tmp_path: Path) -> None:
    idle = config(owned, tmp_path) | {"jobs": {"workers": 0}}
    async with MemoryService(idle) as asking, MemoryService(config(owned, tmp_path)) as working:
        made = [await asking.memorize(text="Tea is fine.", user=user, wait=False) for user in ("ann", "bob")]
        ann = made[0].scope.partition_hash.hex()
        with psycopg.connect(owned) as connection:
            assert [tickets(connection, whose) for whose in (None, ann, "*")] == [0, 1, 2]
        for job in made:
            assert (await working.jobs.wait(job.id, user=job.scope.user)).status == "done"


def tickets(connection: psycopg.Connection, partition: str | None) -> int:
    """Return how many tickets a connection sees."""
    with connection.transaction():
        if partition is not None:
            connection.execute("SELECT set_config('memu.partition', %s, true)", [partition])
        found = connection.execute("SELECT count(*) FROM memu_jobs.procrastinate_jobs").fetchone()
        assert found is not None
        return int(found[0])


@contextlib.contextmanager
def told() -> Iterator[set[str]]:
    """Collect whose rows transactions are about; `meta`, which is about nobody, is asked by any."""
    found: set[str] = set()
    about: dict[int, str] = {}

    def hear(*given: Any) -> None:
        connection, statement = id(given[0]), given[2]
        if "SET LOCAL memu.partition" in statement:
            about[connection] = statement.split("'")[1]
        elif "FROM meta" not in statement:
            found.add(about[connection])

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


async def test_the_service_works_and_asks_for_nobody_else(owned: str, tmp_path: Path) -> None:
    await fill(owned, tmp_path)
    ann = Scope(user="ann").partition_hash
    async with MemoryService(config(owned, tmp_path)) as service:
        await service.retrieve("Who bought a cello?", user="ann")
        with told() as whose:
            result = await service.retrieve("Who bought the cello number 3?", user="ann")
            assert " number 3." in result.items[0].record.text
            item = await service.create_item("Ann likes tea.", user="ann")
            await service.update_item(item.id, {"importance": 3}, user="ann")
            assert await service.count_items(user="ann") == len(MESSAGES) + 1
            assert await service.history(item.id, user="ann")
            assert (await service.list_categories(user="ann")).records
            await service.delete_item(item.id, user="ann")
        assert whose == {ann.hex()}
        assert await service.count_items(user="bob") == 1
        await service.clear(user="ann")
        assert await service.count_items(user="ann") == 0
        assert await service.count_items(user="bob") == 1


async def test_the_whole_database_is_checked_copied_and_migrated(
    owned: str, dsn: str, tmp_path: Path
) -> None:
    await fill(owned, tmp_path)
    store = build_store(settings(owned))
    await store.open()
    assert await store.maintenance.integrity() == []
    assert len(await store.maintenance.scan_items(None, 500)) == len(MESSAGES) + 1
    await store.close()
    target = {"database": {"backend": "sqlite", "path": str(tmp_path / "out.db")}}

    copied = await copy_memory(load_settings(config(owned, tmp_path)), load_settings(target))

    assert {one.table: one.rows for one in copied.tables}["items"] == len(MESSAGES) + 1
    await migrate(settings(owned, on=False))
    with psycopg.connect(owned) as connection:
        assert len(seen(connection)["items"]) == 2
    await migrate(settings(owned))
    with psycopg.connect(owned) as connection:
        assert seen(connection)["items"] == set()


async def test_a_wall_that_holds_nobody_is_told(owned: str, dsn: str, tmp_path: Path) -> None:
    await fill(owned, tmp_path)

    with pytest.raises(ConfigError, match="is a superuser, or may bypass it"):
        await build_store(settings(dsn)).open()
    with pytest.raises(ConfigError, match=r"`database\.row_level_security` is off"):
        await build_store(settings(owned, on=False)).open()
    await migrate(settings(owned, on=False))
    with pytest.raises(ConfigError, match="has no row-level security"):
        await build_store(settings(owned)).open()
