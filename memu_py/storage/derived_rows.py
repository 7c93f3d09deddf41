"""What items say together: what becomes of it when they are gone or hold no longer."""

from collections.abc import Mapping

from sqlalchemy import Connection, and_, select

from memu_py.records.item import Item
from memu_py.records.link import DERIVED_FROM, SUMMARIZES
from memu_py.records.scope import Scope
from memu_py.storage.entity_writes import relink_items
from memu_py.storage.item_rows import holding, load_items
from memu_py.storage.item_writes import update_items
from memu_py.storage.link_rows import categories_of, mark_stale
from memu_py.storage.schema import items, links
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import Unit, chunks

KINDS = (DERIVED_FROM, SUMMARIZES)
UNFOUNDED = "what it rests on holds no longer"


def derived_from(connection: Connection, scope: Scope, ids: Mapping[str, Item]) -> dict[str, Item]:
    """Return the items of the partition that rest on one of some others, these apart."""
    found: list[str] = []
    for part in chunks(list(ids)):
        mine = and_(within(links, scope), links.c.kind.in_(KINDS), links.c.target_id.in_(part))
        found += connection.scalars(select(links.c.source_id).where(mine))
    wanted = [item_id for item_id in found if item_id not in ids]
    return load_items(connection, scope, wanted, attributes=False, lock=True) if wanted else {}


def end_unfounded(unit: Unit, gone: Mapping[str, Item], *, deleted: bool = False) -> None:
    """End what rests on nothing any more, and of deleted items also what says their words.

    Args:
        unit: the transaction, in which the links are still there.
        gone: items that hold no longer, as they were.
        deleted: they are not only ended.
    """
    pairs = []
    for item in derived_from(unit.connection, unit.scope, gone).values():
        quoted = deleted and any(one.text in item.text for one in gone.values())
        if not item.ended and (quoted or not _founded(unit, item, gone)):
            after = item.evolve(valid_to=unit.now, version=item.version + 1, updated_at=unit.now)
            pairs.append((item, after))
    if pairs:
        update_items(unit, pairs, {after.id: UNFOUNDED for _, after in pairs})
        relink_items(unit, pairs, {})
        mark_stale(unit, categories_of(unit.connection, unit.scope, [after.id for _, after in pairs]))


def _founded(unit: Unit, item: Item, gone: Mapping[str, Item]) -> bool:
    there = and_(beside(items, links), items.c.id == links.c.target_id, holding())
    mine = and_(within(links, unit.scope), links.c.source_id == item.id, links.c.kind.in_(KINDS))
    found = unit.connection.scalars(select(links.c.target_id).join(items, there).where(mine))
    return any(item_id not in gone for item_id in found)
