"""The workers of one process: they begin jobs, see them through, and leave none behind."""

import asyncio
import contextlib
import functools
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime, timedelta

from memu_py.config.jobs import JobSettings
from memu_py.errors import StoreError
from memu_py.jobs.attempt import again_at, error_of
from memu_py.jobs.chore import Chore
from memu_py.jobs.fleet import Fleet, Terms
from memu_py.jobs.pulse import Pulse, Sleep, first
from memu_py.jobs.queue import JobQueue
from memu_py.jobs.running import Handler, Running, Stopped
from memu_py.records.job import Job
from memu_py.records.scope import Scope

logger = logging.getLogger(__name__)

TIDY = timedelta(hours=1)
"""How often old jobs are dropped while a process lives."""


class Workers:
    """So many jobs at the same time, from their start until `close`.

    Args:
        queue: where jobs come from.
        settings: how many, and how patient.
        clock: the present moment, UTC.
        fleet: calls workers to jobs; None where they have to look for themselves.
        sleep: waits some seconds.
        rng: decides the jitter of pauses.
    """

    def __init__(
        self,
        queue: JobQueue,
        settings: JobSettings,
        *,
        clock: Callable[[], datetime],
        fleet: Fleet | None = None,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._queue = queue
        self._settings = settings
        self._clock = clock
        self._fleet = fleet
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._handlers: dict[str, Handler] = {}
        self._chores: list[Chore] = []
        self._loops: set[asyncio.Task[None]] = set()
        self._service: asyncio.Task[None] | None = None
        self._enough = asyncio.Event()
        self._running: dict[str, Running] = {}
        self._pulse = Pulse()
        self._pauses = 0
        self._taking = True
        self._until_idle = False
        self._held_to: int | None = None
        self._served_by = 0
        self._ended = 0
        self._tidied: datetime | None = None

    @property
    def news(self) -> asyncio.Event:
        """Set when a job comes in or ends in this process; take it before looking."""
        return self._pulse.next

    @property
    def ended(self) -> int:
        """Attempts so far that came to an end of their own here, good or bad."""
        return self._ended

    def register(self, kind: str, handler: Handler) -> None:
        """Have jobs of a kind done by a handler."""
        self._handlers[kind] = handler

    def see_to(self, chore: Chore) -> None:
        """Have something done in each period while workers work for ever."""
        self._chores.append(chore)

    @contextlib.contextmanager
    def held_to(self, count: int | None) -> Iterator[None]:
        """Have so many jobs done at the same time meanwhile, whoever begins the work; as many as before if None."""
        before, self._held_to = self._held_to, self._held_to if count is None else count
        try:
            yield
        finally:
            self._held_to = before

    def start(self) -> None:
        """Begin to work; when at it already, look for jobs now."""
        if self._fleet is not None and not self._until_idle:
            self._enlist(self._fleet, self._wanted)
        else:
            self._loops -= {loop for loop in self._loops if loop.done()}
            while self._taking and len(self._loops) < self._wanted:
                self._loops.add(asyncio.create_task(self._work(), name="memu-worker"))
        self._pulse.beat()

    def _enlist(self, fleet: Fleet, count: int) -> None:
        if self._taking and count and (self._service is None or self._service.done()):
            self._enough = asyncio.Event()
            self._service = asyncio.create_task(self._serve(fleet, count, self._enough), name="memu-worker")
            self._served_by = count

    async def _dismiss(self) -> None:
        """Be called no more, and wait for the end of what is under way."""
        self._enough.set()
        if self._service is not None:
            await asyncio.wait([self._service])

    async def start_if_due(self) -> None:
        """Begin to work if jobs are there, such as those of a process that died."""
        await self._tidy()
        if self._settings.workers and await self._queue.due(self._kinds) is not None:
            self.start()

    async def until_idle(self, count: int | None = None) -> None:
        """Work until nothing is due and nothing runs here; jobs that wait for their next attempt go on waiting.

        Args:
            count: jobs at the same time; as configured if None, and one at least.
        """
        self._until_idle = True
        try:
            with self.held_to(count or self._count):
                await self._dismiss()
                self.start()
                if self._tasks:
                    await asyncio.wait(self._tasks)
        finally:
            self._until_idle = False

    async def for_ever(self, count: int | None = None) -> None:
        """Work until cancelled; then begin nothing new.

        Args:
            count: jobs at the same time; as configured if None, and one at least.
        """
        chores: list[asyncio.Future[None]] = []
        try:
            with self.held_to(count or self._count):
                if self._service is not None and self._served_by != self._wanted:
                    # As many as the fleet was told of when somebody else began the work.
                    await self._dismiss()
                self.start()
                chores += [asyncio.ensure_future(self._keep(chore)) for chore in self._chores]
                await asyncio.wait(self._tasks)
        finally:
            for one in chores:
                one.cancel()
            self.take_no_more()

    async def _keep(self, chore: Chore) -> None:
        """Where there is a fleet, one process of all does it in each period; here at the beginning only."""
        await (chore.keep(self._clock) if self._fleet is None else chore.attempt())

    def take_no_more(self) -> None:
        """Begin nothing new; what runs goes on."""
        self._taking = False
        self._enough.set()
        self._pulse.beat()

    async def close(self) -> None:
        """Go on for a while, then hand over what is not done: others may begin it at once."""
        if not self._tasks:
            return
        self._until_idle = True
        if self._service is not None:
            self._enough.set()
            self.start()
        self._pulse.beat()
        if self._settings.drain_s:
            await asyncio.wait(self._tasks, timeout=self._settings.drain_s)
        self.take_no_more()
        for running in self._running.values():
            running.stop("the service closes")
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._loops.clear()
        self._service = None

    # Stopping

    async def stop(self, job_id: str, reason: str) -> None:
        """Stop a job, if it runs here, and wait for its end."""
        await self._stop([running for running in self._running.values() if running.job.id == job_id], reason)

    @contextlib.asynccontextmanager
    async def paused(self, scope: Scope, reason: str) -> AsyncIterator[None]:
        """Stop the jobs of a scope that run here, and begin none of anybody meanwhile."""
        self._pauses += 1
        try:
            running = [one for one in self._running.values() if _within(one.job.scope, scope)]
            await self._stop(running, reason)
            yield
        finally:
            self._pauses -= 1
            self._pulse.beat()

    async def _stop(self, wanted: list[Running], reason: str) -> None:
        for running in wanted:
            running.stop(reason)
        while True:
            news = self.news
            if not any(running in wanted for running in self._running.values()):
                return
            await news.wait()

    # Working

    @property
    def _tasks(self) -> list[asyncio.Task[None]]:
        return [*self._loops, *([self._service] if self._service else [])]

    @property
    def _kinds(self) -> list[str]:
        return list(self._handlers)

    @property
    def _wanted(self) -> int:
        return self._settings.workers if self._held_to is None else self._held_to

    @property
    def _count(self) -> int:
        return max(1, self._wanted)

    @property
    def _open(self) -> bool:
        return self._taking and not self._pauses

    async def _work(self) -> None:
        while self._taking:
            if len(self._loops) > self._wanted:
                self._loops -= {one for one in self._loops if one is asyncio.current_task()}
                return
            news = self.news
            found = await self._look()
            if isinstance(found, Job):
                await self._do(found)
            elif self._until_idle and not self._pauses:
                return
            else:
                await first(news, self._sleep, found)

    async def _serve(self, fleet: Fleet, count: int, enough: asyncio.Event) -> None:
        """Take part in a fleet until it is enough, however often the database is away."""
        terms = Terms(
            count=count,
            poll_s=self._settings.poll_s,
            lease_s=self._settings.lease_s,
            per_user=self._settings.per_user,
            chores=tuple(self._chores),
        )
        while not enough.is_set():
            try:
                await fleet.serve(functools.partial(self._turn, enough), terms, enough)
            except Exception:
                logger.exception("no worker can be called; trying again in a while")
            if not enough.is_set():
                await first(enough, self._sleep, self._settings.poll_s)

    async def _turn(self, enough: asyncio.Event) -> None:
        """Do what can begin now, one after the other: what ends here may let another one begin.

        Raises:
            Stopped: nothing is begun here any more, and somebody else has to be called.
        """
        await self._tidy()
        while True:
            news = self.news
            if not self._taking or enough.is_set():
                raise Stopped
            if self._pauses:
                await news.wait()
                continue
            found = await self._take()
            if not isinstance(found, Job):
                return
            await self._do(found)

    async def _look(self) -> Job | float:
        """Begin a job, or return how many seconds to rest."""
        try:
            await self._tidy()
            return await self._take() if self._open else self._settings.poll_s
        except Exception:
            logger.exception("no job could be begun; looking again in a while")
            return self._settings.poll_s

    async def _take(self) -> Job | float:
        # A read tells first whether there is anything, so that an idle worker is in nobody's way.
        due = await self._queue.due(self._kinds)
        pause = self._settings.poll_s
        if due is None or due > self._clock():
            return pause if due is None else min(pause, (due - self._clock()).total_seconds())
        settings = self._settings
        job = await self._queue.lease(self._kinds, settings.lease_s, per_user=settings.per_user)
        if job is not None and not self._open:
            await self._queue.release(job)
            return pause
        return pause if job is None else job

    async def _do(self, job: Job) -> None:
        running = Running(
            job,
            self._handlers[job.kind],
            queue=self._queue,
            lease_s=self._settings.lease_s,
            sleep=self._sleep,
        )
        self._running[job.id] = running
        try:
            await self._settle(job, running)
        except StoreError as error:
            # The lease runs out, and the job is done again, which changes nothing.
            logger.warning("what became of job %s could not be written: %s", job.id, error)
        finally:
            del self._running[job.id]
            self._pulse.beat()

    async def _settle(self, job: Job, running: Running) -> None:
        try:
            result = await running.result()
        except Stopped:
            await self._queue.release(job)
            return
        except Exception as error:
            again = again_at(job, error, now=self._clock(), backoff_s=self._settings.backoff_s, rng=self._rng)
            logger.warning("job %s failed: %s", job.id, error)
            await self._queue.fail(job, error_of(error), again_at=again)
        else:
            await self._queue.finish(job, dict(result))
        self._ended += 1

    async def _tidy(self) -> None:
        now = self._clock()
        if self._tidied is None or now - self._tidied >= TIDY:
            self._tidied = now
            await self._queue.prune(now - timedelta(days=self._settings.keep_days))


def _within(scope: Scope, other: Scope) -> bool:
    named = scope.attributes
    return scope.partition == other.partition and all(named.get(k) == v for k, v in other.attributes.items())
