"""A whole database into another one, whatever their dialects.

The source is read in one state from beginning to end. The target takes it page by page, each in a transaction with the
place that was reached, so that a copy that was cut off goes on from there. Until both were compared the target bears a
mark, and nobody else opens it.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, delete, select, text

from memu_py.errors import StoreError
from memu_py.storage.bulk import insert_rows
from memu_py.storage.database import Database
from memu_py.storage.dialect import POSTGRES
from memu_py.storage.fingerprint import read_fingerprint
from memu_py.storage.meta import read_meta, write_meta
from memu_py.storage.postgres_index import create_vector_index
from memu_py.storage.raw_rows import COPYING, TABLES, Digest, Place, count, digest, page_after, place_of, raw
from memu_py.storage.schema import meta, resources

PAGE = 1000
"""Rows of a transaction."""
AGAIN = "again"
"""In the mark: what is there is not to be trusted, and the next copy begins anew."""

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Told a table, how many of its rows are there, and how many there will be."""


class Copying:
    """One copy.

    Args:
        source: where from, open.
        target: where to, open.
        name: of the source, by which a copy that was cut off is known again.
        progress: told after each page.
    """

    def __init__(
        self, source: Database, target: Database, *, name: str, progress: Progress = lambda *_: None
    ) -> None:
        self._source = source
        self._target = target
        self._name = name
        self._progress = progress
        self._stopped = threading.Event()

    async def run(self) -> list[Digest]:
        """Copy all that is not there yet, and compare.

        Returns:
            What both sides hold, by table.

        Raises:
            StoreError: the target holds something else, or the source is itself half a copy; or both differ at the end,
                or somebody wrote to the source meanwhile: then the next copy begins anew.
        """
        await self._source.read(check_whole)
        if await self._target.read(_is_filled):
            return await self._same()
        await self._target.write(partial(_begin, name=self._name))
        try:
            sent, end = await self._source.read(partial(self._send, loop=asyncio.get_running_loop()))
        finally:
            self._stopped.set()
        await self._target.write(partial(_finish, end=end))
        found = await self._target.read(_digests)
        await self._compare(sent, found, end)
        await self._target.write(
            lambda connection: connection.execute(delete(meta).where(meta.c.name == COPYING))
        )
        return found

    async def _same(self) -> list[Digest]:
        """Return what both sides hold, where that is the same."""
        ours, theirs = await self._source.read(_digests), await self._target.read(_digests)
        if ours != theirs:
            msg = f"the target holds something else already, in {_differing(ours, theirs)}"
            raise StoreError(msg, hint="name an empty database")
        return theirs

    def _send(self, connection: Connection, *, loop: asyncio.AbstractEventLoop) -> tuple[list[Digest], int]:
        """Send pages from the thread that reads the source; return what it holds, and where its log ends."""

        def write(work: Callable[[Connection], T]) -> T:
            return asyncio.run_coroutine_threadsafe(self._target.write(work), loop).result()

        mark = write(partial(read_meta, name=COPYING))
        names = [table.name for table in TABLES]
        for table in TABLES[names.index(mark["table"]) :]:
            self._send_table(connection, table, mark["after"] if table.name == mark["table"] else None, write)
        return _digests(connection), log_end(connection)

    def _send_table(
        self,
        connection: Connection,
        table: Table,
        place: Place | None,
        write: Callable[[Callable[[Connection], Any]], Any],
    ) -> None:
        total, done = count(connection, table), write(partial(count, table=table)) if place else 0
        while rows := page_after(connection, table, place, PAGE):
            if self._stopped.is_set():
                raise asyncio.CancelledError
            place = place_of(table, rows[-1])
            write(partial(_take, name=self._name, table=table, rows=rows, place=place))
            done += len(rows)
            self._progress(table.name, done, total)

    async def _compare(self, sent: Sequence[Digest], found: Sequence[Digest], end: int) -> None:
        where = _differing(sent, found)
        moved = await self._source.read(log_end) != end
        if not where and not moved:
            return
        await self._target.write(lambda c: write_meta(c, COPYING, {"source": self._name, AGAIN: True}))
        if where:
            msg = f"what arrived differs from what was sent, in {where}"
            raise StoreError(msg, hint="copy again; it begins anew")
        msg = "somebody wrote to the source while it was copied"
        raise StoreError(msg, hint="stop what writes there and copy again; it begins anew")


def _is_filled(connection: Connection) -> bool:
    """Tell whether a database holds rows that are not of a copy under way."""
    if read_meta(connection, COPYING) is not None:
        return False
    filled = (table for table in TABLES if table is not meta)
    return any(connection.execute(select(raw(table)).limit(1)).first() for table in filled)


async def open_whole(database: Database) -> None:
    """Open a database that is not half a copy.

    Raises:
        StoreError: it is one.
    """
    await database.open()
    try:
        await database.read(check_whole)
    except BaseException:
        await database.close()
        raise


def check_whole(connection: Connection) -> None:
    """Check that a database is not the target of a copy under way.

    Raises:
        StoreError: it is, or one was cut off.
    """
    mark = read_meta(connection, COPYING)
    if mark is not None:
        msg = f"a copy of {mark['source']} to this database is under way, or was cut off"
        raise StoreError(msg, hint="wait for it, or run the same `memu copy` again")


def _begin(connection: Connection, *, name: str) -> None:
    """Mark an empty database, or one whose copy begins anew; one whose copy goes on is left as it is."""
    mark = read_meta(connection, COPYING)
    if mark is not None and mark["source"] != name:
        msg = f"a copy of {mark['source']} to the target was cut off"
        raise StoreError(msg, hint="finish that one, or name an empty database")
    if mark is not None and AGAIN not in mark:
        return
    for table in reversed(TABLES):
        connection.execute(delete(table))
    write_meta(connection, COPYING, {"source": name, "table": TABLES[0].name, "after": None})


def _take(connection: Connection, *, name: str, table: Table, rows: Sequence[Any], place: Place) -> None:
    insert_rows(connection, raw(table), rows)
    write_meta(connection, COPYING, {"source": name, "table": table.name, "after": place})


def _finish(connection: Connection, *, end: int) -> None:
    """Have the log go on where that of the source ends, and index vectors, now that all are there."""
    if connection.dialect.name != POSTGRES:
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = 'changes'"))
        connection.execute(
            text("INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', :end)"), {"end": end}
        )
        return
    connection.execute(
        text("SELECT setval(pg_get_serial_sequence('changes', 'seq'), :next, false)"), {"next": end + 1}
    )
    fingerprint = read_fingerprint(connection)
    if fingerprint is not None:
        create_vector_index(connection, fingerprint.dimension)
    # So many rows came at once that the server's figures tell of none.
    connection.execute(text("ANALYZE"))


def log_end(connection: Connection) -> int:
    """Return the last number that the change log has given, also to rows that are gone."""
    if connection.dialect.name != POSTGRES:
        return connection.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'changes'")) or 0
    given = text("SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM changes_seq_seq")
    return connection.scalar(given) or 0


def _digests(connection: Connection) -> list[Digest]:
    return [digest(connection, table) for table in TABLES]


def _differing(ours: Sequence[Digest], theirs: Sequence[Digest]) -> str:
    return ", ".join(one.table for one, other in zip(ours, theirs, strict=True) if one != other)


def blob_keys(connection: Connection) -> list[str]:
    """Return the keys of all originals, sorted."""
    return sorted(connection.scalars(select(resources.c.blob).where(resources.c.blob != "").distinct()))
