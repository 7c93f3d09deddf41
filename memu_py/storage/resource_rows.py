"""Resources and segments as rows."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage.plain import clean_optional, clean_text, plain, record_fields
from memu_py.storage.schema import resources, segments
from memu_py.storage.scoping import (
    attribute_text,
    owner_values,
    partition_values,
    scope_of,
    within,
    writer_text,
)
from memu_py.storage.unit import chunks

UNLOGGED = frozenset({"id", "scope", "version", "updated_at"})

CONTENT = (
    "modality",
    "url",
    "content_hash",
    "blob",
    "size",
    "media_type",
    "title",
    "status",
    "reason",
    "read_with",
)
"""Columns of what a resource is and how it is, but for its scope, its times and its counts."""
_SAME = (*CONTENT, "segment_count", "metadata", "version", "created_at", "updated_at")


def storable_resource(resource: Resource) -> Resource:
    """Return a resource as it will be read again.

    Raises:
        InvalidInput: it holds metadata that cannot be stored.
    """
    return resource.evolve(
        url=clean_optional(resource.url),
        title=clean_text(resource.title),
        reason=clean_optional(resource.reason),
        metadata=plain(resource.metadata, where="metadata"),
    )


def resource_values(resource: Resource) -> dict[str, Any]:
    """Return the columns of a resource's row."""
    return {
        **owner_values(resource.scope),
        "id": resource.id,
        "attributes": attribute_text(resource.scope),
        "writer": writer_text(resource.scope),
        **{name: getattr(resource, name) for name in _SAME},
    }


def resource_of(row: RowMapping) -> Resource:
    """Return the resource of a row."""
    return Resource(id=row["id"], scope=scope_of(row), **{name: row[name] for name in _SAME})


def load_resources(
    connection: Connection, scope: Scope, ids: Iterable[str], *, attributes: bool = True
) -> dict[str, Resource]:
    """Return resources of a scope (or with `attributes=False` of its partition) by id."""
    found: dict[str, Resource] = {}
    for part in chunks(list(dict.fromkeys(ids))):
        statement = select(resources).where(
            within(resources, scope, attributes=attributes), resources.c.id.in_(part)
        )
        rows = connection.execute(statement).mappings()
        found.update((row["id"], resource_of(row)) for row in rows)
    return found


def logged_resource(resource: Resource) -> dict[str, Any]:
    """Return a resource as plain data for the change log."""
    return record_fields(resource, leave_out=UNLOGGED)


def segment_values(scope: Scope, resource_id: str, segment: Segment) -> dict[str, Any]:
    """Return the columns of a segment's row.

    Raises:
        InvalidInput: it holds metadata that cannot be stored.
    """
    return {
        **partition_values(scope),
        "resource_id": resource_id,
        "ordinal": segment.ordinal,
        "kind": segment.kind,
        "text": clean_text(segment.text),
        "start": segment.start,
        "end": segment.end,
        "hash": segment.hash,
        "speaker": clean_optional(segment.speaker),
        "role": clean_optional(segment.role),
        "said_at": segment.said_at,
        "outcome": segment.outcome,
        "reason": clean_optional(segment.reason),
        "metadata": plain(segment.metadata, where="metadata"),
    }


def segment_of(row: RowMapping) -> Segment:
    """Return the segment of a row."""
    return Segment(
        ordinal=row["ordinal"],
        kind=row["kind"],
        text=row["text"],
        start=row["start"],
        end=row["end"],
        hash=row["hash"],
        speaker=row["speaker"],
        role=row["role"],
        said_at=row["said_at"],
        outcome=row["outcome"],
        reason=row["reason"],
        metadata=row["metadata"],
    )


def load_segments(connection: Connection, scope: Scope, resource_id: str) -> list[Segment]:
    """Return a resource's segments in order; the caller has looked whether the resource is in the scope."""
    statement = (
        select(segments)
        .where(within(segments, scope), segments.c.resource_id == resource_id)
        .order_by(segments.c.ordinal)
    )
    return [segment_of(row) for row in connection.execute(statement).mappings()]
