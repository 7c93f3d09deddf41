"""Where units of work run.

A unit of work is a plain function of a connection that is inside a transaction. A database runs it whole:
what it wrote is there when `write` returns, and nothing of it when `write` raises. A caller that is cancelled
meanwhile does not tear it
apart: a unit that has not begun is dropped, one that has begun goes on to its end.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")
Work = Callable[[Connection], T]

QUEUE = b"jobs of everyone"
"""In place of a partition's hash: workers take turns with one another, and not with writers of memories."""


class Database(Protocol):
    """A database of one dialect."""

    async def open(self) -> None:
        """Connect; set up an empty database.

        Raises:
            SchemaMismatch: it was made by another version.
            StoreError: it cannot be opened.
        """
        ...

    async def close(self) -> None:
        """Let go of everything; idempotent. Units of work under way end first."""
        ...

    async def read(self, work: Work[T], *, partition: bytes | None = None) -> T:
        """Run a unit of work on one state of the database; it must not write.

        Args:
            work: what to do.
            partition: hash of the only one whose rows it reads; None for work on the whole database.
        """
        ...

    async def write(self, work: Work[T], *, partition: bytes | None = None) -> T:
        """Run a unit of work alone, or beside those of other partitions.

        Args:
            work: what to do.
            partition: hash of the only one whose rows it writes, or `QUEUE`; None for work on the whole database.

        Raises:
            StoreBusy: the write lock was not free in time.
        """
        ...

    def stamp(self) -> int | None:
        """Return a number that is another one after a commit of anybody; None when only a question can tell.

        Quick enough to be asked on the event loop.
        """
        ...

    async def scrub(self) -> None:
        """Remove what deleted rows left behind in the files.

        Raises:
            StoreBusy: somebody else uses the database for too long.
        """
        ...

    async def check(self) -> list[str]:
        """Return what the database itself finds wrong with its files, one line each."""
        ...

    async def size(self) -> int:
        """Return how many bytes the database takes."""
        ...
