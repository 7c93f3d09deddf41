"""Going again after somebody else was first."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from memu_py.errors import Conflict

ATTEMPTS = 20
"""Rounds before a conflict is the caller's: each other writer can win at most once a round."""


class Versioned(Protocol):
    """A record that counts its changes."""

    @property
    def version(self) -> int:
        """Grows by one with every change."""
        ...


T = TypeVar("T")
V = TypeVar("V", bound=Versioned)


async def settled(work: Callable[[], Awaitable[T]]) -> T:
    """Do work that reads and then writes, from its beginning again when a conflict ends it.

    Args:
        work: reads anew each time.

    Raises:
        Conflict: it did not go away.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return await work()
        except Conflict:
            continue
    return await work()


async def edited(read: Callable[[], Awaitable[V]], write: Callable[[V], Awaitable[V]]) -> V:
    """Change a record as it is now; again, when somebody changed it between reading and writing.

    Args:
        read: returns the newest version.
        write: writes the change of a version, and refuses when there is a newer one.

    Raises:
        Conflict: the change itself cannot be, because another record stands against it.
    """
    current = await read()
    for _ in range(ATTEMPTS - 1):
        try:
            return await write(current)
        except Conflict:
            newest = await read()
            if newest.version == current.version:
                raise
            current = newest
    return await write(current)
