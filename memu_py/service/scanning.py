"""The scan for occasions: of one user, and as jobs of all of them."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from memu_py.language.zones import zone
from memu_py.records.job import Job, Lease
from memu_py.records.scope import Scope
from memu_py.service.periods import enqueue_period
from memu_py.service.runtime import Runtime
from memu_py.steps.proactive.occasions import occasions
from memu_py.workflow.cancellation import Cancellation

SCAN = "scan"


async def scan(runtime: Runtime, scope: Scope, *, lease: Lease | None = None) -> int:
    """Note what comes round or is due for a user; doing it again changes nothing.

    Args:
        runtime: what the service runs on.
        scope: whose; all of the user's memory is looked at.
        lease: of the job that this is.

    Returns:
        How many occasions were not known before.

    Raises:
        Cancelled: the lease is gone.
    """
    settings = runtime.settings
    local = zone(settings.timezone_of(scope.user))
    today = runtime.clock().astimezone(local).date()
    dated = await runtime.store.foresight.dated(scope.owner)
    ahead = settings.jobs.scan_ahead_days
    found = [occasion for one in dated for occasion in occasions(one, today=today, ahead=ahead, zone=local)]
    if not found and lease is None:
        return 0
    return await runtime.store.foresight.note(scope.owner, found, lease=lease)


async def do_scan(runtime: Runtime, job: Job, cancel: Cancellation) -> Mapping[str, Any]:
    """Do a job of the kind `scan`.

    Returns:
        `added`, how many occasions were not known before, and `unchanged`.
    """
    cancel.check()
    added = await scan(runtime, job.scope, lease=job.lease)
    return {"added": added, "unchanged": not added}


async def enqueue_scans(runtime: Runtime) -> int:
    """Write down a scan of every user who has an item with a date.

    A user has one scan in a period, whoever asks for it and how often: the period is part of its run's id.

    Returns:
        How many users there are.
    """
    every = runtime.settings.jobs.scan_every_s
    if not every:
        return 0
    return await enqueue_period(runtime, SCAN, every, await runtime.store.maintenance.dated_owners())


def window(runtime: Runtime, scope: Scope, within_days: int | None) -> tuple[date, date | None]:
    """Return today in the zone of the scope, and the last day that is asked for."""
    local = zone(runtime.settings.timezone_of(scope.user))
    today = runtime.clock().astimezone(local).date()
    return today, None if within_days is None else today + timedelta(days=within_days)
