"""Work that is done for everybody once in a period, as jobs."""

from collections.abc import Sequence

from memu_py.records.ids import new_id
from memu_py.records.job import Job
from memu_py.records.scope import Scope
from memu_py.service.runtime import Runtime


def new_job(runtime: Runtime, owner: Scope, kind: str, run_id: str) -> Job:
    """Return a job that starts from nothing but whose it is."""
    now = runtime.clock()
    return Job(
        id=new_id(),
        scope=owner,
        kind=kind,
        run_id=run_id,
        created_at=now,
        updated_at=now,
        not_before=now,
        priority=runtime.settings.jobs.priority_of(kind),
        max_attempts=runtime.settings.jobs.max_attempts,
    )


async def enqueue_period(runtime: Runtime, kind: str, every_s: float, owners: Sequence[Scope]) -> int:
    """Write down a job of the present period for each of some owners.

    An owner has one of a kind in a period, whoever asks for it and how often: the period is part of its run's id.

    Returns:
        How many owners there are.
    """
    period = int(runtime.clock().timestamp() // every_s)
    for owner in owners:
        job = new_job(runtime, owner, kind, f"{kind} {every_s:g} {period}")
        await runtime.store.jobs.enqueue(owner, job)
    if owners:
        runtime.workers.start()
    return len(owners)
