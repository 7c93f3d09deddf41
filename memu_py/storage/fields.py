"""Which fields of each kind of record can be asked for and sorted by."""

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, exists, func, literal, select

from memu_py.records.link import IN_CATEGORY
from memu_py.records.record import Record
from memu_py.storage.category_rows import item_count
from memu_py.storage.schema import categories, items, jobs, links, resources, sources
from memu_py.storage.schema_conversations import conversations
from memu_py.storage.scoping import beside

FieldKind = Literal["text", "number", "flag", "time", "list", "member", "json"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Field(Record):
    """One field.

    Attributes:
        kind: `text`, `number`, `flag`, `time`; `list` (a JSON list of texts); `member` (ids in another
            table);
            `json` (an object whose keys are asked for).
        column: what to compare and to sort by; None for `member`.
        among: for `member`: the condition that a comparison holds for one of the ids.
    """

    kind: FieldKind
    column: Any = None
    among: Callable[[Callable[[Any], ColumnElement[bool]]], ColumnElement[bool]] | None = None


Fields = dict[str, Field]
SORTABLE = frozenset({"text", "number", "flag", "time"})


def _fields(kind: FieldKind, table: Any, *names: str) -> Fields:
    return {name: Field(kind=kind, column=table.c[name]) for name in names}


def _in_category(test: Callable[[Any], ColumnElement[bool]]) -> ColumnElement[bool]:
    linked = and_(beside(links, items), links.c.source_id == items.c.id, links.c.kind == IN_CATEGORY)
    return exists(
        select(literal(1)).select_from(links).where(linked, test(links.c.target_id)).correlate(items)
    )


def _in_resource(test: Callable[[Any], ColumnElement[bool]]) -> ColumnElement[bool]:
    found = and_(beside(sources, items), sources.c.item_id == items.c.id)
    # Only of the items is it: a statement that joins sources itself means others.
    return exists(
        select(literal(1)).select_from(sources).where(found, test(sources.c.resource_id)).correlate(items)
    )


_AT = func.coalesce(items.c.happened_at, items.c.said_at, items.c.created_at, type_=items.c.created_at.type)
"""When an item was: when it happened, else when it was said, else when it was stored."""

ITEM_FIELDS: Fields = (
    _fields("text", items, "id", "type", "text", "speaker", "precision", "emotion", "identity")
    | _fields("text", items, "agent", "session", "superseded_by", "archived_because")
    | _fields("number", items, "importance", "valence", "arousal", "mentions", "access_count", "version")
    | _fields("time", items, "said_at", "happened_at", "happened_until", "created_at", "updated_at")
    | _fields("time", items, "last_reinforced_at", "last_accessed_at", "valid_to", "expires_at")
    | _fields("time", items, "archived_at")
    | {"at": Field(kind="time", column=_AT)}
    | _fields("list", items, "entities")
    | _fields("json", items, "metadata", "custom")
    | {
        "category": Field(kind="member", among=_in_category),
        "resource_id": Field(kind="member", among=_in_resource),
    }
)

RESOURCE_FIELDS: Fields = (
    _fields("text", resources, "id", "modality", "url", "content_hash", "blob", "media_type", "title")
    | _fields("text", resources, "status", "reason", "agent", "session")
    | _fields("number", resources, "size", "segment_count", "version")
    | _fields("time", resources, "created_at", "updated_at")
    | _fields("json", resources, "metadata", "custom")
)

CATEGORY_FIELDS: Fields = (
    _fields("text", categories, "id", "name", "description", "summary", "origin")
    | _fields("flag", categories, "stale")
    | _fields("number", categories, "version")
    | _fields("time", categories, "created_at", "updated_at")
    | _fields("json", categories, "metadata")
    | {"item_count": Field(kind="number", column=item_count())}
)

CONVERSATION_FIELDS: Fields = (
    _fields("text", conversations, "id", "agent", "session")
    | _fields("number", conversations, "messages", "memorized", "version")
    | _fields("time", conversations, "last_at", "closed_at", "created_at")
    | _fields("json", conversations, "custom")
)

JOB_FIELDS: Fields = (
    _fields("text", jobs, "id", "kind", "run_id", "status", "error_type", "error", "agent", "session")
    | _fields("number", jobs, "size", "priority", "attempts", "max_attempts")
    | _fields("time", jobs, "created_at", "updated_at", "finished_at", "not_before", "lease_until")
    | _fields("json", jobs, "custom")
)
