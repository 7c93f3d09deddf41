"""Ingest: get hold of the original bytes and tell what they are."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from memu_py.blobs.allowed import AllowedFiles
from memu_py.errors import NotFound, UnsupportedModality
from memu_py.modality.detect import detect
from memu_py.modality.raw import Raw
from memu_py.modality.source import open_source
from memu_py.nearest import unknown
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class IngestResourceConfig(BaseModel):
    """Nothing to set: what may be read is in `blobs` and `ingest`."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Ingested(NamedTuple):
    """The output of the step.

    Attributes:
        raw: the original.
        modality: what it is; `when:` may ask for it.
    """

    raw: Raw
    modality: str


@step("ingest_resource", produces={"raw": Raw, "modality": str})
async def ingest_resource(
    request: MemorizeRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: IngestResourceConfig,
) -> Ingested:
    """Read the original whole, from the call, from its address or from what is stored, and look at its bytes."""
    if request.resource_id is not None:
        raw, modality = await _stored(request.resource_id, scope, ctx.resources)
    else:
        raw = await read_original(request, scope, ctx.resources)
        modality = detect(raw, request.modality, parsers=ctx.resources.parsers)
    ctx.note(bytes=len(raw.data), modality=modality)
    return Ingested(raw=raw, modality=modality)


async def read_original(request: MemorizeRequest, scope: Scope, resources: MemoryResources) -> Raw:
    """Return the original of a request, whole.

    Raises:
        InvalidInput: there is no content or more than one, it is empty or too large, or the address is no address.
        AccessDenied: a path or an address outside what is allowed.
        NotFound: there is nothing at the address.
        FetchError: an address on the network cannot be read.
    """

    async def lookup(url: str) -> bytes | None:
        kept = await resources.store.find_resource(scope, url=url)
        return await resources.original(kept) if kept else None

    blobs = resources.settings.blobs
    raw = await open_source(
        resource_url=request.resource_url,
        text=request.text,
        messages=request.messages,
        data=request.data,
        files=AllowedFiles(blobs.allowed_roots, max_bytes=blobs.max_bytes),
        conversation=lookup,
        web=resources.web,
        max_bytes=blobs.max_bytes,
    )
    return raw.evolve(name=request.name) if request.name else raw


async def _stored(resource_id: str, scope: Scope, resources: MemoryResources) -> tuple[Raw, str]:
    """Return the original of a stored resource, and what it was told to be when it came in.

    Raises:
        NotFound: it is gone.
        UnsupportedModality: what read it then is here no more.
    """
    kept = (await resources.store.resources.get(scope, [resource_id])).get(resource_id)
    if kept is None:
        msg = f"no resource {resource_id!r} in this scope"
        raise NotFound(msg)
    if kept.modality not in resources.parsers:
        raise UnsupportedModality(unknown("modality", kept.modality, resources.parsers))
    return Raw(data=await resources.original(kept), url=kept.url), kept.modality
