"""Opening: folders, files that are no database of ours, versions, migrations."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, insert

from memu_py.errors import ConfigError, SchemaMismatch, StoreBusy, StoreError
from memu_py.storage.factory import build_store
from memu_py.storage.migrating import alembic_config, migrate, upgrade
from memu_py.storage.settings import StoreSettings
from memu_py.storage.setup import set_up, version_table
from memu_py.storage.sqlite_database import PAGE_BYTES
from memu_py.storage.tables import HEAD, REVISIONS, metadata
from memu_py.testing.store_samples import ANN, keep, stored


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memu.db"


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def _execute(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _read(path: Path) -> bytes:
    return path.read_bytes()


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


async def _fails(path: Path, kind: type[StoreError], match: str) -> None:
    store = build_store(StoreSettings(path=path, busy_timeout_s=0))
    with pytest.raises(kind, match=match) as caught:
        await store.open()
    assert str(path) in str(caught.value)
    assert caught.value.hint
    await store.close()


async def test_a_new_database_has_large_pages_and_keeps_them(path: Path) -> None:
    store = build_store(StoreSettings(path=path))
    await store.open()
    await store.close()
    connection = sqlite3.connect(path)
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "journal_mode")]
    connection.close()
    assert found == [PAGE_BYTES, "wal"]


async def test_a_new_database_gets_its_folder_and_the_revision_of_this_code(path: Path) -> None:
    deep = path.parent / "a" / "b" / "memu.db"
    store = build_store(StoreSettings(path=deep))
    await store.open()
    await store.close()
    connection = sqlite3.connect(deep)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


async def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    diary = b"Dear diary, " * 100
    _write(path, diary)
    await _fails(path, StoreError, "not a database")
    assert _read(path) == diary


async def test_somebody_elses_database_is_left_alone(path: Path) -> None:
    _execute(path, "CREATE TABLE songs (title TEXT)")
    await _fails(path, StoreError, "songs")
    with pytest.raises(StoreError, match="songs"):
        await migrate(StoreSettings(path=path))


async def test_paths_that_cannot_be_files_are_told(path: Path) -> None:
    await _fails(path.parent, StoreError, "cannot be opened")
    _write(path, b"x")
    await _fails(path / "memu.db", StoreError, "folder")


async def test_a_damaged_database_says_what_to_do(path: Path) -> None:
    store = build_store(StoreSettings(path=path))
    await store.open()
    await keep(store, ANN, *(stored(ANN, f"item {number} " * 50) for number in range(200)))
    await store.close()
    whole = _read(path)
    _write(path, whole[:8192] + b"\xa5" * (len(whole) - 8192))
    with pytest.raises(StoreError, match="damaged") as caught:
        await store.open()
        await store.items.ids(ANN)
    assert "recover" in str(caught.value)
    await store.close()


async def test_newer_and_older_databases_are_refused(path: Path) -> None:
    store = build_store(StoreSettings(path=path))
    await store.open()
    await store.close()
    _execute(path, "UPDATE alembic_version SET version_num = '9999'")
    await _fails(path, SchemaMismatch, "newer")
    with pytest.raises(SchemaMismatch, match="newer"):
        await migrate(StoreSettings(path=path))
    _execute(path, "DELETE FROM alembic_version")
    await _fails(path, SchemaMismatch, "memu migrate")


async def test_migrate_brings_a_database_to_this_version(path: Path) -> None:
    version_table.create(engine := create_engine(f"sqlite:///{path}"))
    engine.dispose()
    await _fails(path, SchemaMismatch, "memu migrate")
    assert await migrate(StoreSettings(path=path)) == (None, HEAD)
    assert await migrate(StoreSettings(path=path)) == (HEAD, HEAD)

    store = build_store(StoreSettings(path=path))
    await store.open()
    await keep(store, ANN, stored(ANN, "tea"))
    assert await store.maintenance.integrity() == []
    await store.close()


async def test_migrate_sets_up_an_empty_database(path: Path) -> None:
    assert await migrate(StoreSettings(path=path.parent / "new" / "memu.db")) == (None, HEAD)
    store = build_store(StoreSettings(path=path.parent / "new" / "memu.db"))
    await store.open()
    await store.close()


async def test_migrate_waits_for_writers_and_knows_its_limits(path: Path) -> None:
    locker = sqlite3.connect(path, isolation_level=None)
    locker.execute("PRAGMA journal_mode = WAL")
    locker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        await migrate(StoreSettings(path=path, busy_timeout_s=0))
    locker.close()
    with pytest.raises(ConfigError, match="memory"):
        await migrate(StoreSettings(backend="memory"))


def _tables(connection: Connection) -> dict[str, str]:
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'")
    return {name: " ".join(sql.split()) for name, sql in rows}


def test_setting_up_equals_migrating(connection: Connection) -> None:
    set_up(connection)
    other = create_engine("sqlite://")
    with other.connect() as migrated:
        upgrade(migrated)
        assert _tables(migrated) == _tables(connection)
        assert compare_metadata(MigrationContext.configure(migrated), metadata) == []
    other.dispose()


def test_the_code_knows_every_revision() -> None:
    script = ScriptDirectory.from_config(alembic_config())
    assert tuple(one.revision for one in reversed(list(script.walk_revisions()))) == REVISIONS
    assert script.get_current_head() == HEAD
    first = script.get_revision(REVISIONS[0])
    with pytest.raises(NotImplementedError):
        first.module.downgrade()


def test_the_planner_reads_rows_by_id_not_whole_partitions(connection: Connection) -> None:
    set_up(connection)
    connection.execute(insert(metadata.tables["meta"]).values(name="x", value={}))
    ids = ", ".join(f"'{number}'" for number in range(500))
    for table, column in (
        ("links", "source_id"),
        ("links", "target_id"),
        ("sources", "resource_id"),
        ("items", "id"),
    ):
        plan = connection.exec_driver_sql(
            f"EXPLAIN QUERY PLAN SELECT * FROM {table} WHERE partition_hash = x'00' AND {column} IN ({ids})"
        )
        assert f"AND {column}=?" in " ".join(row[3] for row in plan)
