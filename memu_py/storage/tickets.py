"""Tickets: what calls the workers of PostgreSQL, in whatever process, to a job that may begin.

A job is a row of ours, and remains the only word on what is to be done, by whom, and how it ended. Beside it lies a job
of procrastinate, its ticket, with nothing in it but the hash of the partition and the job's id. Every change by which
a job may begin issues one in the same transaction, so that there is none without the other, and the server tells those
who listen. Whoever takes a ticket does the job that is next by our rules. A ticket too many is found to lead nowhere,
and goes; one that was lost is issued again by `renew`.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    column,
    delete,
    exists,
    func,
    literal,
    select,
    table,
    text,
)

from memu_py.records.job import Job
from memu_py.storage.dialect import POSTGRES
from memu_py.storage.job_schema import SCHEMA
from memu_py.storage.plain import to_micros
from memu_py.storage.schema import jobs
from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit

QUEUE_NAME = "memu"
TASK = "memu.do"

_tickets = table(
    "procrastinate_jobs", column("id"), column("status"), column("task_name"), column("args"), schema=SCHEMA
)
_WAITS = text(f"{SCHEMA}.procrastinate_jobs.status = 'todo'")
_ISSUE = text(
    f"""
SELECT {SCHEMA}.procrastinate_defer_jobs_v1(ARRAY(
    SELECT ROW(
        '{QUEUE_NAME}', '{TASK}', priority, NULL, NULL,
        jsonb_build_object('partition', encode(partition_hash, 'hex'), 'job', id),
        CASE WHEN not_before > :now THEN to_timestamp(not_before / 1000000.0) END
    )::{SCHEMA}.procrastinate_job_to_defer_v1
    FROM jobs WHERE partition_hash = :hash AND id = ANY(:ids) AND status = 'queued'
))
"""  # noqa: S608 - names of this module only
)


def issue(unit: Unit, job: Job) -> None:
    """Call a worker to a job that waits, at the time from which it may begin; where nobody is called, a no-op."""
    if unit.connection.dialect.name == POSTGRES:
        _issue(unit.connection, job.scope.partition_hash, [job.id], unit.now)


def _issue(connection: Connection, partition_hash: bytes, ids: Sequence[str], now: datetime) -> None:
    connection.execute(_ISSUE, {"hash": partition_hash, "ids": list(ids), "now": to_micros(now)})


def issue_next(unit: Unit) -> None:
    """Call a worker to the partition's job that has waited longest: what held it up may be gone."""
    if unit.connection.dialect.name != POSTGRES:
        return
    waiting = select(jobs.c.id).where(
        within(jobs, unit.scope, attributes=False), jobs.c.status == "queued", jobs.c.not_before <= unit.now
    )
    found = unit.connection.scalar(waiting.order_by(jobs.c.priority.desc(), jobs.c.id).limit(1))
    if found is not None:
        _issue(unit.connection, unit.scope.partition_hash, [found], unit.now)


def withdraw(unit: Unit) -> None:
    """Take back the tickets of all jobs of the unit's scope, before these are erased."""
    if unit.connection.dialect.name != POSTGRES:
        return
    gone = select(jobs.c.id).where(within(jobs, unit.scope))
    unit.connection.execute(delete(_tickets).where(_WAITS, _job().in_(gone)))


def renew(connection: Connection, beginning: ColumnElement[bool], now: datetime, limit: int) -> int:
    """Drop tickets that lead nowhere, and issue those that are missing.

    Args:
        connection: inside a transaction on behalf of everybody.
        beginning: the condition that a job may begin now.
        now: UTC.
        limit: tickets at most.

    Returns:
        How many were issued.
    """
    drop_stale(connection)
    ticket = exists(select(literal(1)).select_from(_tickets).where(_WAITS, _job() == jobs.c.id))
    missing = select(jobs.c.partition_hash, jobs.c.id).where(beginning, ~ticket)
    rows = connection.execute(missing.order_by(jobs.c.id).limit(limit)).all()
    for row in rows:
        _issue(connection, row.partition_hash, [row.id], now)
    return len(rows)


def drop_stale(connection: Connection) -> None:
    """Drop tickets of jobs that do not wait any more; where there are none, a no-op."""
    if connection.dialect.name != POSTGRES:
        return
    owner = func.decode(_tickets.c.args.op("->>")("partition"), "hex")
    waits = exists(
        select(literal(1)).where(
            jobs.c.partition_hash == owner, jobs.c.id == _job(), jobs.c.status == "queued"
        )
    )
    connection.execute(delete(_tickets).where(_WAITS, _tickets.c.task_name == TASK, ~waits))


def _job() -> ColumnElement[str]:
    found: ColumnElement[str] = _tickets.c.args.op("->>")("job")
    return found
