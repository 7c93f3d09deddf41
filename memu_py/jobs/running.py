"""One job under way in this process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from memu_py.errors import Cancelled, StoreError
from memu_py.jobs.pulse import Sleep
from memu_py.jobs.queue import JobQueue
from memu_py.records.job import Job
from memu_py.workflow.cancellation import Cancellation

logger = logging.getLogger(__name__)

Handler = Callable[[Job, Cancellation], Awaitable[Mapping[str, Any]]]
"""Does a job and returns its result, as plain data. Doing it again must change nothing: a worker may die before it can
say that the job is done."""

BEATS = 3
"""So often is a lease extended before it would run out: one that fails is no loss yet."""


class Stopped(Exception):
    """The job was stopped from outside."""


class Running:
    """A job, its task, and the heart that keeps its lease.

    Args:
        job: as leased.
        handler: does it.
        queue: where it came from.
        lease_s: how long its lease lasts each time, in seconds.
        sleep: waits between heartbeats.
    """

    def __init__(self, job: Job, handler: Handler, *, queue: JobQueue, lease_s: float, sleep: Sleep) -> None:
        self.job = job
        self._queue = queue
        self._lease_s = lease_s
        self._sleep = sleep
        self._cancel = Cancellation()
        self._stopped = False
        self._task: asyncio.Future[Mapping[str, Any]] = asyncio.ensure_future(handler(job, self._cancel))

    def stop(self, reason: str) -> None:
        """Have it end soon."""
        self._stopped = True
        self._cancel.request(reason)
        self._task.cancel()

    async def result(self) -> Mapping[str, Any]:
        """Wait for its end, and return what came of it.

        Raises:
            Stopped: it was stopped, or its lease was lost.
            Exception: whatever the handler raises.
        """
        heart = asyncio.ensure_future(self._beat())
        try:
            await asyncio.wait([self._task])
        finally:
            heart.cancel()
            self._task.cancel()
        if self._task.cancelled() or (self._stopped and self._task.exception()):
            raise Stopped if self._stopped else Cancelled
        return self._task.result()

    async def _beat(self) -> None:
        while True:
            await self._sleep(self._lease_s / BEATS)
            try:
                held = await self._queue.extend(self.job, self._lease_s)
            except StoreError as error:
                # The lease is ours until somebody takes it, and the commit asks for it.
                logger.warning("the lease of job %s was not extended: %s", self.job.id, error)
                continue
            if not held:
                self.stop("its lease is gone")
                return
