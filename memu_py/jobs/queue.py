"""The queue's contract.

Every method is atomic. Those that name a scope serve a caller, and see its jobs only; the others serve workers, who do
everybody's. A worker's word counts only while it holds the lease that it was given: afterwards its calls change nothing
and return False.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memu_py.records.job import Job, JobError
from memu_py.records.page import Page, Query
from memu_py.records.scope import Scope


class JobQueue(Protocol):
    """Jobs, kept where they survive the process."""

    async def enqueue(self, scope: Scope, job: Job) -> Job:
        """Add a job.

        Returns:
            The job as stored; when its run has a job in the scope already, that one.

        Raises:
            InvalidInput: its payload is no plain data.
            InvalidScope: the job lies outside the scope.
            Conflict: the run has a job outside the scope.
        """
        ...

    async def get(self, scope: Scope, job_id: str) -> Job | None:
        """Return a job of the scope, whole."""
        ...

    async def page(self, scope: Scope, query: Query) -> Page[Job]:
        """Return one page of jobs, without what they work on.

        Raises:
            InvalidFilter: `query.where`, its order or its cursor is not usable.
            InvalidInput: `query.limit` is outside 1 to 1000.
        """
        ...

    async def cancel(self, scope: Scope, job_id: str) -> Job | None:
        """End a job that has not ended: nothing of it is written from now on.

        Returns:
            The job as it is now; one that had ended, or whose run has written already, as it was. None when the scope
            has no such job.
        """
        ...

    async def retry(self, scope: Scope, job_id: str) -> Job | None:
        """Let a job that failed, was cancelled or waits for its next attempt begin now, with all its attempts.

        Returns:
            The job as it is now; one that runs or is done, as it was. None when the scope has no such job.
        """
        ...

    # Workers

    async def due(self, kinds: Sequence[str]) -> datetime | None:
        """Return when the next job of these kinds can begin, at the earliest; None when none waits or runs.

        A read: quick, and in nobody's way.
        """
        ...

    async def lease(self, kinds: Sequence[str], seconds: float, *, per_user: int | None = None) -> Job | None:
        """Begin the job of these kinds that is next.

        The highest priority goes first; then who has the fewest jobs that run, so that many jobs of one user do not
        keep others waiting; then the oldest. A job whose lease has run out waits again, or has failed when that was its
        last attempt. One whose lock is held by a job that runs is passed over.

        Args:
            kinds: what the caller can do.
            seconds: how long the lease lasts.
            per_user: pass over users (or agents without one) of whom so many run already; None for no limit.

        Returns:
            The job, running, with its payload; None when there is nothing to do now.
        """
        ...

    async def extend(self, job: Job, seconds: float) -> bool:
        """Have a lease last so many seconds from now."""
        ...

    async def finish(self, job: Job, result: dict[str, object]) -> bool:
        """End a job as done; what it worked on is dropped."""
        ...

    async def fail(self, job: Job, error: JobError, *, again_at: datetime | None) -> bool:
        """Note a failure.

        Args:
            job: as leased.
            error: what went wrong.
            again_at: when the next attempt may begin; None for no further one, as when all attempts are used up.
        """
        ...

    async def release(self, job: Job) -> bool:
        """Give a job back unfinished: it waits again, and the attempt does not count."""
        ...

    async def prune(self, before: datetime) -> int:
        """Drop jobs that ended before a moment. Returns how many there were."""
        ...
