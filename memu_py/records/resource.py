"""Resource: what came in, whole and unaltered; and its segments."""

import dataclasses
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import Record
from memu_py.records.scope import Scope

ResourceStatus = Literal["complete", "partial", "failed", "gone"]
SegmentKind = Literal["turn", "paragraph", "sentences", "context"]
OutcomeStatus = Literal["pending", "stored", "reinforced", "skipped", "failed"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Resource(Record):
    """One thing that was memorized.

    Attributes:
        id: UUIDv7.
        scope: whose it is.
        modality: `conversation`, `text`, `markdown` …
        url: its address, when it has one; unique in a partition.
        content_hash: BLAKE3 of the original bytes, hex.
        blob: key of the original bytes in the blob store.
        size: of the original, in bytes.
        media_type: such as `text/plain`.
        title: a line to show, made from its name or first words.
        status: `partial` ones are continued when memorized again; of one that is `gone` only the items are left.
        reason: why it is partial or failed.
        segment_count: how many segments it has.
        read_with: by what means it was read, where these may change; see `MediaParser.means`.
        version: grows by one with every change; for compare-and-swap.
        created_at: when it was first stored, UTC.
        updated_at: when it last changed, UTC.
        metadata: the caller's own.
    """

    id: str
    scope: Scope
    modality: str
    content_hash: str
    blob: str
    size: int
    media_type: str
    created_at: datetime
    updated_at: datetime
    url: str | None = None
    title: str = ""
    status: ResourceStatus = "complete"
    reason: str | None = None
    segment_count: int = 0
    read_with: str = ""
    version: int = 1
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Segment(Record):
    """A span of a resource: a turn, a paragraph, a group of sentences, or context that makes no memory.

    Attributes:
        ordinal: its place in the resource, from 0.
        kind: what sort of span it is.
        text: its text.
        start: first character in the resource's text.
        end: character after its last.
        hash: content hash of what identifies it (speaker, role and text), hex; equal messages have equal hashes.
        speaker: who says it.
        role: of a message.
        said_at: the message's own time, UTC.
        outcome: what became of it.
        reason: why it was skipped or failed; for `reinforced`, the id of the item.
        metadata: of the message or chunk, such as its own `id`.
    """

    ordinal: int
    kind: SegmentKind
    text: str
    start: int
    end: int
    hash: str
    speaker: str | None = None
    role: str | None = None
    said_at: datetime | None = None
    outcome: OutcomeStatus = "pending"
    reason: str | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def unread_ids(segments: Iterable[Segment]) -> list[str]:
    """Return the own ids of messages of which a part was not read to its end."""
    return sorted(
        {
            str(one.metadata["id"])
            for one in segments
            if one.outcome in ("pending", "failed") and one.metadata.get("id") is not None
        }
    )
