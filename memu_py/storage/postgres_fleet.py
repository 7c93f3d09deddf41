"""Workers on many machines by procrastinate: it listens, hands out tickets, watches who lives, and keeps the periods.

A worker that takes a ticket begins the job that is next, by our own rules, under a lease in our own row: the commit of
the run asks for that one, and nothing that happens to a ticket can double or lose a memory.
"""

import asyncio
import contextlib
from functools import partial
from typing import Any

from memu_py.jobs.chore import Rounds
from memu_py.jobs.fleet import Terms, Turn
from memu_py.storage import job_leases, tickets
from memu_py.storage.database import QUEUE, Database
from memu_py.storage.job_schema import SCHEMA
from memu_py.storage.postgres_database import CONNECT_S, libpq_dsn
from memu_py.storage.row_security import EVERYBODY, SETTING
from memu_py.storage.settings import Clock

WATCH = "memu.watch"
URGENT = 1_000_000
"""Priority of the watch: it goes before all jobs."""
CONNECTIONS = 3
"""Connections of a process with workers at most, beside the one that listens and those of the store."""
BEATS = 3
"""So often does a process say that it lives before it is given up."""
AGAIN_S = 1
"""Pause before a ticket that could not be served is offered again, in seconds."""
SELDOM_S = 3600.0
"""How often to ask whether a ticket is to be broken off: nobody does that, a job is cancelled in its row."""
RENEWED = 1000
"""Tickets that one watch issues at most."""

_PERIODS = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)
_CONFIGURE = (
    f"SELECT set_config('search_path', '{SCHEMA}', false), set_config('{SETTING}', '{EVERYBODY}', false)"
)


class PostgresFleet:
    """`Fleet` on PostgreSQL.

    Args:
        dsn: the address of the server, as libpq or SQLAlchemy write it.
        database: the same, for units of work.
        clock: by which jobs become due.
    """

    def __init__(self, dsn: str, database: Database, *, clock: Clock) -> None:
        self._dsn = libpq_dsn(dsn)
        self._database = database
        self._clock = clock
        self._rounds = Rounds()

    async def serve(self, turn: Turn, terms: Terms, stop: asyncio.Event) -> None:
        """See `Fleet.serve`."""
        app = self._app(turn, terms)
        try:
            await app.open_async()
            worker = app.run_worker_async(
                queues=[tickets.QUEUE_NAME],
                concurrency=terms.count,
                # What was called before it listened would wait for ever, and the watch that looks for it, too.
                fetch_job_polling_interval=min(terms.poll_s, period_of(terms.lease_s)),
                abort_job_polling_interval=SELDOM_S,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=terms.lease_s / BEATS,
                stalled_worker_timeout=terms.lease_s,
            )
            await _until(stop, asyncio.ensure_future(worker))
        finally:
            await app.close_async()

    def _app(self, turn: Turn, terms: Terms) -> Any:
        import procrastinate  # noqa: PLC0415 - an extra, and only workers need it
        import psycopg  # noqa: PLC0415 - the same

        dsn: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(self._dsn)
        connector = procrastinate.PsycopgConnector(
            conninfo=psycopg.conninfo.make_conninfo("", **{"connect_timeout": CONNECT_S, **dsn}),
            min_size=1,
            max_size=CONNECTIONS,
            configure=_configure,
        )
        app = procrastinate.App(connector=connector)

        @app.task(name=tickets.TASK, retry=procrastinate.RetryStrategy(wait=AGAIN_S))
        async def do(**_: str) -> None:
            await turn()

        every = period_of(terms.lease_s)

        @app.periodic(cron=f"* * * * * */{every}")
        @app.task(name=WATCH, queue=tickets.QUEUE_NAME, queueing_lock=WATCH, priority=URGENT)
        async def watch(timestamp: int) -> None:
            await self._give_up_the_silent(app, terms.lease_s)
            await self._database.write(partial(self._renew, per_user=terms.per_user), partition=QUEUE)
            await self._rounds.look(terms.chores, self._clock().timestamp())

        return app

    @staticmethod
    async def _give_up_the_silent(app: Any, lease_s: float) -> None:
        """Drop the tickets that processes held of which nothing was heard for so long; their jobs get new ones."""
        import procrastinate  # noqa: PLC0415 - as above

        manager, failed = app.job_manager, procrastinate.jobs.Status.FAILED
        stalled = await manager.get_stalled_jobs(queue=tickets.QUEUE_NAME, seconds_since_heartbeat=lease_s)
        for one in stalled:
            # Another watch, or the process itself, may have been first.
            with contextlib.suppress(procrastinate.exceptions.ConnectorException):
                await manager.finish_job(one, status=failed, delete_job=True)

    def _renew(self, connection: Any, *, per_user: int | None) -> int:
        now = self._clock()
        job_leases.give_up_the_lost(connection, now)
        return tickets.renew(connection, job_leases.beginning(now, per_user), now, RENEWED)


def period_of(lease_s: float) -> int:
    """Return how often to watch, in seconds: a part of a minute, so that all processes mean the same moments.

    >>> period_of(60), period_of(0.5)
    (20, 1)
    """
    return max(one for one in _PERIODS if one <= max(1, lease_s / BEATS))


async def _configure(connection: Any) -> None:
    """Have a connection find procrastinate's tables, and speak for everybody."""
    await connection.execute(_CONFIGURE)
    await connection.commit()


async def _until(stop: asyncio.Event, working: "asyncio.Future[None]") -> None:
    """Wait for a worker's end, or bring it about when told to stop: what it does then goes on to its end."""
    told = asyncio.ensure_future(stop.wait())
    both: list[asyncio.Future[Any]] = [working, told]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        told.cancel()
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
