"""Entities and their links as rows: what is read of them."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, exists, literal, select, true

from memu_py.records.entity import Entity
from memu_py.records.scope import Scope
from memu_py.storage.schema import entities, entity_links, items
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import chunks


def entity_of(row: RowMapping) -> Entity:
    """Return the entity of a row."""
    return Entity(id=row["id"], name=row["name"], key=row["name_key"], kind=row["kind"], vector=row["vector"])


def load_entities(connection: Connection, scope: Scope, keys: Sequence[str] | None) -> list[Entity]:
    """Return entities of a scope; see `Store.entities`."""
    statement = select(entities).where(within(entities, scope), _named_in(scope))
    if keys is None:
        found = [entity_of(row) for row in connection.execute(statement).mappings()]
    else:
        parts = [statement.where(entities.c.name_key.in_(part)) for part in chunks(list(dict.fromkeys(keys)))]
        found = [entity_of(row) for part in parts for row in connection.execute(part).mappings()]
    return sorted(found, key=lambda entity: entity.key)


def _named_in(scope: Scope) -> ColumnElement[bool]:
    """Return the condition that an item of the scope names an entity: an entity has no attributes of its own."""
    if not scope.attributes:
        return true()
    named = and_(
        within(items, scope), entity_links.c.entity_id == entities.c.id, entity_links.c.item_id == items.c.id
    )
    return exists(
        select(literal(1))
        .select_from(entity_links)
        .join(items, beside(items, entity_links))
        .where(beside(entity_links, entities), named)
    )


def entity_links_of(
    connection: Connection, scope: Scope, item_ids: Sequence[str] | None
) -> list[tuple[str, str]]:
    """Return which items name what; see `Store.entity_links`."""
    statement = (
        select(entity_links.c.item_id, entities.c.name_key)
        .join(entities, and_(beside(entities, entity_links), entities.c.id == entity_links.c.entity_id))
        .where(within(entity_links, scope))
        .order_by(entity_links.c.item_id)
    )
    if item_ids is None:
        return [(item_id, key) for item_id, key in connection.execute(statement)]
    parts = [
        statement.where(entity_links.c.item_id.in_(part)) for part in chunks(list(dict.fromkeys(item_ids)))
    ]
    return [(item_id, key) for part in parts for item_id, key in connection.execute(part)]
