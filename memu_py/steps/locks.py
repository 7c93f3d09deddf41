"""One at a time, by partition."""

import asyncio
import weakref

from memu_py.records.scope import Scope


class PartitionLocks:
    """A lock for each partition that is in use.

    One is held from writing an original to the commit that names it, and from a deletion to the removal of the
    originals that nobody names any more: so that an original is not removed under a memory which is just being written.
    Another is held while a model writes the summaries of a partition.
    """

    def __init__(self) -> None:
        self._locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()

    def of(self, scope: Scope) -> asyncio.Lock:
        """Return the lock of the scope's partition."""
        return self._locks.setdefault(scope.partition, asyncio.Lock())
