"""One memorize, whoever waits for it: a caller, or a worker."""

from collections.abc import Mapping
from typing import Any

from memu_py.errors import NotFound
from memu_py.records.batch import Committed
from memu_py.records.job import Job, Lease
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.service.keeping import mark_again, note_memorized, whose
from memu_py.service.reflecting import enqueue_due
from memu_py.service.results import MemorizeResult
from memu_py.service.retry import settled
from memu_py.service.runtime import Progress, Runtime
from memu_py.service.stored_request import request_of
from memu_py.workflow.cancellation import Cancellation

MEMORIZE = "memorize"
NOTHING_NEW: Mapping[str, Any] = {
    "unchanged": True,
    "added": 0,
    "reinforced": 0,
    "skipped": 0,
    "failed": 0,
    "outcomes": [],
}
"""What a job gives whose run had nothing to write."""


async def known_run(runtime: Runtime, scope: Scope, run_id: str) -> MemorizeResult | None:
    """Return what a run that is done gave; None when it is not.

    Raises:
        NotFound: what it stored is not in the scope, or is gone.
    """
    summary = await runtime.store.find_run(scope.owner, run_id)
    if summary is None:
        return None
    resource_id = str(summary.get("resource_id"))
    found = await runtime.store.resources.get(scope, [resource_id])
    if resource_id not in found:
        raise _run_without_resource(run_id)
    return MemorizeResult(resource=found[resource_id], unchanged=True)


async def memorize_request(
    runtime: Runtime,
    request: MemorizeRequest,
    scope: Scope,
    run_id: str,
    *,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
    lease: Lease | None = None,
) -> MemorizeResult:
    """Run the workflow; again from its beginning when somebody else was first."""
    scope = await whose(runtime, request, scope)

    async def once() -> MemorizeResult:
        resources = runtime.resources(scope, lease=lease)
        state = {"request": request, "scope": scope}
        run = await runtime.run(MEMORIZE, state, resources, run_id=run_id, progress=progress, cancel=cancel)
        committed: Committed = run.state["committed"]
        if committed.resource is None:
            raise _run_without_resource(run_id)
        if not run.state["repeated"]:
            await note_memorized(runtime, scope, run.state["raw"].kept, committed.resource)
        if committed.added:
            await enqueue_due(runtime, scope)
        return MemorizeResult(
            resource=committed.resource,
            added=committed.added,
            reinforced=committed.reinforced,
            categories=tuple(run.state["touched"]),
            outcomes=tuple(run.state["report"]),
            warnings=tuple(run.state["warnings"]),
            unchanged=run.state["unchanged"],
            trace=run.trace,
            usage=resources.usage(),
        )

    return await settled(once)


async def do_memorize(runtime: Runtime, job: Job, cancel: Cancellation) -> Mapping[str, Any]:
    """Do a job of the kind `memorize`.

    What it gives is read back from where the run's transaction wrote it: the same, whether this attempt wrote it or one
    that died after it.

    Returns:
        `resource_id`, `unchanged`, the counts `added`, `reinforced`, `skipped`, `failed`, and `outcomes`.
    """
    store, owner = runtime.store, job.scope.owner
    kept = await store.find_run(owner, job.run_id)
    request = request_of(job)
    if kept is not None:
        await mark_again(runtime, job.scope, request.resource_url)
        return {**NOTHING_NEW, **kept}
    result = await memorize_request(runtime, request, job.scope, job.run_id, cancel=cancel, lease=job.lease)
    kept = await store.find_run(owner, job.run_id)
    return {**NOTHING_NEW, "resource_id": result.resource.id, **(kept or {})}


def _run_without_resource(run_id: str) -> NotFound:
    msg = f"the run {run_id!r} is done, and what it stored is not in this scope, or is deleted by now"
    return NotFound(msg, hint="memorize under a new run id")
