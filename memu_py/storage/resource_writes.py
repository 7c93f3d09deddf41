"""Writing a resource and its segments."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.expression import delete

from memu_py.errors import Conflict, InvalidInput, MemuError, NotFound
from memu_py.records.batch import Batch, Move
from memu_py.records.resource import Resource, Segment
from memu_py.storage import change_log
from memu_py.storage.bulk import insert_rows
from memu_py.storage.change_log import Entry
from memu_py.storage.plain import plain
from memu_py.storage.resource_rows import (
    CONTENT,
    load_resources,
    logged_resource,
    resource_values,
    segment_values,
    storable_resource,
)
from memu_py.storage.schema import resources, segments
from memu_py.storage.scoping import require_within, within
from memu_py.storage.unit import Unit, chunks

CHANGEABLE = (*CONTENT, "metadata")
"""What a new version of a resource may change; its scope and time of creation stay."""


class Written(NamedTuple):
    """A resource that was written.

    Attributes:
        before: as it was; None for a new one.
        after: as stored; None where there was none to write.
    """

    before: Resource | None
    after: Resource | None


def write_resource(unit: Unit, batch: Batch, given: Sequence[Segment]) -> Written:
    """Write the batch's resource and segments.

    Raises:
        Conflict: somebody else created, changed or deleted it since it was read.
        InvalidInput: there are segments and no resource.
    """
    if batch.resource is None:
        if given:
            msg = "segments need a resource: set `Batch.resource`"
            raise InvalidInput(msg)
        return Written(before=None, after=None)
    resource = storable_resource(batch.resource)
    before = load_resources(unit.connection, unit.scope, [resource.id], attributes=False).get(resource.id)
    if before is None:
        _refuse_deleted(unit, batch, resource)
        stored = _create(unit, resource)
    else:
        stored = _version_after(unit, before, resource)
    _move_segments(unit, stored.id, batch.moves)
    _cut_segments(unit, stored.id, resource.segment_count)
    _write_segments(unit, stored.id, given)
    counted = stored.evolve(segment_count=_count_segments(unit, stored.id))
    _write(unit, counted)
    _log(unit, before, counted)
    return Written(before=before, after=counted)


def _refuse_deleted(unit: Unit, batch: Batch, resource: Resource) -> None:
    gone = change_log.was_deleted(unit.connection, unit.scope, "resource", resource.id, after=batch.read_seq)
    if resource.version != 1 or gone:
        msg = f"resource {resource.id} was deleted since it was read; read again and retry"
        raise Conflict(msg)


def _create(unit: Unit, resource: Resource) -> Resource:
    require_within(unit.scope, resource.scope, f"resource {resource.id}")
    try:
        unit.connection.execute(insert(resources), [resource_values(resource)])
    except IntegrityError as error:
        what = f"the address {resource.url}" if resource.url else "the same content"
        msg = f"somebody else stored {what} since the store was read; read again and retry"
        raise Conflict(msg) from error
    return resource


def _version_after(unit: Unit, before: Resource, resource: Resource) -> Resource:
    if resource.version != before.version:
        msg = (
            f"resource {before.id} has version {before.version} by now, not {resource.version};"
            " read again and retry"
        )
        raise Conflict(msg)
    updated_at = resource.updated_at if resource.updated_at != before.updated_at else unit.now
    changed = {name: getattr(resource, name) for name in CHANGEABLE}
    return before.evolve(**changed, version=before.version + 1, updated_at=updated_at)


def update_resource(unit: Unit, resource: Resource) -> Resource:
    """Write a resource's title, url and metadata; see `Store.update_resource`."""
    before = load_resources(unit.connection, unit.scope, [resource.id]).get(resource.id)
    if before is None:
        msg = f"no resource {resource.id} in this scope"
        raise NotFound(msg)
    named = {name: getattr(resource, name) for name in ("title", "url", "metadata", "version", "updated_at")}
    stored = _version_after(unit, before, storable_resource(before.evolve(**named)))
    _write(unit, stored)
    _log(unit, before, stored)
    return stored


def _write(unit: Unit, resource: Resource) -> None:
    values = {name: getattr(resource, name) for name in CHANGEABLE}
    counted = {"segment_count": resource.segment_count, "version": resource.version}
    statement = (
        update(resources)
        .where(within(resources, unit.scope, attributes=False), resources.c.id == resource.id)
        .values(values | counted | {"updated_at": resource.updated_at})
    )
    try:
        unit.connection.execute(statement)
    except IntegrityError as error:
        msg = f"another resource has the address {resource.url} or the same content"
        raise Conflict(msg) from error


def _log(unit: Unit, before: Resource | None, after: Resource) -> None:
    if before is None:
        entries = [Entry(scope=after.scope, kind="resource", record_id=after.id, op="create")]
    else:
        old, new = logged_resource(before), logged_resource(after)
        entries = change_log.updated(after.scope, "resource", after.id, old, new)
    change_log.append(unit, entries)


def _move_segments(unit: Unit, resource_id: str, moves: Sequence[Move]) -> None:
    """Give known segments their new places, all at once: one may take the place that another leaves."""
    by_old = {move.old: move for move in moves}
    rows: list[dict[str, Any]] = []
    for part in chunks(list(by_old)):
        statement = select(segments).where(_at(unit, resource_id, part))
        rows += [dict(row) for row in unit.connection.execute(statement).mappings()]
    moved = []
    for row in rows:
        move = by_old[row["ordinal"]]
        told = {} if move.metadata is None else {"metadata": plain(move.metadata, where="metadata")}
        moved.append(row | {"ordinal": move.new, "start": move.start, "end": move.end} | told)
    _delete_segments(unit, resource_id, [row["ordinal"] for row in (*rows, *moved)])
    insert_rows(unit.connection, segments, moved)


def _cut_segments(unit: Unit, resource_id: str, count: int) -> None:
    behind = and_(segments.c.resource_id == resource_id, segments.c.ordinal >= count)
    unit.connection.execute(delete(segments).where(within(segments, unit.scope), behind))


def _write_segments(unit: Unit, resource_id: str, given: Sequence[Segment]) -> None:
    _delete_segments(unit, resource_id, [segment.ordinal for segment in given])
    rows = (segment_values(unit.scope, resource_id, segment) for segment in given)
    insert_rows(unit.connection, segments, rows)


def _delete_segments(unit: Unit, resource_id: str, ordinals: Sequence[int]) -> None:
    for part in chunks(ordinals):
        unit.connection.execute(delete(segments).where(_at(unit, resource_id, part)))


def _at(unit: Unit, resource_id: str, ordinals: Sequence[int]) -> ColumnElement[bool]:
    places = and_(segments.c.resource_id == resource_id, segments.c.ordinal.in_(ordinals))
    return and_(within(segments, unit.scope), places)


def _count_segments(unit: Unit, resource_id: str) -> int:
    statement = select(func.count()).where(
        within(segments, unit.scope), segments.c.resource_id == resource_id
    )
    return unit.connection.scalar(statement) or 0


def require_resources(unit: Unit, ids: Iterable[str], *, missing: type[MemuError]) -> None:
    """Check that the resources that sources name are there.

    Raises:
        MemuError: of the class `missing`: one is not.
    """
    wanted = sorted(set(ids))
    found: set[str] = set()
    for part in chunks(wanted):
        statement = select(resources.c.id).where(
            within(resources, unit.scope, attributes=False), resources.c.id.in_(part)
        )
        found.update(unit.connection.scalars(statement))
    lost = [one for one in wanted if one not in found]
    if lost:
        msg = f"no resource {', '.join(lost)}: a source names where an item was found"
        raise missing(msg)
