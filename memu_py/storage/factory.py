"""From settings to a store."""

from pathlib import Path

from memu_py.errors import ConfigError
from memu_py.jobs.fleet import Fleet
from memu_py.nearest import unknown
from memu_py.storage.database import Database
from memu_py.storage.search import Search
from memu_py.storage.settings import Clock, StoreSettings, utc_now
from memu_py.storage.snapshot_files import SnapshotFiles
from memu_py.storage.sql_store import SqlStore
from memu_py.storage.sqlite_database import SqliteDatabase
from memu_py.storage.store import Store

BACKENDS = ("memory", "sqlite", "postgres")
POSTGRES = "postgres"
IN_MEMORY = ":memory:"


def build_store(settings: StoreSettings, *, clock: Clock = utc_now) -> Store:
    """Build a store; it connects when it is opened.

    Args:
        settings: which backend, and how to treat it.
        clock: gives the time of changes.

    Raises:
        ConfigError: there is no such backend, or a setting is wrong.
    """
    database = build_database(settings)
    return SqlStore(
        database,
        clock=clock,
        snapshots=SnapshotFiles(None if settings.backend == POSTGRES else sqlite_path(settings)),
        keep_changes_days=settings.keep_changes_days,
        keep_answers_days=settings.keep_answers_days,
        search=_search(settings, database, clock),
        fleet=_fleet(settings, database, clock),
    )


def _search(settings: StoreSettings, database: Database, clock: Clock) -> Search | None:
    if settings.backend != POSTGRES:
        return None
    from memu_py.storage.postgres_search import PostgresSearch  # noqa: PLC0415 - as below

    return PostgresSearch(database, clock=clock, secured=settings.row_level_security)


def _fleet(settings: StoreSettings, database: Database, clock: Clock) -> Fleet | None:
    if settings.backend != POSTGRES:
        return None
    from memu_py.storage.postgres_fleet import PostgresFleet  # noqa: PLC0415 - as below

    return PostgresFleet(settings.dsn or "", database, clock=clock)


def build_database(settings: StoreSettings) -> Database:
    """Build a database alone; it connects when it is opened.

    Raises:
        ConfigError: there is no such backend, or a setting is wrong.
    """
    _check_backend(settings.backend)
    if settings.backend == POSTGRES:
        _check_numbers(settings)
        if not settings.dsn:
            msg = "the postgres backend needs a dsn, such as postgresql://user:password@host/database"
            raise ConfigError(msg)
        from memu_py.storage.postgres_database import PostgresDatabase  # noqa: PLC0415 - other backends need none

        return PostgresDatabase(
            settings.dsn,
            busy_timeout_s=settings.busy_timeout_s,
            readers=settings.readers,
            secured=settings.row_level_security,
        )
    path = sqlite_path(settings)
    return SqliteDatabase(path, busy_timeout_s=settings.busy_timeout_s, readers=settings.readers)


def sqlite_path(settings: StoreSettings) -> Path | None:
    """Check settings, and return the file they name; None for a database in memory.

    Raises:
        ConfigError: there is no such backend, or a setting is wrong.
    """
    _check_backend(settings.backend)
    _check_numbers(settings)
    if settings.backend == "memory":
        return None
    if settings.path is None:
        msg = "the sqlite backend needs a path, such as ./memu.db"
        raise ConfigError(msg)
    return None if str(settings.path) == IN_MEMORY else settings.path


def _check_backend(backend: str) -> None:
    if backend not in BACKENDS:
        raise ConfigError(unknown("database backend", backend, BACKENDS))


def _check_numbers(settings: StoreSettings) -> None:
    if settings.busy_timeout_s < 0 or settings.readers < 1:
        msg = "busy_timeout_s is at least 0 and readers at least 1"
        raise ConfigError(msg)
    if settings.keep_changes_days is not None and settings.keep_changes_days < 0:
        msg = f"keep_changes_days is a number of days or nothing, not {settings.keep_changes_days}"
        raise ConfigError(msg)
