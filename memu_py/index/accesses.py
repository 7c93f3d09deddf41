"""Read counters: collected while answers are given, written in batches off the read path."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime

from memu_py.records.scope import Scope
from memu_py.storage.store import Store

logger = logging.getLogger(__name__)

FLUSH_AFTER = 2000
"""Reads of items after which the counters are written."""

KEEP_AT_MOST = 20_000
"""Reads that are kept when writing fails; beyond it they are given up."""


Reads = dict[str, list[datetime]]
"""When items were read, by id."""


class AccessCounter:
    """Counts how often items are read.

    A failure to write is logged, never raised into a read; the counts stay and go with the next batch. A
    process that dies loses what it has not written: the batch under way, and what came after it.
    """

    def __init__(
        self, store: Store, clock: Callable[[], datetime], *, flush_after: int = FLUSH_AFTER
    ) -> None:
        """Make a counter with nothing in it.

        Args:
            store: where counts are written.
            clock: the present moment, UTC.
            flush_after: reads after which they are written.
        """
        self._store = store
        self._clock = clock
        self._flush_after = flush_after
        self._pending: dict[Scope, Reads] = {}
        self._reads = 0
        self._writing = asyncio.Lock()
        self._batch: asyncio.Task[None] | None = None

    async def count(self, scope: Scope, ids: Iterable[str]) -> None:
        """Note that items were read; a full batch is written beside the caller, who never waits for it.

        Args:
            scope: whose they are.
            ids: the items.
        """
        read = list(ids)
        if not read:
            return
        pending, now = self._pending.setdefault(scope.owner, {}), self._clock()
        for item_id in read:
            pending.setdefault(item_id, []).append(now)
        self._reads += len(read)
        if self._reads >= self._flush_after and (self._batch is None or self._batch.done()):
            self._reads = 0
            self._batch = asyncio.create_task(self.flush(), name="memu-accesses")

    async def flush(self) -> None:
        """Write all that is pending, a batch under way included; called when the service closes."""
        async with self._writing:
            for scope in list(self._pending):
                await self._write(scope, self._pending.pop(scope))

    async def _write(self, scope: Scope, reads: Reads) -> None:
        try:
            await self._store.touch(scope, reads)
        except Exception:
            logger.warning("read counters were not written; they are kept for the next batch", exc_info=True)
            self._keep(scope, reads)

    def _keep(self, scope: Scope, reads: Reads) -> None:
        if sum(map(_size, (reads, *self._pending.values()))) > KEEP_AT_MOST:
            logger.warning("%d reads of %d items are given up", _size(reads), len(reads))
            return
        kept = self._pending.setdefault(scope, {})
        for item_id, moments in reads.items():
            kept[item_id] = moments + kept.get(item_id, [])


def _size(reads: Reads) -> int:
    return sum(map(len, reads.values()))
