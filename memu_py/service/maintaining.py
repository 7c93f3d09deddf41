"""Forgetting: of one user, and as jobs of all of them."""

from collections.abc import Mapping
from typing import Any

from memu_py.records.forgotten import Maintained, MaintainRequest
from memu_py.records.ids import new_id
from memu_py.records.job import Job, Lease
from memu_py.records.scope import Scope
from memu_py.service.periods import enqueue_period
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.workflow.cancellation import Cancellation

MAINTAIN = "maintain"
COUNTS = ("expired", "faded", "compressed", "more")


async def maintain(
    runtime: Runtime,
    scope: Scope,
    *,
    dry_run: bool = False,
    run_id: str | None = None,
    lease: Lease | None = None,
    cancel: Cancellation | None = None,
) -> Maintained:
    """Run the workflow; again from its beginning when somebody else was first.

    Args:
        runtime: what the service runs on.
        scope: whose memory.
        dry_run: write nothing.
        run_id: a run with the same id is written once.
        lease: of the job that this is.
        cancel: lets somebody else stop it.
    """
    # What was read a moment ago counts.
    await runtime.accesses.flush()
    state = {"request": MaintainRequest(scope=scope, dry_run=dry_run)}
    name = run_id or new_id()

    async def once() -> Maintained:
        resources = runtime.resources(scope, lease=lease)
        run = await runtime.run(MAINTAIN, state, resources, run_id=name, cancel=cancel)
        done: Maintained = run.state["maintained"]
        return done

    return await settled(once)


async def do_maintain(runtime: Runtime, job: Job, cancel: Cancellation) -> Mapping[str, Any]:
    """Do a job of the kind `maintain`.

    Returns:
        How many items `expired` and `faded`, how many were `compressed` out of them, and whether there is `more`; the
        same, whether this attempt wrote it or one that died after it.
    """
    known = await runtime.store.find_run(job.scope.owner, job.run_id)
    if known is not None:
        return {name: known.get(name, 0) for name in COUNTS}
    done = await maintain(runtime, job.scope, run_id=job.run_id, lease=job.lease, cancel=cancel)
    return done.counts()


async def enqueue_maintains(runtime: Runtime) -> int:
    """Write down a maintain of everybody who has an item, once in a period; returns how many there are."""
    every = runtime.settings.maintain.every_s
    if not every:
        return 0
    return await enqueue_period(runtime, MAINTAIN, every, await runtime.store.maintenance.owners())
