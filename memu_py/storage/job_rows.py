"""Jobs as rows."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, select

from memu_py.records.job import Job, JobError
from memu_py.records.scope import Scope
from memu_py.storage.plain import clean_text, plain
from memu_py.storage.schema import jobs
from memu_py.storage.scoping import owner_values, scope_of, within

HEAVY = ("payload", "content")
"""Columns that lists leave out: they hold what a job works on."""


def select_jobs() -> Select[Any]:
    """Return the select of jobs without what they work on."""
    return select(*(column for column in jobs.c if column.name not in HEAVY))


def load_jobs(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Job]:
    """Return whole jobs of the scope by id."""
    statement = select(jobs).where(within(jobs, scope), jobs.c.id.in_(ids))
    return {row["id"]: job_of(row) for row in connection.execute(statement).mappings()}


def load_job(connection: Connection, scope: Scope, job_id: str) -> Job | None:
    """Return a whole job of the scope."""
    if job_id != clean_text(job_id):
        return None
    return load_jobs(connection, scope, [job_id]).get(job_id)


def job_of(row: RowMapping) -> Job:
    """Return the job of a row, whole or of a list."""
    fields = {name: value for name, value in row.items() if name in Job.__dataclass_fields__}
    error = JobError(type=row["error_type"], message=row["error"]) if row["error_type"] else None
    return Job(**fields | {"scope": scope_of(row), "error": error})


def row_of(job: Job) -> dict[str, Any]:
    """Return the row of a job.

    Raises:
        InvalidInput: its payload is no plain data.
    """
    named = [name for name in Job.__dataclass_fields__ if name not in ("scope", "error")]
    return {
        **owner_values(job.scope),
        **{name: getattr(job, name) for name in named},
        "run_id": clean_text(job.run_id),
        "lock": None if job.lock is None else clean_text(job.lock),
        "payload": plain(job.payload, where="payload"),
        "error_type": job.error.type if job.error else None,
        "error": job.error.message if job.error else None,
    }
