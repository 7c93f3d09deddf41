"""Which job begins next. Workers serve everybody: these statements name no scope."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Subquery,
    Update,
    and_,
    case,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    true,
    update,
)

from memu_py.records.ids import new_id
from memu_py.records.job import ENDED, Job
from memu_py.storage import tickets
from memu_py.storage.job_rows import job_of
from memu_py.storage.schema import jobs
from memu_py.storage.scoping import beside

LOST = "WorkerLost"
"""Type of the error of a job whose worker was never heard of again."""

_QUEUED = jobs.c.status == "queued"
_RUNNING = jobs.c.status == "running"


def next_due(connection: Connection, kinds: Sequence[str]) -> datetime | None:
    """Return when the next job can begin; see `JobQueue.due`."""
    moment = case((_QUEUED, jobs.c.not_before), else_=jobs.c.lease_until)
    mine = jobs.c.kind.in_(kinds)
    found = select(func.min(moment, type_=jobs.c.not_before.type)).where(
        jobs.c.status.in_(("queued", "running")), mine
    )
    due: datetime | None = connection.scalar(found)
    return due


def take(
    connection: Connection, kinds: Sequence[str], now: datetime, seconds: float, per_user: int | None
) -> Job | None:
    """Begin the job that is next; see `JobQueue.lease`."""
    give_up_the_lost(connection, now)
    busy = _busy()
    running = func.coalesce(busy.c.running, 0)
    statement = (
        select(jobs.c.partition_hash, jobs.c.partition, jobs.c.id)
        .select_from(jobs.outerjoin(busy, beside(busy, jobs)))
        .where(jobs.c.kind.in_(kinds), _may_begin(now), running < per_user if per_user else true())
        .order_by(jobs.c.priority.desc(), running, jobs.c.id)
        .limit(1)
    )
    while (row := connection.execute(statement).one_or_none()) is not None:
        same = and_(
            jobs.c.partition_hash == row.partition_hash,
            jobs.c.partition == row.partition,
            jobs.c.id == row.id,
        )
        if _begin(connection, same, now, seconds):
            return job_of(connection.execute(select(jobs).where(same)).mappings().one())
    return None


def _begin(connection: Connection, same: ColumnElement[bool], now: datetime, seconds: float) -> bool:
    """Begin a job, if it still waits: its owner may have cancelled or erased it since it was found."""
    begun = (
        update(jobs)
        .where(same, _QUEUED)
        .values(
            status="running",
            attempts=jobs.c.attempts + 1,
            lease_id=new_id(),
            lease_until=now + timedelta(seconds=seconds),
            updated_at=now,
        )
    )
    return connection.execute(begun).rowcount == 1


def beginning(now: datetime, per_user: int | None) -> ColumnElement[bool]:
    """Return the condition that a job of any kind may begin now."""
    if not per_user:
        return _may_begin(now)
    busy = _busy()
    full = exists(select(literal(1)).where(beside(busy, jobs), busy.c.running >= per_user))
    return and_(_may_begin(now), ~full)


def _may_begin(now: datetime) -> ColumnElement[bool]:
    return and_(_QUEUED, jobs.c.not_before <= now, or_(jobs.c.lock.is_(None), ~_held()))


def _busy() -> Subquery:
    """Return how many jobs run of each partition that has any."""
    at_work = jobs.alias("at_work")
    owner = (at_work.c.partition_hash, at_work.c.partition)
    counted = select(*owner, func.count().label("running")).where(at_work.c.status == "running")
    return counted.group_by(*owner).subquery("busy")


def _held() -> ColumnElement[bool]:
    """Return the condition that a job runs which has the lock."""
    holder = jobs.alias("holder")
    return exists(
        select(literal(1)).where(
            beside(holder, jobs), holder.c.lock == jobs.c.lock, holder.c.status == "running"
        )
    )


def give_up_the_lost(connection: Connection, now: datetime) -> None:
    """Have jobs whose leases ran out wait again; those without an attempt left have failed."""
    lost = and_(_RUNNING, jobs.c.lease_until <= now)
    last = jobs.c.attempts >= jobs.c.max_attempts
    message = "the process that ran it died, or was cut off from the database"
    free: dict[str, Any] = {"lease_id": null(), "lease_until": null(), "updated_at": now}
    error = {"error_type": LOST, "error": message}
    ended: Update = update(jobs).where(lost, last)
    connection.execute(ended.values(status="failed", finished_at=now, **error, **free))
    again: Update = update(jobs).where(lost)
    connection.execute(again.values(status="queued", not_before=now, **error, **free))


def any_old(connection: Connection, before: datetime) -> bool:
    """Say whether a job ended before a moment."""
    return connection.execute(select(jobs.c.id).where(_ended_before(before)).limit(1)).first() is not None


def prune(connection: Connection, before: datetime) -> int:
    """Drop jobs that ended before a moment, and tickets to none; see `JobQueue.prune`."""
    tickets.drop_stale(connection)
    return connection.execute(delete(jobs).where(_ended_before(before))).rowcount


def _ended_before(before: datetime) -> ColumnElement[bool]:
    return and_(jobs.c.status.in_(ENDED), jobs.c.finished_at < before)
