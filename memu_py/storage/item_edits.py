"""Changing one item by hand."""

from collections.abc import Mapping

from sqlalchemy.exc import IntegrityError

from memu_py.errors import Conflict, InvalidInput, InvalidScope, NotFound
from memu_py.records.batch import StoredItem, Vector
from memu_py.records.item import Item
from memu_py.storage.derived_rows import end_unfounded
from memu_py.storage.entity_writes import relink_items, storable_names
from memu_py.storage.graph_writes import relate_items
from memu_py.storage.item_rows import load_items, storable_item
from memu_py.storage.item_writes import check_dimensions, replace_vectors, storable, update_items
from memu_py.storage.link_rows import categories_of, item_scopes, mark_stale, mark_untold
from memu_py.storage.resource_writes import require_resources
from memu_py.storage.unit import Unit


def update_item(
    unit: Unit, item: Item, reindex: StoredItem | None, entity_vectors: Mapping[str, Vector]
) -> Item:
    """Write the changed fields of an item; see `Store.update_item`."""
    before = load_items(unit.connection, unit.scope, [item.id], lock=True).get(item.id)
    if before is None:
        msg = f"no item {item.id} in this scope"
        raise NotFound(msg)
    after = _version_after(unit, before, item)
    _check(unit, before, after, reindex)
    try:
        update_items(unit, [(before, after)])
    except IntegrityError as error:
        msg = f"a live item says the same as item {item.id} would"
        raise Conflict(msg, hint="reinforce or delete one of the two") from error
    if reindex is not None:
        stored = storable(reindex.evolve(item=after), unit.scope)
        check_dimensions(unit.connection, [stored.vector])
        replace_vectors(unit, [stored])
    names = storable_names(entity_vectors)
    check_dimensions(unit.connection, names.values())
    relink_items(unit, [(before, after)], names)
    relate_items(unit, [(before, after)])
    mark_stale(unit, categories_of(unit.connection, unit.scope, [item.id]))
    if after.ended and not before.ended:
        end_unfounded(unit, {before.id: before})
    if after.text != before.text:
        mark_untold(unit, [item.id])
    return after


def _version_after(unit: Unit, before: Item, item: Item) -> Item:
    if item.version != before.version:
        msg = f"item {item.id} has version {before.version} by now, not {item.version}; read again and retry"
        raise Conflict(msg)
    if item.scope != before.scope:
        msg = f"item {item.id} stays in its scope; delete it and make it again to move it"
        raise InvalidScope(msg)
    return storable_item(item).evolve(
        version=before.version + 1,
        updated_at=item.updated_at if item.updated_at != before.updated_at else unit.now,
        created_at=before.created_at,
        # Reads count beside changes: a writer's snapshot must not turn them back.
        access_count=before.access_count,
        last_accessed_at=before.last_accessed_at,
    )


def _check(unit: Unit, before: Item, after: Item, reindex: StoredItem | None) -> None:
    if after.text != before.text and reindex is None:
        msg = f"the text of item {after.id} changed: give its new vector and tokens as `reindex`"
        raise InvalidInput(msg)
    require_resources(unit, (source.resource_id for source in after.sources), missing=NotFound)
    successor = after.superseded_by
    if successor is None or successor == before.superseded_by:
        return
    known = item_scopes(unit.connection, unit.scope, [successor], attributes=False)
    if successor not in known or successor == after.id:
        msg = f"no other item {successor} to supersede item {after.id}"
        raise NotFound(msg)
