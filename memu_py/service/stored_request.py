"""A memorize that is written down: the request as a job's payload and content, and back.

The content is kept as the bytes that a direct call reads, so that what is done later is what would have been done now.
"""

import json
from datetime import datetime
from typing import Any

from memu_py.config.jobs import JobSettings
from memu_py.errors import InvalidInput
from memu_py.features.masked_originals import is_text
from memu_py.modality.raw import Raw
from memu_py.records.ids import new_id
from memu_py.records.job import Job
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.steps.memorize.ingest_resource import read_original, told_modality
from memu_py.steps.resources import MemoryResources

KEPT = ("modality", "infer", "timezone", "metadata")
"""Fields of a request that are plain data as they are."""


async def memorize_job(
    request: MemorizeRequest,
    scope: Scope,
    run_id: str | None,
    *,
    reading: Scope,
    resources: MemoryResources,
    settings: JobSettings,
    now: datetime,
) -> Job:
    """Return the job of a request. A file or an address is read now: nobody knows what will be there later.

    Args:
        request: what is to be memorized.
        scope: of the call, and of the job.
        run_id: of the run; None for a new one.
        reading: whose a conversation is that is read, as `whose` says.
        resources: what reading needs.
        settings: of jobs.
        now: UTC.

    Raises:
        InvalidInput: there is no content, or more than one, or it is empty or too large.
        UnsupportedModality: nothing reads this content.
        AccessDenied: a path or an address outside what is allowed.
        NotFound: there is nothing at the address.
        FetchError: an address on the network cannot be read.
    """
    raw = await read_original(request, reading, resources)
    await told_modality(raw, request, resources)
    content = _content(request, raw)
    if content is not None and resources.settings.privacy.unread == "refuse" and not is_text(raw):
        msg = "a file that is no text may not wait in a job: what `privacy` takes out of it is known once it is read"
        raise InvalidInput(msg, hint="memorize it with `wait=True`, or set `privacy.unread: keep`")
    return Job(
        id=new_id(),
        scope=scope,
        kind="memorize",
        run_id=run_id or new_id(),
        payload={
            **{name: getattr(request, name) for name in KEPT},
            "metadata": {**raw.metadata, **request.metadata},
            "resource_url": raw.url if raw.url is not None else request.resource_url,
            "name": raw.name,
            "form": _form(request),
        },
        content=content,
        size=len(content or b""),
        lock=_lock(raw, scope),
        priority=settings.priority_of("memorize"),
        max_attempts=settings.max_attempts,
        created_at=now,
        updated_at=now,
        not_before=now,
    )


def conversation_job(
    url: str, scope: Scope, run_id: str, *, settings: JobSettings, now: datetime, job_id: str
) -> Job:
    """Return the job that memorizes a kept conversation, as it will be when the job begins."""
    payload: dict[str, Any] = {
        **dict.fromkeys(KEPT),
        "metadata": {},
        "resource_url": url,
        "name": None,
        "form": "data",
    }
    return Job(
        id=job_id,
        scope=scope,
        kind="memorize",
        run_id=run_id,
        payload=payload,
        lock=f"url {url}",
        priority=settings.priority_of("memorize"),
        max_attempts=settings.max_attempts,
        created_at=now,
        updated_at=now,
        not_before=now,
    )


def _form(request: MemorizeRequest) -> str:
    """Return which argument the content goes back into."""
    return "text" if request.text is not None else "messages" if request.messages is not None else "data"


def _content(request: MemorizeRequest, raw: Raw) -> bytes | None:
    """Return the bytes to keep: what was given, and what a file or an address on the network holds.

    A conversation in the store may grow until the job begins, and a `data:` address is its content.
    """
    given = (request.text, request.messages, request.data) != (None, None, None)
    return raw.data if given or raw.name is not None else None


def _lock(raw: Raw, scope: Scope) -> str:
    """Return what jobs of one conversation have in common.

    Its address; without one nobody knows before it is read whether two belong together, and those of a session take
    turns, or those of the whole user.
    """
    if raw.url is not None:
        return f"url {raw.url}"
    return f"session {scope.session}" if scope.session is not None else "unnamed"


def request_of(job: Job) -> MemorizeRequest:
    """Return the request that a job holds."""
    payload = dict(job.payload)
    form = payload.pop("form")
    if job.content is not None:
        payload[form] = _given(form, job.content)
    return MemorizeRequest(**payload)


def _given(form: str, content: bytes) -> Any:
    if form == "text":
        return content.decode("utf-8", "surrogatepass")
    return json.loads(content) if form == "messages" else content
