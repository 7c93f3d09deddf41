"""Ingest: get hold of the original bytes and tell what they are."""

import asyncio
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from memu_py.blobs.allowed import AllowedFiles
from memu_py.errors import InvalidInput, NotFound, UnsupportedModality
from memu_py.features.masked_originals import masked_raw
from memu_py.importers.archive import Archive
from memu_py.importers.survey import conversations_in, exporter
from memu_py.modality.conversation import CONVERSATION
from memu_py.modality.detect import detect
from memu_py.modality.markdown import MARKDOWN
from memu_py.modality.messages import dump_messages
from memu_py.modality.raw import Raw
from memu_py.modality.source import open_source
from memu_py.modality.text import TEXT
from memu_py.nearest import unknown
from memu_py.records.conversation import WholeConversation
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.steps.memorize.kept import conversation_id, entries_of, kept_of
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

MANY = "`service.memorize_all(path, …)` or `memu memorize PATH` takes in each of them"
PROSE = (CONVERSATION, TEXT, MARKDOWN)
"""What an export is taken for by who does not know the program that made it."""


WHITE = b" \t\r\n\xef\xbb\xbf"


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
        modality = await told_modality(raw, request, ctx.resources)
    ctx.note(bytes=len(raw.data), modality=modality)
    return Ingested(raw=raw, modality=modality)


async def read_original(request: MemorizeRequest, scope: Scope, resources: MemoryResources) -> Raw:
    """Return the original of a request, whole; a text without what `privacy` takes out of it.

    Raises:
        InvalidInput: there is no content or more than one, it is empty or too large, or the address is no address.
        AccessDenied: a path or an address outside what is allowed.
        NotFound: there is nothing at the address.
        FetchError: an address on the network cannot be read.
    """
    read: list[WholeConversation] = []

    async def lookup(url: str) -> bytes | None:
        whole = await resources.conversations.read_whole(scope.writer, conversation_id(url))
        if whole is not None:
            read.append(whole)
            return dump_messages(entries_of(whole))
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
    if read:
        raw = raw.evolve(kept=kept_of(read[0].conversation))
    named = raw.evolve(name=request.name) if request.name else raw
    return await asyncio.to_thread(masked_raw, named, resources.masker)


async def told_modality(raw: Raw, request: MemorizeRequest, resources: MemoryResources) -> str:
    """Return what an original is: what the request says, else what its bytes tell.

    Raises:
        UnsupportedModality: nothing of this name is there, or nothing reads this content.
        InvalidInput: there is no content, or it is an export of many conversations.
    """
    modality = detect(raw, request.modality, parsers=resources.parsers)
    came_as_file = raw.messages is None and (request.data is not None or raw.name is not None)
    if request.modality is None and came_as_file and modality in PROSE:
        archive = Archive.of(raw.name or _usual_name(raw.data), raw.data)
        if (name := await asyncio.to_thread(exporter, archive, resources.importers)) is not None:
            found = await asyncio.to_thread(conversations_in, archive, resources.importers, name)
            msg = f"this is a {name} export of {found} conversation{'' if found == 1 else 's'}"
            raise InvalidInput(msg, hint=MANY)
    return modality


def _usual_name(data: bytes) -> str:
    return "data.json" if data[:64].strip(WHITE)[:1] in (b"[", b"{") else "data.txt"


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
    raw = Raw(data=await resources.original(kept), url=kept.url)
    # It may be stricter now than when this was stored.
    return await asyncio.to_thread(masked_raw, raw, resources.masker), kept.modality
