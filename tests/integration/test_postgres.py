"""What a server brings that a file does not: addresses, outages, others at work, versions."""

import asyncio
import subprocess
import sys

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection

from memu_py.errors import ConfigError, SchemaMismatch, StoreBusy, StoreError, StoreUnreachable
from memu_py.storage.factory import build_store
from memu_py.storage.migrating import migrate, upgrade
from memu_py.storage.postgres_database import named, postgres_engine
from memu_py.storage.settings import StoreSettings
from memu_py.storage.setup import set_up, teach
from memu_py.storage.store import Store
from memu_py.storage.tables import HEAD, metadata
from memu_py.testing.store_samples import ANN, BOB, keep, stored

WRITERS, ROUNDS, PROCESSES = 6, 5, 3
WRITER = """
import asyncio, sys
from memu_py.storage.factory import build_store
from memu_py.storage.settings import StoreSettings
from memu_py.testing.store_samples import ANN, keep, stored

async def main(dsn, name, rounds):
    store = build_store(StoreSettings(backend="postgres", dsn=dsn))
    await store.open()
    for number in range(int(rounds)):
        await keep(store, ANN, stored(ANN, "likes tea"), stored(ANN, f"{name} says {number}"))
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def settings(dsn: str, *, busy_timeout_s: float = 30.0) -> StoreSettings:
    return StoreSettings(backend="postgres", dsn=dsn, busy_timeout_s=busy_timeout_s)


async def opened(dsn: str) -> Store:
    store = build_store(settings(dsn))
    await store.open()
    return store


def execute(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


async def test_writers_of_one_user_lose_nothing_and_their_log_is_in_order(dsn: str) -> None:
    store = await opened(dsn)

    async def write(name: int) -> None:
        for number in range(ROUNDS):
            await keep(store, ANN, stored(ANN, "likes tea"), stored(ANN, f"{name} says {number}"))

    seen: list[str] = []

    async def follow() -> None:
        at = 0
        while len(seen) < WRITERS * ROUNDS + 1:
            changed = await store.changed_items(ANN, at)
            assert changed is not None
            ids, at = changed
            seen.extend(one for one in ids if one not in seen)

    await asyncio.gather(follow(), *(write(name) for name in range(WRITERS)))

    assert await store.items.count(ANN) == WRITERS * ROUNDS + 1
    (shared,) = await store.items.ids(ANN, {"text": "likes tea"})
    assert (await store.items.get(ANN, [shared]))[shared].mentions == WRITERS * ROUNDS
    assert sorted(seen) == await store.items.ids(ANN)
    assert await store.maintenance.integrity() == []
    await store.close()


async def test_processes_on_one_new_database_lose_nothing(dsn: str) -> None:
    def write() -> None:
        command = [sys.executable, "-c", WRITER, dsn]
        running = [
            subprocess.Popen([*command, f"process {one}", str(ROUNDS)], stderr=subprocess.PIPE, text=True)
            for one in range(PROCESSES)
        ]
        errors = [process.communicate()[1] for process in running]
        assert [process.returncode for process in running] == [0] * PROCESSES, errors

    await asyncio.to_thread(write)
    store = await opened(dsn)

    assert await store.items.count(ANN) == PROCESSES * ROUNDS + 1
    assert await store.maintenance.integrity() == []
    await store.close()


async def test_a_writer_does_not_wait_for_those_of_other_users(dsn: str) -> None:
    store = build_store(settings(dsn, busy_timeout_s=0.2))
    await store.open()
    await keep(store, ANN, stored(ANN, "likes tea"))
    with psycopg.connect(dsn) as other:
        key = int.from_bytes(ANN.partition_hash[:8], "big", signed=True)
        other.execute("SELECT pg_advisory_lock(%s)", [key])

        with pytest.raises(StoreBusy, match="locked by other writers"):
            await keep(store, ANN, stored(ANN, "likes coffee"))
        await keep(store, BOB, stored(BOB, "likes milk"))

    assert await store.items.count(ANN) == 1
    assert await store.items.count(BOB) == 1
    await store.close()


async def test_a_server_that_was_started_again_is_used_again(dsn: str) -> None:
    store = await opened(dsn)
    await keep(store, ANN, stored(ANN, "likes tea"))
    name = conninfo_to_dict(dsn)["dbname"]
    # What a restart does to the connections of its clients.
    execute(
        make_conninfo(dsn, dbname="postgres"),
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
    )

    assert await store.items.count(ANN) == 1
    await keep(store, ANN, stored(ANN, "likes coffee"))
    assert await store.items.count(ANN) == 2
    await store.close()


async def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    store = build_store(settings("postgresql://ann:secret@127.0.0.1:1/memories?connect_timeout=2"))

    with pytest.raises(StoreUnreachable) as caught:
        await store.open()

    assert str(caught.value).startswith("database memories on 127.0.0.1 cannot be reached")
    assert "secret" not in str(caught.value)


def test_an_address_that_is_none_is_told_without_the_password() -> None:
    with pytest.raises(ConfigError) as caught:
        build_store(settings("postgresql://ann:secret@[::1/memories"))

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("dsn", "name"),
    [
        ("postgresql://ann@db.example:5433/memories", "database memories on db.example"),
        ("host=/run/postgresql dbname=memories", "database memories on /run/postgresql"),
        ("postgresql:///memories", "database memories on this machine"),
    ],
)
def test_addresses_of_every_form_are_read(dsn: str, name: str) -> None:
    assert named(dsn) == name


async def test_addresses_of_sqlalchemy_are_read(dsn: str) -> None:
    parts = conninfo_to_dict(dsn)
    store = await opened(f"postgresql+psycopg:///{parts['dbname']}?host={parts['host']}&user={parts['user']}")

    assert await store.items.count(ANN) == 0
    await store.close()


async def test_a_database_that_is_not_there_is_told(postgres: str) -> None:
    store = build_store(settings(make_conninfo(postgres, dbname="nowhere")))

    with pytest.raises(StoreError, match=r"database nowhere on .* lets nobody in: .*does not exist"):
        await store.open()


async def test_somebody_elses_tables_are_left_alone(dsn: str) -> None:
    execute(dsn, "CREATE TABLE customers (id int)")
    store = build_store(settings(dsn))

    with pytest.raises(StoreError, match="is not a memu database: it has the tables customers"):
        await store.open()


async def test_newer_and_older_databases_are_refused_and_older_ones_migrated(dsn: str) -> None:
    assert await migrate(settings(dsn)) == (None, HEAD)
    assert await migrate(settings(dsn)) == (HEAD, HEAD)
    execute(dsn, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(SchemaMismatch, match="newer version"):
        await opened(dsn)
    with pytest.raises(SchemaMismatch, match="newer version"):
        await migrate(settings(dsn))


def test_setting_up_equals_migrating(postgres: str, dsn: str) -> None:
    engine = postgres_engine(dsn, connections=1)
    with engine.connect() as connection:
        with connection.begin():
            set_up(connection)
        made = _catalogue(connection)
        with connection.begin():
            metadata.drop_all(connection)
            connection.exec_driver_sql("DROP TABLE alembic_version")
        with connection.begin():
            upgrade(connection)
            teach(connection)
        assert _catalogue(connection) == made
    engine.dispose()


def _catalogue(connection: Connection) -> list[tuple[object, ...]]:
    statement = """
        SELECT 'column', table_name, column_name, udt_name, is_nullable FROM information_schema.columns
        WHERE table_schema = 'public'
        UNION ALL SELECT 'index', tablename, indexname, indexdef, '' FROM pg_indexes WHERE schemaname = 'public'
        ORDER BY 1, 2, 3
    """
    with connection.begin():
        return [tuple(row) for row in connection.exec_driver_sql(statement)]


async def test_no_row_of_an_erased_user_stays(dsn: str) -> None:
    store = await opened(dsn)
    await keep(store, ANN, stored(ANN, "the marker is xylograph"))
    await keep(store, BOB, stored(BOB, "likes milk"))
    await store.clear(ANN)

    with psycopg.connect(dsn) as connection:
        tables = [table.name for table in metadata.sorted_tables]
        found = [
            name
            for name in tables
            if connection.execute(
                f"SELECT 1 FROM {name} t WHERE t::text LIKE '%xylograph%'".encode()
            ).fetchone()
        ]
    assert found == []
    assert await store.items.count(BOB) == 1
    await store.close()
