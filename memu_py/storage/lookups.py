"""Single questions to the store."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, and_, func, not_, or_, select, true

from memu_py.errors import InvalidInput
from memu_py.records.batch import StoredItem
from memu_py.records.link import IN_CATEGORY
from memu_py.records.resource import Resource, Segment
from memu_py.records.scope import Scope
from memu_py.storage.item_rows import fetch_items, live
from memu_py.storage.item_writes import load_stored
from memu_py.storage.plain import clean_text
from memu_py.storage.resource_rows import load_resources, load_segments, resource_of, segment_of
from memu_py.storage.schema import items, links, resources, runs, segments, sources
from memu_py.storage.scoping import attribute_text, beside, within, writer_text


def find_resource(
    connection: Connection, scope: Scope, *, url: str | None, content_hash: str | None
) -> Resource | None:
    """Find a resource by address or by content; see `Store.find_resource`."""
    if url is not None:
        return _at_address(connection, scope, url)
    if content_hash is None:
        msg = "name the url or the content_hash of the resource"
        raise InvalidInput(msg)
    statement = select(resources).where(
        within(resources, scope, attributes=False),
        resources.c.url.is_(None),
        resources.c.content_hash == content_hash,
        resources.c.attributes == attribute_text(scope),
    )
    row = connection.execute(statement).mappings().one_or_none()
    return None if row is None else resource_of(row)


def _at_address(connection: Connection, scope: Scope, url: str) -> Resource | None:
    """Return the writer's own resource at an address, else the only one that the writer sees there."""
    own = resources.c.writer == writer_text(scope)
    statement = (
        select(resources)
        .where(within(resources, scope.writer), resources.c.url == clean_text(url))
        .order_by(own.desc())
        .limit(2)
    )
    rows = connection.execute(statement).mappings().all()
    if not rows or (len(rows) > 1 and rows[0]["writer"] != writer_text(scope)):
        return None
    return resource_of(rows[0])


def segments_of(connection: Connection, scope: Scope, resource_id: str) -> list[Segment]:
    """Return a resource's segments; see `Store.segments`."""
    known = load_resources(connection, scope, [resource_id])
    return load_segments(connection, scope, resource_id) if known else []


def passage_of(
    connection: Connection, scope: Scope, resource_id: str, ordinals: tuple[int, int]
) -> list[Segment]:
    """Return some of a resource's segments, from the first ordinal to the last; see `Store.passage`."""
    if not load_resources(connection, scope, [resource_id]):
        return []
    holds = (
        select(sources.c.item_id)
        .join(items, and_(beside(items, sources), items.c.id == sources.c.item_id))
        .where(
            beside(sources, segments),
            sources.c.resource_id == segments.c.resource_id,
            sources.c.ordinal == segments.c.ordinal,
            live(),
        )
    )
    statement = (
        select(segments)
        .where(
            within(segments, scope),
            segments.c.resource_id == resource_id,
            segments.c.ordinal.between(*ordinals),
            segments.c.kind != "context",
            or_(segments.c.outcome.not_in(("stored", "reinforced")), holds.exists()),
        )
        .order_by(segments.c.ordinal)
    )
    return [segment_of(row) for row in connection.execute(statement).mappings()]


def find_run(connection: Connection, scope: Scope, run_id: str) -> Mapping[str, Any] | None:
    """Return the summary of a run; see `Store.find_run`."""
    statement = select(runs.c.summary, runs.c.resource_id).where(within(runs, scope), runs.c.id == run_id)
    row = connection.execute(statement).one_or_none()
    return None if row is None else {**row.summary, "resource_id": row.resource_id}


def category_items(
    connection: Connection, scope: Scope, category_id: str, *, untold: bool = False
) -> list[StoredItem]:
    """Return a category's live items, newest first; see `Store.category_items`."""
    wanted = not_(links.c.told) if untold else true()
    said = func.coalesce(items.c.said_at, items.c.created_at)
    statement = (
        select(items)
        .join(links, and_(beside(links, items), links.c.source_id == items.c.id))
        .where(within(items, scope), live(), links.c.target_id == category_id, links.c.kind == IN_CATEGORY)
        .where(wanted)
        .order_by(said.desc(), items.c.id.desc())
    )
    found = {item.id: item for item in fetch_items(connection, scope, statement)}
    return load_stored(connection, scope, found)
