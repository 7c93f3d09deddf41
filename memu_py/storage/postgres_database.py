"""PostgreSQL: many machines. A unit of work is one hop to a thread and one transaction.

Writers of one partition take turns by an advisory lock, so that the order of the log in a partition is that of the
commits; writers of different partitions go side by side. Work on the whole database waits for all of them.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import ExecutionContext
from sqlalchemy.exc import SQLAlchemyError

from memu_py.errors import ConfigError, MemuError, StoreError
from memu_py.storage.database import Work
from memu_py.storage.failure import is_clash, translate
from memu_py.storage.job_schema import SCHEMA
from memu_py.storage.row_security import GUARDED, about, check_security, secure
from memu_py.storage.setup import check_revision, needs_setup, set_up
from memu_py.storage.tables import metadata

T = TypeVar("T")

WHOLE = 0x6D656D75
"""Key of the advisory lock on the whole database; the key of a partition is the beginning of its hash."""
CONNECT_S = 10
"""How long a connection may take to come about where the address does not say."""
EXTRA = "memu_py[postgres]"
BINARY = "memu_binary"
"""Execution option of a statement whose rows are wanted in binary form."""

_READ = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
_WRITE = {"isolation_level": "READ COMMITTED", "postgresql_readonly": False}


class PostgresDatabase:
    """A database on a PostgreSQL server with pgvector.

    Args:
        dsn: its address, as libpq (`host=… dbname=…`, `postgresql://…`) or SQLAlchemy
            (`postgresql+psycopg://…`) write it.
        busy_timeout_s: how long a write waits for other writers, in seconds.
        readers: threads that read at the same time; as many write.
        secured: have the server hold partitions apart, too; see `storage/row_security.py`.

    Raises:
        ConfigError: the driver is not installed, or the address is none.
    """

    def __init__(self, dsn: str, *, busy_timeout_s: float, readers: int, secured: bool = False) -> None:
        self._dsn = libpq_dsn(dsn)
        self._where = named(self._dsn)
        self._timeout = busy_timeout_s
        self._threads = readers
        self._secured = secured
        self._open: _Open | None = None

    async def open(self) -> None:
        """See `Database.open`."""
        if self._open is None:
            self._open = await asyncio.to_thread(self._guarded, self._connect)

    async def close(self) -> None:
        """See `Database.close`."""
        opened, self._open = self._open, None
        if opened is not None:
            await asyncio.to_thread(opened.close)

    async def read(self, work: Work[T], *, partition: bytes | None = None) -> T:
        """See `Database.read`."""
        opened = self._opened()
        first = about(partition) if self._secured else ""
        return await self._run(opened.readers, partial(_read, opened.engine, work, first))

    async def write(self, work: Work[T], *, partition: bytes | None = None) -> T:
        """See `Database.write`."""
        opened, deadline = self._opened(), time.monotonic() + self._timeout
        writing = partial(write_alone, opened.engine, work, partition, deadline, secured=self._secured)
        return await self._run(opened.writers, writing)

    def stamp(self) -> int | None:
        """See `Database.stamp`: only a question tells."""
        return None

    async def scrub(self) -> None:
        """See `Database.scrub`: vacuums the tables. The server's log and its backups are outside our reach."""
        opened = self._opened()
        await self._run(opened.writers, partial(_vacuum, opened.engine))

    async def check(self) -> list[str]:
        """See `Database.check`: the server counts pages whose checksum was wrong, where it keeps any."""

        def count(connection: Connection) -> int:
            return int(connection.exec_driver_sql(_CHECKSUM_FAILURES).scalar() or 0)

        failures = await self.read(count)
        return [f"{failures} pages of the database had a wrong checksum"] if failures else []

    async def size(self) -> int:
        """See `Database.size`: tables, indexes and what is beside them."""
        names = [table.name for table in metadata.sorted_tables]

        def sum_up(connection: Connection) -> int:
            return int(connection.exec_driver_sql(_SIZE, {"names": names}).scalar() or 0)

        return await self.read(sum_up)

    def _opened(self) -> "_Open":
        if self._open is None:
            raise StoreError(
                f"{self._where} is not open", hint="call `open()` first, and nothing after `close()`"
            )
        return self._open

    async def _run(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, self._guarded, work)

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except (SQLAlchemyError, UnicodeEncodeError, OverflowError) as error:
            raise translate(error, self._where) from error

    def _connect(self) -> "_Open":
        engine = postgres_engine(self._dsn, connections=2 * self._threads)
        try:
            if _read(engine, partial(needs_setup, where=self._where)):
                write_alone(engine, self._set_up, None, time.monotonic() + self._timeout)
            _read(engine, self._check)
        except BaseException:
            engine.dispose()
            raise
        return _Open(engine, self._threads)

    def _set_up(self, connection: Connection) -> None:
        # Another process may have been first while we waited for the lock.
        if needs_setup(connection, self._where):
            set_up(connection)
            if self._secured:
                secure(connection)

    def _check(self, connection: Connection) -> None:
        check_revision(connection, self._where)
        check_security(connection, self._where, wanted=self._secured)


_CHECKSUM_FAILURES = "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"
_SIZE = """
SELECT sum(pg_total_relation_size(oid)) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(%(names)s)
"""


class _Open:
    """What an open database holds."""

    def __init__(self, engine: Engine, threads: int) -> None:
        self.engine = engine
        self.readers = ThreadPoolExecutor(threads, thread_name_prefix="memu-read")
        self.writers = ThreadPoolExecutor(threads, thread_name_prefix="memu-write")

    def close(self) -> None:
        self.readers.shutdown()
        self.writers.shutdown()
        self.engine.dispose()


def libpq_dsn(dsn: str) -> str:
    """Return an address as libpq reads it.

    >>> libpq_dsn("postgresql+psycopg://ann@localhost/memu")
    'postgresql://ann@localhost/memu'
    """
    scheme, found, rest = dsn.partition("://")
    if not found:
        return dsn
    return f"{scheme.partition('+')[0]}://{rest}"


def named(dsn: str) -> str:
    """Return what a database is called in messages: never its password.

    Raises:
        ConfigError: the driver is not installed, or the address is none.
    """
    psycopg = _driver()
    try:
        parts: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        # libpq quotes the address in its message, and the password with it.
        msg = "`database.dsn` is no address of PostgreSQL"
        raise ConfigError(msg, hint="write postgresql://user:password@host/database") from error
    host = parts.get("host") or parts.get("hostaddr") or "this machine"
    return f"database {parts.get('dbname') or parts.get('user') or ''} on {host}".replace("  ", " ")


def _driver() -> Any:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f'the postgres backend needs psycopg, which is not installed: pip install "{EXTRA}"'
        raise ConfigError(msg) from error
    return psycopg


def postgres_engine(dsn: str, *, connections: int) -> Engine:
    """Return an engine for a server.

    Args:
        dsn: its address, as libpq writes it.
        connections: how many are kept.
    """
    psycopg = _driver()
    connect = partial(psycopg.connect, dsn, connect_timeout=CONNECT_S)
    if "connect_timeout" in psycopg.conninfo.conninfo_to_dict(dsn):
        connect = partial(psycopg.connect, dsn)
    url = URL.create("postgresql+psycopg")
    # Asked before use: a server that was started again leaves dead connections behind.
    engine = create_engine(url, creator=connect, pool_size=connections, max_overflow=0, pool_pre_ping=True)
    event.listen(engine, "do_execute", _execute)
    return engine


def _execute(cursor: Any, statement: str, parameters: Any, context: ExecutionContext) -> bool:
    """Ask for bytes as bytes where a statement says so, in place of text of twice the length."""
    wanted = parameters and context.execution_options.get(BINARY)
    if wanted:
        cursor.execute(statement, parameters, binary=True)
    return bool(wanted)


def _read(engine: Engine, work: Work[T], first: str = "") -> T:
    with engine.connect().execution_options(**_READ) as connection, connection.begin():
        if first:
            connection.exec_driver_sql(first)
        return work(connection)


def write_alone(
    engine: Engine, work: Work[T], partition: bytes | None, deadline: float, *, secured: bool = False
) -> T:
    """Do work in a transaction under its lock; again where the server broke a tie between two writers.

    Args:
        engine: of this module.
        work: what to do.
        partition: hash of the only one whose rows it writes; None for work on the whole database.
        deadline: until when to wait for other writers, on the monotonic clock.
        secured: tell the server whose rows it is about.
    """
    options = {**_WRITE, GUARDED: secured}
    first = [about(partition)] if secured else []
    while True:
        try:
            with engine.connect().execution_options(**options) as connection, connection.begin():
                _lock(connection, partition, deadline, first)
                return work(connection)
        except (SQLAlchemyError, MemuError) as error:
            if not is_clash(error) or time.monotonic() >= deadline:
                raise


def _lock(connection: Connection, partition: bytes | None, deadline: float, first: Sequence[str]) -> None:
    wait_ms = max(1, int((deadline - time.monotonic()) * 1000))
    locks = [f"SELECT pg_advisory_xact_lock({WHOLE})"]
    if partition is not None:
        key = int.from_bytes(partition[:8], "big", signed=True)
        locks = [f"SELECT pg_advisory_xact_lock_shared({WHOLE})", f"SELECT pg_advisory_xact_lock({key})"]
    # In one message: a round trip less for each.
    connection.exec_driver_sql("; ".join([*first, f"SET LOCAL lock_timeout = {wait_ms}", *locks]))


def _vacuum(engine: Engine) -> None:
    names = ", ".join(
        engine.dialect.identifier_preparer.quote(table.name) for table in metadata.sorted_tables
    )
    names = f"{names}, {SCHEMA}.procrastinate_jobs"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"VACUUM {names}")
