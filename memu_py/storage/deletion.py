"""Deleting records, and what hangs on them.

With `erase` nothing of what they said stays: their history loses its content, and summaries drawn from them
are emptied until they are made again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, delete, select

from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.resource import Resource
from memu_py.storage import change_log
from memu_py.storage.category_rows import load_categories, logged_category
from memu_py.storage.change_log import Entry
from memu_py.storage.derived_rows import derived_from, end_unfounded
from memu_py.storage.entity_writes import entities_of, forget_unlinked
from memu_py.storage.graph_writes import forget_relations, relate_items
from memu_py.storage.item_rows import fetch_items, load_items, logged_item
from memu_py.storage.item_writes import update_items
from memu_py.storage.link_rows import categories_of, drop_links_of, mark_stale
from memu_py.storage.mood_rows import move_moods
from memu_py.storage.named_by import named_by
from memu_py.storage.resource_rows import load_resources, logged_resource
from memu_py.storage.schema import categories, items, resources, sources
from memu_py.storage.scoping import within
from memu_py.storage.unit import Unit, chunks


def delete_items(unit: Unit, ids: Sequence[str]) -> int:
    """Delete items of the scope; see `Store.delete_items`."""
    found = load_items(unit.connection, unit.scope, ids)
    remove_items(unit, found)
    return len(found)


def delete_categories(unit: Unit, ids: Sequence[str]) -> int:
    """Delete categories of the partition; see `Store.delete_categories`."""
    found = load_categories(unit.connection, unit.scope, ids)
    drop_links_of(unit, list(found))
    _delete(unit, categories, list(found))
    change_log.append(unit, [_category_entry(category) for category in found.values()])
    return len(found)


def _category_entry(category: Category) -> Entry:
    return Entry(
        scope=category.scope,
        kind="category",
        record_id=category.id,
        op="delete",
        before=logged_category(category),
    )


def delete_resources(unit: Unit, ids: Sequence[str]) -> list[str]:
    """Delete resources of the scope; see `Store.delete_resources`."""
    found = load_resources(unit.connection, unit.scope, ids)
    remove_resources(unit, found)
    return free_blobs(unit, found.values())


def remove_items(unit: Unit, found: Mapping[str, Item], *, erase: bool = False) -> None:
    """Delete items with their vectors, sources and links, and the entities that nothing else names, and log it.

    Args:
        unit: the transaction.
        found: the items by id.
        erase: leave nothing of what they said.
    """
    ids = list(found)
    if erase:
        _erase_derived(unit, found)
    else:
        end_unfounded(unit, found, deleted=True)
    touched = categories_of(unit.connection, unit.scope, ids)
    predecessors = _forget_successor(unit, found)
    drop_links_of(unit, ids, logged=not erase)
    named = entities_of(unit, found.values())
    forget_relations(unit, found.values())
    _delete(unit, items, ids)
    move_moods(unit, ((item, None) for item in found.values()))
    forget_unlinked(unit, named)
    mark_stale(unit, touched, **({"summary": ""} if erase else {}))
    entries = [
        Entry(
            scope=item.scope,
            kind="item",
            record_id=item.id,
            op="delete",
            before=None if erase else logged_item(item),
        )
        for item in found.values()
    ]
    change_log.append(unit, entries)
    if erase:
        _blank(unit, [*ids, *touched])
        change_log.forget_reasons(unit.connection, unit.scope, predecessors)


def _erase_derived(unit: Unit, found: Mapping[str, Item]) -> None:
    """Erase what says words of items that are erased."""
    resting = derived_from(unit.connection, unit.scope, found)
    if resting:
        remove_items(unit, resting, erase=True)


def _forget_successor(unit: Unit, found: Mapping[str, Item]) -> list[str]:
    """Items that one of these superseded stay ended, and no longer name it; returns their ids."""
    predecessors: list[Item] = []
    for part in chunks(list(found)):
        statement = select(items).where(
            within(items, unit.scope, attributes=False), items.c.superseded_by.in_(part)
        )
        predecessors += fetch_items(unit.connection, unit.scope, statement)
    pairs = [
        (item, _changed(unit, item, superseded_by=None, valid_to=item.valid_to or unit.now))
        for item in predecessors
        if item.id not in found
    ]
    update_items(unit, pairs)
    relate_items(unit, pairs)
    return [item.id for item, _ in pairs]


def _changed(unit: Unit, item: Item, **fields: object) -> Item:
    return item.evolve(version=item.version + 1, updated_at=unit.now, **fields)


def remove_resources(unit: Unit, found: Mapping[str, Resource], *, erase: bool = False) -> None:
    """Delete resources, their segments, and items that were found nowhere else, and log it.

    Args:
        unit: the transaction.
        found: the resources by id.
        erase: leave nothing of what they said.
    """
    ids = named_by(unit, sources.c.item_id, sources.c.resource_id, list(found))
    named = load_items(unit.connection, unit.scope, ids, attributes=False)
    orphans = {
        item_id: item
        for item_id, item in named.items()
        if all(source.resource_id in found for source in item.sources)
    }
    remove_items(unit, orphans, erase=erase)
    _forget_sources(unit, [item for item_id, item in named.items() if item_id not in orphans], found)
    _delete(unit, resources, list(found))
    entries = [
        Entry(
            scope=resource.scope,
            kind="resource",
            record_id=resource.id,
            op="delete",
            before=None if erase else logged_resource(resource),
        )
        for resource in found.values()
    ]
    change_log.append(unit, entries)
    if erase:
        _blank(unit, [*found, *named])


def _forget_sources(unit: Unit, kept: Iterable[Item], gone: Mapping[str, Resource]) -> None:
    pairs = []
    for item in kept:
        left = tuple(source for source in item.sources if source.resource_id not in gone)
        pairs.append((item, _changed(unit, item, sources=left)))
    update_items(unit, pairs)


def _delete(unit: Unit, table: Table, ids: Sequence[str]) -> None:
    for part in chunks(ids):
        unit.connection.execute(
            delete(table).where(within(table, unit.scope, attributes=False), table.c.id.in_(part))
        )


def _blank(unit: Unit, record_ids: Sequence[str]) -> None:
    for part in chunks(record_ids):
        change_log.blank(unit.connection, unit.scope, record_ids=part)


def free_blobs(unit: Unit, gone: Iterable[Resource]) -> list[str]:
    """Return the blobs of deleted resources that no resource of the partition uses any more, in order."""
    wanted = sorted({resource.blob for resource in gone} - {""})
    used: set[Any] = set()
    for part in chunks(wanted):
        used.update(unit.connection.scalars(_blobs(unit, resources.c.blob.in_(part))))
    return [blob for blob in wanted if blob not in used]


def _blobs(unit: Unit, condition: ColumnElement[bool]) -> Any:
    return select(resources.c.blob).where(within(resources, unit.scope, attributes=False), condition)
