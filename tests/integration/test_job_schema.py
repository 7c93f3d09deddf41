"""The schema of procrastinate: made, brought forward, and refused when it is of another version."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection

from memu_py.errors import ConfigError, SchemaMismatch
from memu_py.storage import job_schema
from memu_py.storage.factory import build_store
from memu_py.storage.job_schema import bring_job_schema, check_job_schema
from memu_py.storage.migrating import migrate
from memu_py.storage.postgres_database import postgres_engine
from memu_py.storage.settings import StoreSettings

OLD = "03.01.00_50_post_add_heartbeat.sql"


@pytest.fixture
def connection(dsn: str) -> Iterator[Connection]:
    engine = postgres_engine(dsn, connections=1)
    with engine.connect() as opened:
        yield opened
    engine.dispose()


def catalogue(connection: Connection) -> set[tuple[object, ...]]:
    """Return the tables, indexes, functions and triggers of the schema."""
    statement = """
        SELECT 'column', table_name, column_name, udt_name FROM information_schema.columns
        WHERE table_schema = 'memu_jobs'
        UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'memu_jobs'
        UNION ALL SELECT 'function', proname, array_to_string(proconfig, ','), '' FROM pg_proc
        WHERE pronamespace = 'memu_jobs'::regnamespace
        UNION ALL SELECT 'trigger', tgname, tgrelid::regclass::text, '' FROM pg_trigger WHERE NOT tgisinternal
    """
    return {tuple(row) for row in connection.exec_driver_sql(statement)}


def test_it_is_made_once_and_leaves_the_search_path_alone(connection: Connection) -> None:
    with connection.begin():
        before = connection.exec_driver_sql("SHOW search_path").scalar()
        bring_job_schema(connection)
        made = catalogue(connection)
        bring_job_schema(connection)
        assert catalogue(connection) == made
        assert connection.exec_driver_sql("SHOW search_path").scalar() == before
        check_job_schema(connection, "here")
    functions = [row for row in made if row[0] == "function"]
    assert functions
    assert {row[2] for row in functions} == {"search_path=memu_jobs, pg_temp"}


def test_an_older_one_is_brought_forward(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = job_schema._steps(job_schema._folder())
    with connection.begin():
        bring_job_schema(connection)
        whole = catalogue(connection)
        connection.exec_driver_sql("DROP SCHEMA memu_jobs CASCADE; CREATE SCHEMA memu_jobs")
    for step in steps[: [one.name for one in steps].index(OLD) + 1]:
        # Each in a transaction of its own: a value that is new to a type is used by the next one.
        with connection.begin():
            job_schema._run(connection, [step])
    with connection.begin():
        connection.exec_driver_sql(f"COMMENT ON SCHEMA memu_jobs IS '{OLD}'")
        with pytest.raises(SchemaMismatch, match="of an older procrastinate"):
            check_job_schema(connection, "here")
        bring_job_schema(connection)
        check_job_schema(connection, "here")
        names = {row[:2] for row in whole if row[0] == "function"}
        assert names <= {row[:2] for row in catalogue(connection)}


async def test_a_store_without_it_is_refused_and_migrated(connection: Connection, dsn: str) -> None:
    settings = StoreSettings(backend="postgres", dsn=dsn)
    await migrate(settings)
    with connection.begin():
        connection.exec_driver_sql("DROP SCHEMA memu_jobs CASCADE")
    with pytest.raises(SchemaMismatch, match="older procrastinate, or missing") as refused:
        await build_store(settings).open()
    assert refused.value.hint == "run `memu migrate`"
    await migrate(settings)
    store = build_store(settings)
    await store.open()
    await store.close()
    with connection.begin():
        connection.exec_driver_sql("COMMENT ON SCHEMA memu_jobs IS '99.00.00_01_new.sql'")
    with pytest.raises(SchemaMismatch, match="of a newer procrastinate"):
        await build_store(settings).open()


def test_without_the_package_it_says_what_to_install(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    for name in ("procrastinate", "procrastinate.sql"):
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    with pytest.raises(ConfigError, match="procrastinate, which is not installed"), connection.begin():
        bring_job_schema(connection)
