"""`memu migrate`: bring a database to the schema of this code."""

import asyncio
import sqlite3
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from memu_py.errors import ConfigError
from memu_py.storage.factory import POSTGRES, sqlite_path
from memu_py.storage.failure import translate
from memu_py.storage.postgres_database import libpq_dsn, named, postgres_engine, write_alone
from memu_py.storage.row_security import release, secure
from memu_py.storage.settings import StoreSettings
from memu_py.storage.setup import needs_setup, newer, revision_of, set_up, teach
from memu_py.storage.sqlite_database import begin_by, file_engine
from memu_py.storage.tables import HEAD, REVISIONS

MIGRATIONS = "memu_py.storage:migrations"


async def migrate(settings: StoreSettings) -> tuple[str | None, str]:
    """Run all migrations that a database lacks, in one transaction; an empty one is set up.

    Args:
        settings: of the store; `busy_timeout_s` is how long the migration waits for writers to end.

    Returns:
        The revision that was found, None for an empty database, and the one that it has now.

    Raises:
        ConfigError: the settings name no file and no server.
        SchemaMismatch: the database is newer than this code.
        StoreBusy: writers did not end in time.
        StoreError: it is not a memu database, or cannot be written.
    """
    if settings.backend == POSTGRES:
        return await asyncio.to_thread(_migrate_server, settings)
    path = sqlite_path(settings)
    if path is None:
        msg = "a database in memory is always of this version; there is nothing to migrate"
        raise ConfigError(msg)
    return await asyncio.to_thread(_migrate_file, path, settings.busy_timeout_s)


def _migrate_file(path: Path, wait_s: float) -> tuple[str | None, str]:
    where = f"database {path}"
    engine = file_engine(path, connections=1)
    try:
        with engine.connect() as connection:
            writing = begin_by(connection, time.monotonic() + wait_s)
            with writing.begin():
                return _migrate(writing, where), HEAD
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise translate(error, where) from error
    finally:
        engine.dispose()


def _migrate_server(settings: StoreSettings) -> tuple[str | None, str]:
    dsn = libpq_dsn(settings.dsn or "")
    where = named(dsn)
    engine = postgres_engine(dsn, connections=1)
    try:
        deadline = time.monotonic() + settings.busy_timeout_s
        work = partial(_migrate_secured, where=where, secured=settings.row_level_security)
        return write_alone(engine, work, None, deadline, secured=True), HEAD
    except SQLAlchemyError as error:
        raise translate(error, where) from error
    finally:
        engine.dispose()


def _migrate_secured(connection: Connection, *, where: str, secured: bool) -> str | None:
    before = _migrate(connection, where)
    if secured:
        secure(connection)
    else:
        release(connection)
    return before


def _migrate(connection: Connection, where: str) -> str | None:
    if needs_setup(connection, where):
        set_up(connection)
        return None
    before = revision_of(connection)
    if before is not None and before not in REVISIONS:
        raise newer(where, before)
    upgrade(connection)
    teach(connection)
    return before


def upgrade(connection: Connection) -> None:
    """Run migrations up to the newest on a connection that is inside a transaction."""
    from alembic import command  # noqa: PLC0415 - 0.2 s to import, and hardly ever needed

    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection | None = None) -> Any:
    """Return Alembic's configuration: no ini file, only where the migrations are."""
    from alembic.config import Config  # noqa: PLC0415 - as above

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    return config
