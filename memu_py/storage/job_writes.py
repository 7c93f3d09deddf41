"""What happens to a job."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert, null, select, update

from memu_py.errors import Cancelled, Conflict
from memu_py.records.job import Job, JobError, Lease
from memu_py.storage import tickets
from memu_py.storage.job_rows import load_job, row_of
from memu_py.storage.plain import clean_text, plain
from memu_py.storage.schema import jobs, runs
from memu_py.storage.scoping import require_within, within
from memu_py.storage.unit import Unit

_NO_LEASE: dict[str, Any] = {"lease_id": null(), "lease_until": null()}
_NO_ERROR: dict[str, Any] = {"error_type": null(), "error": null()}


def add_job(unit: Unit, job: Job) -> Job:
    """Add a job, or find that of its run; see `JobQueue.enqueue`."""
    require_within(unit.scope, job.scope, "the job")
    known = select(jobs.c.id).where(
        within(jobs, unit.scope, attributes=False), jobs.c.run_id == clean_text(job.run_id)
    )
    found = unit.connection.scalar(known)
    if found is None:
        unit.connection.execute(insert(jobs), [row_of(job)])
        tickets.issue(unit, job)
    stored = load_job(unit.connection, unit.scope, found or job.id)
    if stored is None:
        msg = f"the run {job.run_id!r} has a job outside this scope"
        raise Conflict(msg, hint="take another run id")
    return stored


def cancel_job(unit: Unit, job_id: str) -> Job | None:
    """End a job; see `JobQueue.cancel`."""
    gone = {"status": "cancelled", "finished_at": unit.now}
    while True:
        job = load_job(unit.connection, unit.scope, job_id)
        if job is None or job.ended or _has_written(unit, job):
            return job
        if _changed(unit, job, **gone, **_NO_LEASE):
            break
    if job.status == "running":
        tickets.issue_next(unit)
    return load_job(unit.connection, unit.scope, job_id)


def _has_written(unit: Unit, job: Job) -> bool:
    run = select(runs.c.id).where(within(runs, job.scope.owner), runs.c.id == job.run_id)
    return unit.connection.scalar(run) is not None


def retry_job(unit: Unit, job_id: str) -> Job | None:
    """Let a job begin again; see `JobQueue.retry`."""
    fresh = {"status": "queued", "attempts": 0, "not_before": unit.now, "finished_at": null()}
    while True:
        job = load_job(unit.connection, unit.scope, job_id)
        if job is None or job.status in ("running", "done"):
            return job
        if _changed(unit, job, **fresh, **_NO_ERROR):
            break
    tickets.issue(unit, job)
    return load_job(unit.connection, unit.scope, job_id)


def _changed(unit: Unit, job: Job, **values: Any) -> bool:
    """Change a job, if it still stands as it was read: a worker may begin or give up one meanwhile."""
    statement = update(jobs).where(within(jobs, unit.scope), jobs.c.id == job.id, jobs.c.status == job.status)
    return unit.connection.execute(statement.values(updated_at=unit.now, **values)).rowcount == 1


# Under a lease


def extend_lease(unit: Unit, job: Job, until: datetime) -> bool:
    """Have a lease last until a moment; see `JobQueue.extend`."""
    return _leased(unit, job, lease_until=until)


def finish_job(unit: Unit, job: Job, result: dict[str, object]) -> bool:
    """End a job as done; see `JobQueue.finish`."""
    told = plain(result, where="result")
    gone = {"payload": {}, "content": null()}
    return _leased(
        unit, job, status="done", result=told, finished_at=unit.now, **gone, **_NO_ERROR, **_NO_LEASE
    )


def fail_job(unit: Unit, job: Job, error: JobError, again_at: datetime | None) -> bool:
    """Note a failure; see `JobQueue.fail`."""
    told = {"error_type": clean_text(error.type), "error": clean_text(error.message)}
    if again_at is None or job.attempts >= job.max_attempts:
        return _leased(unit, job, status="failed", finished_at=unit.now, **told, **_NO_LEASE)
    return _waits(unit, job, not_before=again_at, **told)


def release_job(unit: Unit, job: Job) -> bool:
    """Give a job back; see `JobQueue.release`."""
    return _waits(unit, job, attempts=job.attempts - 1, not_before=unit.now)


def _waits(unit: Unit, job: Job, **values: Any) -> bool:
    """Have a job wait for its next attempt, if the lease is ours, and call a worker to it."""
    ours = _leased(unit, job, status="queued", **values, **_NO_LEASE)
    if ours:
        tickets.issue(unit, job)
    return ours


def _leased(unit: Unit, job: Job, **values: Any) -> bool:
    statement = update(jobs).where(
        within(jobs, unit.scope), jobs.c.id == job.id, jobs.c.lease_id == job.lease_id
    )
    return unit.connection.execute(statement.values(updated_at=unit.now, **values)).rowcount == 1


def require_lease(unit: Unit, lease: Lease) -> None:
    """Check that the job of a run may still write.

    Raises:
        Cancelled: it was cancelled, erased, or taken over by another worker.
    """
    statement = select(jobs.c.id).where(
        within(jobs, unit.scope, attributes=False), jobs.c.id == lease.job_id, jobs.c.lease_id == lease.id
    )
    if unit.connection.scalar(statement) is None:
        msg = f"job {lease.job_id} was cancelled, erased or taken over; nothing of it was written"
        raise Cancelled(msg)
