"""Work that outlives the call: look at it, wait for it, stop it."""

import asyncio
from typing import Unpack

from memu_py.errors import Conflict, NotFound
from memu_py.jobs.pulse import first
from memu_py.records.job import Job
from memu_py.records.page import Page, Query, Where
from memu_py.service.arguments import checks_arguments
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker


@checks_arguments
class Jobs:
    """The jobs of a scope; one of somebody else is not found."""

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def get(self, job_id: str, **keys: Unpack[ScopeKeys]) -> Job:
        """Return a job as it is now.

        Raises:
            NotFound: it is not in the scope.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return _found(await self._runtime.store.jobs.get(scope, job_id), job_id)

    async def list(
        self,
        *,
        status: str | None = None,
        where: Where | None = None,
        descending: bool = True,
        limit: int = 100,
        cursor: str | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Page[Job]:
        """Return one page of jobs, the newest first, without what they work on.

        Args:
            status: only `queued`, `running`, `done`, `failed` or `cancelled` ones.
            where: conditions on fields, as in `list_items`.
            descending: the newest first.
            limit: jobs a page, 1 to 1000.
            cursor: `next_cursor` of the page before.
            **keys: whose: `user`, `agent`, `session`, `custom`.

        Raises:
            InvalidFilter: a field, an operator or the cursor is not usable.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        parts = [part for part in ({"status": status} if status else None, where) if part]
        wanted = {"and": parts} if parts else None
        query = Query(where=wanted, descending=descending, limit=limit, cursor=cursor)
        return await self._runtime.store.jobs.page(scope, query)

    async def cancel(self, job_id: str, **keys: Unpack[ScopeKeys]) -> Job:
        """End a job that has not ended: nothing of it is stored any more.

        Raises:
            NotFound: it is not in the scope.
            Conflict: it is done or has failed, or what it found is stored already.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        job = _found(await self._runtime.store.jobs.cancel(scope, job_id), job_id)
        if job.status != "cancelled":
            why = "what it found is stored already" if job.status == "running" else f"it is {job.status}"
            msg = f"job {job_id} cannot be cancelled: {why}"
            raise Conflict(msg)
        await self._runtime.workers.stop(job_id, "it was cancelled")
        return job

    async def retry(self, job_id: str, **keys: Unpack[ScopeKeys]) -> Job:
        """Let a job that failed, was cancelled, or waits for its next attempt begin now, with all its attempts.

        Raises:
            NotFound: it is not in the scope.
            Conflict: it runs or is done.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        job = _found(await self._runtime.store.jobs.retry(scope, job_id), job_id)
        if job.status != "queued":
            msg = f"job {job_id} cannot be tried again: it is {job.status}"
            raise Conflict(msg)
        self._runtime.workers.start()
        return job

    async def wait(self, job_id: str, *, timeout_s: float | None = None, **keys: Unpack[ScopeKeys]) -> Job:
        """Wait until a job has ended, wherever it runs.

        Args:
            job_id: the job.
            timeout_s: return it as it is after so many seconds; None waits as long as it takes.
            **keys: whose: `user`, `agent`, `session`, `custom`.

        Raises:
            NotFound: it is not in the scope, or was erased meanwhile.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        workers, poll_s = self._runtime.workers, self._runtime.settings.jobs.poll_s
        workers.start()
        loop = asyncio.get_running_loop()
        until = None if timeout_s is None else loop.time() + timeout_s
        while True:
            news = workers.news
            job = _found(await self._runtime.store.jobs.get(scope, job_id), job_id)
            left = poll_s if until is None else min(poll_s, until - loop.time())
            if job.ended or left <= 0:
                return job
            await first(news, asyncio.sleep, left)


def _found(job: Job | None, job_id: str) -> Job:
    if job is None:
        msg = f"no job {job_id!r} in this scope"
        raise NotFound(msg)
    return job
