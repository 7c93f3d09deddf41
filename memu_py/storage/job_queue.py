"""The queue of jobs over a database."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from memu_py.records.job import Job, JobError
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope
from memu_py.storage import job_leases, job_writes
from memu_py.storage.collection import JOBS, SqlCollection
from memu_py.storage.database import QUEUE, Database
from memu_py.storage.job_rows import load_job
from memu_py.storage.settings import Clock
from memu_py.storage.unit import Unit, written

T = TypeVar("T")

ACTOR = "jobs"


class SqlJobQueue:
    """`JobQueue` over a database.

    Args:
        database: where the units of work run.
        clock: by which leases run out.
    """

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._jobs = SqlCollection(database, JOBS, clock=clock)

    async def _write(self, scope: Scope, work: Callable[[Unit], T]) -> T:
        return await written(self._database, scope, work, actor=ACTOR, clock=self._clock)

    # Callers

    async def enqueue(self, scope: Scope, job: Job) -> Job:
        """See `JobQueue.enqueue`."""
        return await self._write(scope, partial(job_writes.add_job, job=job))

    async def get(self, scope: Scope, job_id: str) -> Job | None:
        """See `JobQueue.get`."""
        return await self._database.read(
            lambda connection: load_job(connection, scope, job_id), partition=scope.partition_hash
        )

    async def page(self, scope: Scope, query: Query) -> Page[Job]:
        """See `JobQueue.page`."""
        return await self._jobs.page(scope, query)

    async def cancel(self, scope: Scope, job_id: str) -> Job | None:
        """See `JobQueue.cancel`."""
        return await self._write(scope, partial(job_writes.cancel_job, job_id=job_id))

    async def retry(self, scope: Scope, job_id: str) -> Job | None:
        """See `JobQueue.retry`."""
        return await self._write(scope, partial(job_writes.retry_job, job_id=job_id))

    # Workers

    async def due(self, kinds: Sequence[str]) -> datetime | None:
        """See `JobQueue.due`."""
        return await self._database.read(lambda connection: job_leases.next_due(connection, kinds))

    async def lease(self, kinds: Sequence[str], seconds: float, *, per_user: int | None = None) -> Job | None:
        """See `JobQueue.lease`."""
        return await self._database.write(
            lambda connection: job_leases.take(connection, kinds, self._clock(), seconds, per_user),
            partition=QUEUE,
        )

    async def extend(self, job: Job, seconds: float) -> bool:
        """See `JobQueue.extend`."""
        until = self._clock() + timedelta(seconds=seconds)
        return await self._write(job.scope, partial(job_writes.extend_lease, job=job, until=until))

    async def finish(self, job: Job, result: dict[str, object]) -> bool:
        """See `JobQueue.finish`."""
        return await self._write(job.scope, partial(job_writes.finish_job, job=job, result=result))

    async def fail(self, job: Job, error: JobError, *, again_at: datetime | None) -> bool:
        """See `JobQueue.fail`."""
        work = partial(job_writes.fail_job, job=job, error=error, again_at=again_at)
        return await self._write(job.scope, work)

    async def release(self, job: Job) -> bool:
        """See `JobQueue.release`."""
        return await self._write(job.scope, partial(job_writes.release_job, job=job))

    async def prune(self, before: datetime) -> int:
        """See `JobQueue.prune`."""
        if not await self._database.read(lambda connection: job_leases.any_old(connection, before)):
            return 0
        return await self._database.write(
            lambda connection: job_leases.prune(connection, before), partition=QUEUE
        )
