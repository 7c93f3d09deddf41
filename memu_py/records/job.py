"""Work that is written down before it is done."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import PRIVATE, Record
from memu_py.records.scope import Scope

JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobStatus, ...] = ("done", "failed", "cancelled")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class JobError(Record):
    """Why an attempt failed.

    Attributes:
        type: name of the exception's class.
        message: what it says; never a traceback.
    """

    type: str
    message: str


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Lease(Record):
    """The right to do a job, until it runs out or is taken away; what is written under it is written by nobody else.

    Attributes:
        job_id: the job.
        id: of this lease; every attempt has another one.
    """

    job_id: str
    id: str


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Job(Record):
    """One piece of work.

    Attributes:
        id: UUIDv7; jobs of one priority begin in its order.
        scope: whose memory it works on.
        kind: what sort of work, such as `memorize`.
        run_id: under which it runs; a second job of the same run is the same job.
        payload: plain data that the work starts from; empty in lists, and once it is done.
        content: bytes that it starts from; None in lists, and once it is done.
        size: bytes of the content that it came with.
        lock: two jobs of one partition with the same lock never run at the same time; None for no such bond.
        priority: what is higher begins first, whosever it is.
        status: where it stands.
        attempts: how often it was begun.
        max_attempts: how often it may be begun.
        error: why the last attempt failed.
        result: what came of it, as plain data.
        lease_id: of the attempt under way.
        lease_until: when that is given up for dead unless it is extended, UTC.
        not_before: it waits until then, UTC.
        created_at: UTC.
        updated_at: UTC.
        finished_at: when it ended, UTC.
    """

    id: str
    scope: Scope
    kind: str
    run_id: str
    created_at: datetime
    updated_at: datetime
    not_before: datetime
    payload: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, metadata=PRIVATE)
    content: bytes | None = dataclasses.field(default=None, repr=False, metadata=PRIVATE)
    size: int = 0
    lock: str | None = None
    priority: int = 0
    status: JobStatus = "queued"
    attempts: int = 0
    max_attempts: int = 1
    error: JobError | None = None
    result: Mapping[str, Any] | None = None
    lease_id: str | None = dataclasses.field(default=None, metadata=PRIVATE)
    lease_until: datetime | None = None
    finished_at: datetime | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing will happen to it by itself any more."""
        return self.status in ENDED

    @property
    def lease(self) -> Lease | None:
        """The right under which it runs."""
        return Lease(job_id=self.id, id=self.lease_id) if self.lease_id else None
