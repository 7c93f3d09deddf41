"""The memorize half of the service."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from memu_py.errors import NotFound
from memu_py.language.zones import zone
from memu_py.records.batch import Committed
from memu_py.records.ids import new_id
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.service.base import ServiceBase
from memu_py.service.metadata import check_metadata
from memu_py.service.results import MemorizeResult
from memu_py.service.retry import settled
from memu_py.service.runtime import Progress
from memu_py.service.scopes import ScopeKeys

MEMORIZE = "memorize"


class MemorizeMixin(ServiceBase):
    """Take things in."""

    async def memorize(
        self,
        *,
        resource_url: str | None = None,
        text: str | None = None,
        messages: Sequence[Mapping[str, Any] | str] | None = None,
        data: bytes | None = None,
        modality: str | None = None,
        infer: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        timezone: str | None = None,
        run_id: str | None = None,
        progress: Progress | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> MemorizeResult:
        """Remember a conversation, a document or a text.

        Exactly one of `text`, `messages` and `data` is the content; without one, `resource_url` is read. Beside
        content, `resource_url` names the resource, so that memorizing it again adds only what is new.

        Args:
            resource_url: a path, or a `file:`, `data:` or `conversation://id` URL.
            text: plain text, Markdown or a transcript.
            messages: as of the chat APIs, or plain strings.
            data: bytes of any supported format.
            modality: `text` (the default family), `conversation`, `transcript`, `markdown`; None lets the bytes tell.
            infer: False stores segments verbatim, True wants a model, None uses one when it is configured.
            metadata: kept on the resource and its items; filters can ask for it.
            timezone: zone of times that carry none.
            run_id: the same id again changes nothing and returns the same resource.
            progress: called with each progress event.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: there is no content, or more than one.
            UnsupportedModality: nothing reads this content.
            AccessDenied: a path outside `blobs.allowed_roots`.
            NotFound: there is nothing at the address; or the run id is known, and what it stored is gone.
            ConfigError: a step needs something that is not configured.
        """
        scope = self._scopes.make(**keys)
        request = MemorizeRequest(
            resource_url=resource_url,
            text=text,
            messages=messages,
            data=data,
            modality=modality,
            infer=infer,
            timezone=timezone,
            metadata=check_metadata(metadata),
        )
        if timezone is not None:
            zone(timezone)
        await self._runtime.open()
        known = await self._known_run(scope, run_id)
        if known is not None:
            return known
        run = run_id or new_id()
        return await settled(lambda: self._memorize(request, scope, run, progress))

    async def _known_run(self, scope: Scope, run_id: str | None) -> MemorizeResult | None:
        if run_id is None:
            return None
        summary = await self._runtime.store.find_run(scope.owner, run_id)
        if summary is None:
            return None
        resource_id = str(summary.get("resource_id"))
        found = await self._runtime.store.resources.get(scope, [resource_id])
        if resource_id not in found:
            raise _run_without_resource(run_id)
        return MemorizeResult(resource=found[resource_id], unchanged=True)

    async def _memorize(
        self, request: MemorizeRequest, scope: Scope, run_id: str, progress: Progress | None
    ) -> MemorizeResult:
        resources = self._runtime.resources(scope)
        state = {"request": request, "scope": scope}
        run = await self._runtime.run(MEMORIZE, state, resources, run_id=run_id, progress=progress)
        committed: Committed = run.state["committed"]
        if committed.resource is None:
            raise _run_without_resource(run_id)
        return MemorizeResult(
            resource=committed.resource,
            added=committed.added,
            reinforced=committed.reinforced,
            categories=tuple(run.state["touched"]),
            outcomes=tuple(run.state["report"]),
            unchanged=run.state["unchanged"],
            trace=run.trace,
            usage=resources.usage(),
        )


def _run_without_resource(run_id: str) -> NotFound:
    msg = f"the run {run_id!r} is done, and what it stored is not in this scope, or is deleted by now"
    return NotFound(msg, hint="memorize under a new run id")
