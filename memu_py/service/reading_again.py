"""Resources that were not read whole, and reading them again."""

from memu_py.errors import MemuError, NotFound
from memu_py.records.conversation import SCHEME
from memu_py.records.ids import new_id
from memu_py.records.page import Where
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.service.keeping import is_kept
from memu_py.service.memorizing import memorize_request
from memu_py.service.results import MemorizeResult
from memu_py.service.runtime import Progress, Runtime

UNREAD: Where = {"status": {"in": ["partial", "failed"]}}
"""Which resources a memorize left something out of."""


async def read_again(
    runtime: Runtime,
    scope: Scope,
    resource_id: str | None,
    *,
    timezone: str | None,
    progress: Progress | None,
) -> list[MemorizeResult]:
    """Read one resource again, or all that were not read whole, one after the other; see `MemorizeMixin.retry`."""
    if resource_id is not None:
        return [await _again(runtime, await _one(runtime, scope, resource_id), timezone, progress)]
    done: list[MemorizeResult] = []
    failures: list[MemuError] = []
    for resource in await _unread(runtime, scope):
        try:
            done.append(await _again(runtime, resource, timezone, progress))
        except MemuError as error:
            error.add_note(f"resource {resource.id}")
            failures.append(error)
    if failures:
        raise failures[0]
    return done


async def _unread(runtime: Runtime, scope: Scope) -> list[Resource]:
    """Return the resources of a scope that were not read whole, the oldest first."""
    ids = await runtime.store.resources.ids(scope, UNREAD)
    found = await runtime.store.resources.get(scope, ids)
    return [found[one] for one in sorted(found)]


async def _one(runtime: Runtime, scope: Scope, resource_id: str) -> Resource:
    found = await runtime.store.resources.get(scope, [resource_id])
    if resource_id not in found:
        msg = f"no resource {resource_id!r} in this scope"
        raise NotFound(msg)
    return found[resource_id]


async def _again(
    runtime: Runtime, resource: Resource, timezone: str | None, progress: Progress | None
) -> MemorizeResult:
    """Memorize what is stored, as the one who did it first: its items are of the same agent and session."""
    url = resource.url or ""
    if url.startswith(SCHEME) and await is_kept(runtime, resource.scope, url):
        request = MemorizeRequest(resource_url=url, timezone=timezone)
    else:
        request = MemorizeRequest(resource_id=resource.id, timezone=timezone)
    return await memorize_request(runtime, request, resource.scope, new_id(), progress=progress)
