"""One batch in one transaction."""

from sqlalchemy import insert, select

from memu_py.errors import Conflict
from memu_py.records.batch import Batch, Committed, StoredItem
from memu_py.records.link import Link
from memu_py.records.resource import unread_ids
from memu_py.storage import change_log
from memu_py.storage.deletion import free_blobs
from memu_py.storage.derived_rows import end_unfounded
from memu_py.storage.entity_writes import keep_entities, relink_items, storable_names
from memu_py.storage.graph_writes import keep_relations, relate_items
from memu_py.storage.item_rows import load_items
from memu_py.storage.item_writes import (
    check_dimensions,
    insert_items,
    load_stored,
    replace_vectors,
    update_items,
)
from memu_py.storage.job_writes import require_lease
from memu_py.storage.kept_rows import mark_memorized
from memu_py.storage.link_rows import (
    add_links,
    categories_of,
    item_scopes,
    mark_stale,
    mark_untold,
    storable_links,
)
from memu_py.storage.plain import plain
from memu_py.storage.reflection_rows import move
from memu_py.storage.resolution import Resolution
from memu_py.storage.resource_rows import load_resources
from memu_py.storage.resource_writes import Written, require_resources, write_resource
from memu_py.storage.schema import runs
from memu_py.storage.scoping import owner_values, within
from memu_py.storage.store import Recheck
from memu_py.storage.told import told
from memu_py.storage.unit import Unit


def commit(unit: Unit, batch: Batch, recheck: Recheck | None = None) -> Committed:
    """Write a batch; see `Store.commit`."""
    done = _known_run(unit, batch.run_id)
    if done is not None:
        return done
    if batch.lease is not None:
        require_lease(unit, batch.lease)
    if recheck is not None:
        batch = recheck(batch, _created_since(unit, batch.read_seq))
    resolution = Resolution(unit, batch)
    written = _write_resource(unit, batch, resolution)
    _write_items(unit, batch, resolution)
    _write_links(unit, batch, resolution)
    _mark_messages(unit, batch)
    if batch.moved is not None:
        move(unit, batch.moved)
    return _finish(unit, batch, written, resolution)


def _known_run(unit: Unit, run_id: str) -> Committed | None:
    statement = select(runs.c.resource_id, runs.c.seq).where(
        within(runs, unit.scope, attributes=False), runs.c.id == run_id
    )
    row = unit.connection.execute(statement).one_or_none()
    if row is None:
        return None
    ids = [row.resource_id] if row.resource_id else []
    found = load_resources(unit.connection, unit.scope, ids, attributes=False)
    return Committed(resource=found.get(row.resource_id), added=(), reinforced=(), replaced={}, seq=row.seq)


def _created_since(unit: Unit, read_seq: int) -> list[StoredItem]:
    ids = change_log.created_items(unit.connection, unit.scope, read_seq)
    found = load_items(unit.connection, unit.scope, ids, attributes=False)
    same = {
        item_id: found[item_id]
        for item_id in ids
        if item_id in found and not found[item_id].ended and found[item_id].scope.agent == unit.scope.agent
    }
    return load_stored(unit.connection, unit.scope, same)


def _write_resource(unit: Unit, batch: Batch, resolution: Resolution) -> Written:
    resource_id = batch.resource.id if batch.resource else ""
    return write_resource(unit, batch, resolution.outcomes(resource_id, batch.segments))


def _write_items(unit: Unit, batch: Batch, resolution: Resolution) -> None:
    added, vectors = list(resolution.added.values()), list(resolution.vectors.values())
    names = storable_names(batch.entity_vectors)
    check_dimensions(unit.connection, (*(one.vector for one in (*added, *vectors)), *names.values()))
    records = [*(one.item for one in added), *resolution.after.values()]
    named = {source.resource_id for item in records for source in item.sources}
    require_resources(unit, named, missing=Conflict)
    _require_successors(unit, resolution)
    # Ends and new texts first: they free the identities that new items may take.
    changed = [(resolution.before[item.id], item) for item in resolution.after.values()]
    update_items(unit, changed, resolution.reasons)
    replace_vectors(unit, vectors)
    insert_items(unit, added)
    keep_entities(unit, [one.item for one in added], names)
    relink_items(unit, changed, names)
    relate_items(unit, changed)
    keep_relations(unit, [one.item for one in added])


def _require_successors(unit: Unit, resolution: Resolution) -> None:
    wanted = resolution.successors()
    known = item_scopes(unit.connection, unit.scope, wanted, attributes=False)
    if wanted - known.keys():
        lost = ", ".join(sorted(wanted - known.keys()))
        msg = f"item {lost} was to supersede another and is not there; read again and retry"
        raise Conflict(msg)


def _write_links(unit: Unit, batch: Batch, resolution: Resolution) -> None:
    mapped = (_mapped(link, resolution) for link in batch.links)
    # Two items that turned out to be one need no link.
    given = storable_links((link for link in mapped if link.source_id != link.target_id), unit)
    add_links(unit, given, missing=Conflict, attributes=False)
    mark_stale(unit, categories_of(unit.connection, unit.scope, sorted(resolution.told)))
    mark_untold(unit, sorted(resolution.reworded))
    ended = {item.id: item for item in resolution.after.values() if item.ended}
    end_unfounded(unit, {name: item for name, item in ended.items() if not resolution.before[name].ended})


def _mark_messages(unit: Unit, batch: Batch) -> None:
    if batch.kept is not None and not mark_memorized(unit, batch.kept, unread_ids(batch.segments)):
        msg = f"conversation {batch.kept.id!r} was deleted since it was read; nothing of it was written"
        raise Conflict(msg)


def _mapped(link: Link, resolution: Resolution) -> Link:
    return link.evolve(
        source_id=resolution.replaced.get(link.source_id, link.source_id),
        target_id=resolution.replaced.get(link.target_id, link.target_id),
    )


def _freed(unit: Unit, written: Written) -> tuple[str, ...]:
    """Return the original that a new version of a resource left without use."""
    before, after = written
    if before is None or after is None or before.blob == after.blob:
        return ()
    return tuple(free_blobs(unit, [before]))


def _finish(unit: Unit, batch: Batch, written: Written, resolution: Resolution) -> Committed:
    resource = written.after
    seq = change_log.last_seq(unit.connection, unit.scope)
    summary = {**batch.summary, **(told(batch, resolution) if batch.lease else {})}
    row = {
        **owner_values(unit.scope),
        "id": batch.run_id,
        "resource_id": resource.id if resource else None,
        "seq": seq,
        "summary": plain(summary, where="summary"),
        "at": unit.now,
    }
    unit.connection.execute(insert(runs), [row])
    return Committed(
        resource=resource,
        added=tuple(one.item for one in resolution.added.values()),
        reinforced=tuple(resolution.after[item_id] for item_id in resolution.reinforced),
        replaced=resolution.replaced,
        seq=seq,
        freed=_freed(unit, written),
    )
