"""The memorize half of the service."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from memu_py.errors import InvalidInput
from memu_py.features.forgetting import EXPIRES_AT, expiry_of
from memu_py.language.zones import zone
from memu_py.records.ids import new_id
from memu_py.records.job import Job
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.keeping import whose
from memu_py.service.memorizing import known_run, memorize_request
from memu_py.service.metadata import check_metadata
from memu_py.service.reading_again import read_again
from memu_py.service.results import MemorizeResult
from memu_py.service.retry import settled
from memu_py.service.runtime import Progress
from memu_py.service.scopes import ScopeKeys
from memu_py.service.stored_request import memorize_job


class MemorizeKeys(ScopeKeys, total=False):
    """The arguments of `memorize` but for `wait`."""

    resource_url: str | None
    text: str | None
    messages: Sequence[Mapping[str, Any] | str] | None
    data: bytes | None
    modality: str | None
    infer: bool | None
    metadata: Mapping[str, Any] | None
    timezone: str | None
    run_id: str | None
    progress: Progress | None


@checks_arguments
class MemorizeMixin(ServiceBase):
    """Take things in."""

    @overload
    async def memorize(
        self, *, wait: Literal[True] = True, **given: Unpack[MemorizeKeys]
    ) -> MemorizeResult: ...

    @overload
    async def memorize(self, *, wait: Literal[False], **given: Unpack[MemorizeKeys]) -> Job: ...

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
        wait: bool = True,
        **keys: Unpack[ScopeKeys],
    ) -> MemorizeResult | Job:
        """Remember a conversation, a document or a text.

        Exactly one of `text`, `messages` and `data` is the content; without one, `resource_url` is read. Beside
        content, `resource_url` names the resource, so that memorizing it again adds only what is new.

        Args:
            resource_url: a path, or a `file:`, `data:`, `http:`, `https:` or `conversation://id` URL.
            text: plain text, Markdown or a transcript.
            messages: as of the chat APIs, or plain strings.
            data: bytes of any supported format.
            modality: `text` (the default family), `conversation`, `transcript`, `markdown`; None lets the bytes tell.
            infer: False stores segments verbatim, True wants a model, None uses one when it is configured.
            metadata: kept on the resource and its items; filters can ask for it. `expires_at`, a time with its zone,
                is from when on its items are found no more.
            timezone: zone of times that carry none.
            run_id: the same id again changes nothing and returns the same resource.
            progress: called with each progress event.
            wait: False writes it down, and returns a job that is done in the background, also after a crash.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            InvalidInput: there is no content, or more than one; it is an export of many conversations, which
                `memorize_all` takes in; or a callback, which cannot be written down.
            UnsupportedModality: nothing reads this content.
            AccessDenied: a path outside `blobs.allowed_roots`, or an address that may not be asked.
            FetchError: an address on the network cannot be read.
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
        if EXPIRES_AT in request.metadata and expiry_of(request.metadata) is None:
            msg = f"metadata `{EXPIRES_AT}` is a time with its zone, such as 2026-06-08T00:00:00Z"
            raise InvalidInput(msg)
        return await self._take_in(request, scope, run_id=run_id, progress=progress, wait=wait)

    async def retry(
        self,
        resource_id: str | None = None,
        *,
        timezone: str | None = None,
        progress: Progress | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> list[MemorizeResult]:
        """Read again what could not be read: the parts that failed, of one resource or of all that are not complete.

        What is done stays, and is neither read nor paid for again. The originals are those in the store.

        Args:
            resource_id: of a resource; None for all whose last memorize left something out. All of these have their
                turn, also when one raises an error.
            timezone: zone of times that carry none; the one that was given when it was memorized is not kept.
            progress: called with each progress event.
            **keys: whose memory: `user`, `agent`, `session`, `custom`.

        Returns:
            What became of each; its resource is still `partial` where parts have failed again.

        Raises:
            ScopeRequired: no user, agent or session is named, bound or configured.
            NotFound: it is not in the scope.
            MemuError: of those that raised an error, the first one's.
        """
        scope = self._scopes.make(**keys)
        if timezone is not None:
            zone(timezone)
        await self._runtime.open()
        return await read_again(self._runtime, scope, resource_id, timezone=timezone, progress=progress)

    async def _take_in(
        self,
        request: MemorizeRequest,
        scope: Scope,
        *,
        run_id: str | None = None,
        progress: Progress | None = None,
        wait: bool = True,
    ) -> MemorizeResult | Job:
        masker = self._runtime.masker
        request = request.evolve(metadata=masker.data(request.metadata), name=masker.optional(request.name))
        if not wait:
            return await self._enqueue(request, scope, run_id, progress)
        await self._runtime.open()
        known = await known_run(self._runtime, scope, run_id) if run_id is not None else None
        if known is not None:
            return known
        return await memorize_request(self._runtime, request, scope, run_id or new_id(), progress=progress)

    async def _enqueue(
        self, request: MemorizeRequest, scope: Scope, run_id: str | None, progress: Progress | None
    ) -> Job:
        if progress is not None:
            msg = "a progress callback cannot be written down with a job"
            raise InvalidInput(msg, hint="leave `progress` out, and look at the job with `jobs.get`")
        runtime = self._runtime
        await runtime.open()
        reading = await whose(runtime, request, scope)
        job = await settled(
            lambda: memorize_job(
                request,
                scope,
                run_id,
                reading=reading,
                resources=runtime.resources(scope),
                settings=runtime.settings.jobs,
                now=runtime.clock(),
            )
        )
        stored = await runtime.store.jobs.enqueue(scope, job)
        runtime.workers.start()
        return stored
