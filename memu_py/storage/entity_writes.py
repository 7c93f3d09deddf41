"""Entities follow the items that name them: written with them, linked to them, gone with the last of them.

An entity and its links say nothing that `Item.entities` does not, so the change log, which has that, has no rows of
theirs.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, exists, literal, not_, select, update

from memu_py.records.batch import Vector
from memu_py.records.entity import PERSON, entity_key, names_by_key
from memu_py.records.ids import new_id
from memu_py.records.item import Item
from memu_py.storage.bulk import insert_rows
from memu_py.storage.item_writes import storable_vector
from memu_py.storage.named_by import named_by
from memu_py.storage.schema import entities, entity_links
from memu_py.storage.scoping import beside, partition_values, within
from memu_py.storage.unit import Unit, chunks


def storable_names(vectors: Mapping[str, Vector]) -> dict[str, Vector]:
    """Return vectors of names as they will be read again.

    Raises:
        BadVectors: one is no list of finite numbers.
    """
    return {key: storable_vector(vector, f"entity {key}") for key, vector in vectors.items()}


def keep_entities(unit: Unit, records: Iterable[Item], vectors: Mapping[str, Vector]) -> None:
    """Link items that have no links to the entities that they name, and write those entities that are new.

    Args:
        unit: the transaction.
        records: the items, as they are stored.
        vectors: of names, by key; a new entity without one is found by its name only.
    """
    naming = [item for item in records if item.entities]
    if not naming:
        return
    names = names_by_key(item.entities for item in naming)
    people = {entity_key(item.speaker) for item in naming if item.speaker}
    ids = _known(unit, names, people)
    new = {key: new_id() for key in names if key not in ids}
    insert_rows(
        unit.connection,
        entities,
        (
            {
                **partition_values(unit.scope),
                "id": entity_id,
                "name": names[key],
                "name_key": key,
                "kind": PERSON if key in people else None,
                "vector": vectors.get(key),
                "created_at": unit.now,
            }
            for key, entity_id in new.items()
        ),
    )
    insert_rows(unit.connection, entity_links, _link_rows(unit, naming, ids | new))


def _link_rows(unit: Unit, naming: Iterable[Item], ids: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    owner = partition_values(unit.scope)
    for item in naming:
        for key in names_by_key([item.entities]):
            yield {**owner, "item_id": item.id, "entity_id": ids[key]}


def _known(unit: Unit, keys: Iterable[str], people: Collection[str]) -> dict[str, str]:
    """Return the ids of the entities that are there, by key; who is known to be a person by now becomes one."""
    found: dict[str, str] = {}
    persons: list[str] = []
    for part in chunks(list(keys)):
        statement = select(entities.c.id, entities.c.name_key, entities.c.kind).where(
            within(entities, unit.scope), entities.c.name_key.in_(part)
        )
        for entity_id, key, kind in unit.connection.execute(statement):
            found[key] = entity_id
            persons += [entity_id] if kind is None and key in people else []
    for part in chunks(persons):
        change = update(entities).where(within(entities, unit.scope), entities.c.id.in_(part))
        unit.connection.execute(change.values(kind=PERSON))
    return found


def relink_items(unit: Unit, pairs: Iterable[tuple[Item, Item]], vectors: Mapping[str, Vector]) -> None:
    """Make the links of changed items follow what they name now.

    Args:
        unit: the transaction.
        pairs: each item as it was, and as it is.
        vectors: as in `keep_entities`.
    """
    changed = [(before, after) for before, after in pairs if before.entities != after.entities]
    named = entities_of(unit, [before for before, _ in changed])
    _unlink(unit, [before.id for before, _ in changed])
    keep_entities(unit, [after for _, after in changed], vectors)
    forget_unlinked(unit, named)


def restore_entities(unit: Unit, records: Sequence[Item], vectors: Mapping[str, Vector]) -> None:
    """Link items anew to what they name, whatever they are linked to, and give entities their new vectors."""
    named = entities_of(unit, records)
    _unlink(unit, [item.id for item in records])
    keep_entities(unit, records, vectors)
    forget_unlinked(unit, named)
    for key in names_by_key(item.entities for item in records):
        if key in vectors:
            statement = update(entities).where(within(entities, unit.scope), entities.c.name_key == key)
            unit.connection.execute(statement.values(vector=vectors[key]))


def entities_of(unit: Unit, records: Iterable[Item]) -> list[str]:
    """Return the ids of the entities that items are linked to."""
    ids = [item.id for item in records if item.entities]
    return named_by(unit, entity_links.c.entity_id, entity_links.c.item_id, ids)


def _unlink(unit: Unit, item_ids: Sequence[str]) -> None:
    for part in chunks(item_ids):
        statement = delete(entity_links).where(
            within(entity_links, unit.scope), entity_links.c.item_id.in_(part)
        )
        unit.connection.execute(statement)


def forget_unlinked(unit: Unit, entity_ids: Sequence[str]) -> None:
    """Remove those of these entities that no item names any more."""
    linked = exists(
        select(literal(1))
        .select_from(entity_links)
        .where(beside(entity_links, entities), entity_links.c.entity_id == entities.c.id)
    )
    for part in chunks(entity_ids):
        statement = delete(entities).where(
            within(entities, unit.scope), entities.c.id.in_(part), not_(linked)
        )
        unit.connection.execute(statement)
