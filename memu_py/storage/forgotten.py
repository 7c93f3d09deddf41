"""A resource of which only what was found in it is left."""

from sqlalchemy import delete, func, select, update

from memu_py.records.resource import Resource
from memu_py.storage import change_log
from memu_py.storage.change_log import Entry
from memu_py.storage.deletion import free_blobs, remove_resources
from memu_py.storage.own_words import keep_own
from memu_py.storage.plain import clean_text
from memu_py.storage.resource_rows import load_resources
from memu_py.storage.schema import resources, segments, sources
from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit

GONE = "gone"


def forget_source(unit: Unit, resource_id: str, title: str, reason: str) -> list[str]:
    """Drop what a resource says; see `Store.forget_source`."""
    resource = load_resources(unit.connection, unit.scope, [resource_id]).get(resource_id)
    if resource is None or resource.status == GONE:
        return []
    if not _cited(unit, resource_id):
        remove_resources(unit, {resource_id: resource}, erase=True)
        return free_blobs(unit, [resource])
    keep_own(unit, resource_id)
    said = segments.c.resource_id == resource_id
    unit.connection.execute(delete(segments).where(within(segments, unit.scope), said))
    mine = within(resources, unit.scope, attributes=False)
    statement = update(resources).where(mine, resources.c.id == resource_id)
    unit.connection.execute(statement.values(_left(resource, unit, title, reason)))
    change_log.blank(unit.connection, unit.scope, record_ids=[resource_id])
    told = {"status": GONE, "reason": reason}
    before = {"status": resource.status, "reason": resource.reason}
    entry = Entry(
        scope=resource.scope, kind="resource", record_id=resource_id, op="update", before=before, after=told
    )
    change_log.append(unit, [entry])
    return free_blobs(unit, [resource])


def _left(resource: Resource, unit: Unit, title: str, reason: str) -> dict[str, object]:
    return {
        "url": None,
        # Of no bytes, and unlike that of any other: the same content is new when it comes again.
        "content_hash": f"{GONE} {resource.id}",
        "blob": "",
        "size": 0,
        "title": clean_text(title),
        "status": GONE,
        "reason": reason,
        "segment_count": 0,
        "metadata": {},
        "version": resource.version + 1,
        "updated_at": unit.now,
    }


def _cited(unit: Unit, resource_id: str) -> bool:
    named = (
        select(func.count())
        .select_from(sources)
        .where(within(sources, unit.scope), sources.c.resource_id == resource_id)
    )
    return bool(unit.connection.scalar(named))
