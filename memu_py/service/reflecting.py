"""Reflection: of one user, and as jobs."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from memu_py.records.ids import new_id
from memu_py.records.insight import Reflected
from memu_py.records.job import Job, Lease
from memu_py.records.scope import Scope
from memu_py.service.periods import enqueue_period, new_job
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.steps.reflection import Reflector
from memu_py.workflow.cancellation import Cancellation

REFLECT = "reflect"


async def reflect(
    runtime: Runtime,
    scope: Scope,
    *,
    run_id: str | None = None,
    lease: Lease | None = None,
    check: Callable[[], None] = lambda: None,
) -> Reflected:
    """Look at all that waits, page by page; a page that fails waits, and those before it are done.

    Args:
        runtime: what the service runs on.
        scope: whose memory; the whole partition counts.
        run_id: under which it runs.
        lease: of the job that this is.
        check: called between pages; raises to stop.

    Raises:
        ModelError: the model failed.
    """
    owner, name = scope.owner, run_id or new_id()
    pages: list[Reflected] = []
    while True:
        resources = runtime.resources(owner, lease=lease)
        reflector = Reflector(resources=resources, scope=owner, clock=runtime.clock, check=check)
        try:
            page = await settled(lambda reflector=reflector: reflector.page(name))  # type: ignore[misc]
        finally:
            await runtime.settle(resources)
        if page is None:
            return _together(pages)
        pages.append(page)


def _together(pages: list[Reflected]) -> Reflected:
    dropped = Counter[str]()
    for page in pages:
        dropped.update(page.dropped)
    return Reflected(
        insights=tuple(item for page in pages for item in page.insights),
        confirmed=tuple(item for page in pages for item in page.confirmed),
        looked_at=sum(page.looked_at for page in pages),
        dropped=dict(dropped),
    )


async def do_reflect(runtime: Runtime, job: Job, cancel: Cancellation) -> Mapping[str, Any]:
    """Do a job of the kind `reflect`.

    Returns:
        How many `insights` this attempt wrote, how many earlier ones it `confirmed`, how many items it `looked_at`, and
        how many insights were `dropped`, by reason.
    """
    done = await reflect(runtime, job.scope, run_id=job.run_id, lease=job.lease, check=cancel.check)
    return done.counts()


async def enqueue_due(runtime: Runtime, scope: Scope) -> None:
    """Write down a reflection when enough items wait; one for each so many, whoever counts them.

    It is not urgent: it waits until workers work anyway.
    """
    every = runtime.settings.reflect.every_items
    if not every:
        return
    reflections, owner = runtime.store.reflections, scope.owner
    # Far enough to see that a reflection which failed is due again.
    waiting = await reflections.count(owner, 10 * every)
    if waiting < every:
        return
    mark = await reflections.watermark(owner)
    await runtime.store.jobs.enqueue(
        owner, new_job(runtime, owner, REFLECT, f"{REFLECT} {mark.seq} {waiting // every}")
    )


async def enqueue_reflects(runtime: Runtime) -> int:
    """Write down a reflection of everybody who has an item, once in a period; returns how many there are."""
    every = runtime.settings.reflect.every_s
    if not every:
        return 0
    return await enqueue_period(runtime, REFLECT, every, await runtime.store.maintenance.owners())
