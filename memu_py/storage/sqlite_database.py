"""SQLite: one file, many processes; or one private connection in memory.

A unit of work is one hop to a thread. Writes run on a thread of their own, one at a time in the order they
came, and begin with BEGIN IMMEDIATE, so that a writer never finds out half-way that it may not write.
"""

import asyncio
import dataclasses
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from memu_py.errors import StoreBusy, StoreError
from memu_py.storage.database import Work
from memu_py.storage.failure import is_busy, translate
from memu_py.storage.functions import register
from memu_py.storage.setup import check_revision, needs_setup, set_up

T = TypeVar("T")

WAIT_S = 1.0
"""How long SQLite itself waits for a lock before we look at our deadline."""
OPEN_S = 30.0
"""How long a new connection waits for others that open the same new file."""
RETRY_S = 0.01
"""Pause before trying again where SQLite does not wait by itself."""
CACHE_KIB = 16_384
PAGE_BYTES = 8192
"""A new file's pages: three rows with a vector of 512 numbers fill one, and a page of 4096 has room for one only."""

_DEADLINE = "memu_deadline"
"""Execution option of a connection that will write: until when, on the monotonic clock, it waits."""

_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    # Deleted content is overwritten, not only unlinked.
    "PRAGMA secure_delete = ON",
    # FULL waits for the disk at each commit: what was acknowledged survives a power cut. NORMAL may lose the
    # last ones.
    "PRAGMA synchronous = FULL",
    f"PRAGMA cache_size = -{CACHE_KIB}",
)


class SqliteDatabase:
    """A SQLite file, or with no path a private database in memory.

    Args:
        path: the file; None for memory.
        busy_timeout_s: how long a write waits for the writers of other processes, in seconds.
        readers: threads that read at the same time.
    """

    def __init__(self, path: Path | None, *, busy_timeout_s: float, readers: int) -> None:
        self._path = path
        self._where = f"database {path}" if path else "the database in memory"
        self._timeout = busy_timeout_s
        self._reader_count = readers
        self._open: _Open | None = None
        self._writes = 0

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
        return await self._run(self._opened().readers, partial(self._read, work, self._deadline()))

    async def write(self, work: Work[T], *, partition: bytes | None = None) -> T:
        """See `Database.write`: one at a time, whosever they are."""
        return await self._run(self._opened().writer, partial(self._write, work, self._deadline()))

    def stamp(self) -> int | None:
        """See `Database.stamp`: SQLite tells a connection when others have committed, whatever process they are in."""
        watcher = self._opened().watcher
        if watcher is None:
            return self._writes
        try:
            return int(watcher.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            return None

    async def scrub(self) -> None:
        """See `Database.scrub`; rewrites the whole file.

        `secure_delete` alone is not enough: a page that was split keeps copies of the rows that moved away.
        """
        await self._run(self._opened().writer, partial(self._scrub, self._deadline()))

    async def check(self) -> list[str]:
        """See `Database.check`."""
        found = await self._pragma("PRAGMA integrity_check")
        return [str(row[0]) for row in found if row[0] != "ok"]

    async def size(self) -> int:
        """See `Database.size`."""
        pages, size = await self._pragma("PRAGMA page_count"), await self._pragma("PRAGMA page_size")
        return int(pages[0][0]) * int(size[0][0])

    async def _pragma(self, statement: str) -> list[tuple[Any, ...]]:
        def ask(engine: Engine) -> list[tuple[Any, ...]]:
            with engine.connect() as connection:
                return _driver(connection).execute(statement).fetchall()

        return await self._run(self._opened().readers, ask)

    def _deadline(self) -> float:
        return time.monotonic() + self._timeout

    def _opened(self) -> "_Open":
        if self._open is None:
            raise StoreError(
                f"{self._where} is not open", hint="call `open()` first, and nothing after `close()`"
            )
        return self._open

    async def _run(self, threads: ThreadPoolExecutor, work: Callable[[Engine], T]) -> T:
        # Shut-down threads refuse the work: the caller raced with `close`.
        engine = self._opened().engine
        return await asyncio.get_running_loop().run_in_executor(threads, self._guarded, partial(work, engine))

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except (SQLAlchemyError, sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
            raise translate(error, self._where) from error

    def _read(self, work: Work[T], deadline: float, engine: Engine) -> T:
        def once() -> T:
            with engine.connect() as connection, connection.begin():
                return work(connection)

        return _retry(once, deadline)

    def _write(self, work: Work[T], deadline: float, engine: Engine) -> T:
        with engine.connect() as connection:
            writing = begin_by(connection, deadline)
            with writing.begin():
                done = work(writing)
            self._writes += 1
            return done

    def _scrub(self, deadline: float, engine: Engine) -> None:
        with engine.connect() as connection:
            driver = _driver(connection)
            try:
                _retry(partial(driver.execute, "VACUUM"), deadline)
                _retry(partial(_empty_log, driver), deadline)
            except (sqlite3.OperationalError, StoreBusy) as error:
                if not is_busy(error):
                    raise
                msg = (
                    f"{self._where}: the rows are gone, but another process still uses the file they were in"
                )
                raise StoreBusy(
                    msg, hint="stop it and clear again, so that nothing of them is left"
                ) from error

    # Opening

    def _connect(self) -> "_Open":
        engine = self._make_engine()
        try:
            self._prepare(engine)
        except BaseException:
            engine.dispose()
            raise
        writer = ThreadPoolExecutor(1, thread_name_prefix="memu-write")
        if self._path is None:
            # A connection in memory is one connection: reads and writes take turns on it.
            return _Open(engine=engine, writer=writer, readers=writer, watcher=None)
        readers = ThreadPoolExecutor(self._reader_count, thread_name_prefix="memu-read")
        # One that never writes: it is told of the commits of all others.
        watcher = sqlite3.connect(self._path, timeout=0, check_same_thread=False, isolation_level=None)
        return _Open(engine=engine, writer=writer, readers=readers, watcher=watcher)

    def _make_engine(self) -> Engine:
        if self._path is not None:
            return file_engine(self._path, connections=self._reader_count + 1)
        engine = create_engine(URL.create("sqlite"), poolclass=StaticPool, connect_args=_CONNECT)
        _listen(engine)
        return engine

    def _prepare(self, engine: Engine) -> None:
        if self._read(partial(needs_setup, where=self._where), self._deadline(), engine):
            self._write(self._set_up, self._deadline(), engine)
        self._read(partial(check_revision, where=self._where), self._deadline(), engine)

    def _set_up(self, connection: Connection) -> None:
        # Another process may have been first while we waited for the lock.
        if needs_setup(connection, self._where):
            set_up(connection)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Open:
    """What an open database holds."""

    engine: Engine
    writer: ThreadPoolExecutor
    readers: ThreadPoolExecutor
    watcher: sqlite3.Connection | None

    def close(self) -> None:
        if self.watcher is not None:
            self.watcher.close()
        self.readers.shutdown()
        self.writer.shutdown()
        self.engine.dispose()


_CONNECT = {"check_same_thread": False, "timeout": WAIT_S}


def make_folder(path: Path) -> None:
    """Create the folder of a new database.

    Raises:
        StoreError: it cannot be created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"the folder of database {path} cannot be created: {error.strerror}"
        raise StoreError(msg, hint="name another path") from error


def file_engine(path: Path, *, connections: int) -> Engine:
    """Return an engine for a file whose connections and transactions are as this module says.

    Args:
        path: the file; its folder is created.
        connections: how many are kept.

    Raises:
        StoreError: the folder cannot be created.
    """
    make_folder(path)
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, pool_size=connections, connect_args=_CONNECT)
    _listen(engine)
    return engine


def _listen(engine: Engine) -> None:
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)


def begin_by(connection: Connection, deadline: float) -> Connection:
    """Have a connection's transactions take the write lock when they begin.

    Args:
        connection: of an engine of this module.
        deadline: until when to wait for it, on the monotonic clock.
    """
    return connection.execution_options(**{_DEADLINE: deadline})


def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
    # Transactions are begun by `_on_begin`, not by the driver's guess.
    connection.isolation_level = None
    deadline = time.monotonic() + OPEN_S
    # Only an empty file takes it.
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        _retry(partial(connection.execute, "PRAGMA journal_mode = WAL"), deadline)
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    register(connection)


def _on_begin(connection: Connection) -> None:
    deadline = connection.get_execution_options().get(_DEADLINE)
    begin = "BEGIN" if deadline is None else "BEGIN IMMEDIATE"
    _retry(partial(_driver(connection).execute, begin), deadline or 0.0)


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _empty_log(driver: sqlite3.Connection) -> None:
    """Move the write-ahead log into the file, and cut it.

    Raises:
        StoreBusy: somebody still reads it.
    """
    if driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise StoreBusy


def _retry(attempt: Callable[[], T], deadline: float) -> T:
    """Try until the database is free, or the deadline has passed; at least once."""
    while True:
        try:
            return attempt()
        except (sqlite3.OperationalError, OperationalError, StoreBusy) as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(RETRY_S)
