"""Names on PostgreSQL: found by how they begin, by what they mean, and by who carries them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.storage.columns import PgVector, vector_text
from memu_py.storage.schema import entities, entity_links
from memu_py.storage.scoping import beside, within

MOST_NAMES = 1000
"""Names that may begin as a word of a question does; of more the shortest are looked at."""
LAST = chr(0x10FFFF)
"""The last of all characters."""

_KEY = entities.c.name_key


def names(connection: Connection, scope: Scope, keys: Sequence[str], starts: Sequence[str]) -> list[str]:
    """Return the keys of names that are known; see `Search.names`."""
    known = connection.scalars(select(_KEY).where(_mine(scope), _among(_KEY, keys))).all()
    begun = connection.scalars(_begun(scope, starts)).all() if starts else ()
    return list(dict.fromkeys([*known, *begun]))


def _begun(scope: Scope, starts: Sequence[str]) -> Select[Any]:
    """Return the select of the names that begin so: ranges in the index of how names begin."""
    ranges = (and_(_KEY.op("~>=~")(start), _KEY.op("~<~")(start + LAST)) for start in starts)
    begun = select(_KEY).where(_mine(scope), or_(*ranges))
    return begun.order_by(func.length(_KEY), _KEY).limit(MOST_NAMES)


def names_near(connection: Connection, scope: Scope, vector: Vector, k: int) -> list[tuple[str, float]]:
    """Return the nearest names; see `Search.names_near`."""
    given = cast(literal(vector_text(vector), Text), PgVector())
    distance = type_coerce(entities.c.vector, PgVector()).op("<=>", return_type=Float())(given)
    of_size = func.vector_dims(literal_column("entities.vector")) == vector.shape[0]
    near = select(_KEY, distance.label("distance")).where(_mine(scope), of_size)
    rows = connection.execute(near.order_by("distance", _KEY).limit(k))
    return [(key, 1.0 - far) for key, far in rows]


def names_carried(connection: Connection, scope: Scope, keys: Sequence[str]) -> dict[str, int]:
    """Return how many items carry names; see `Search.names_carried`."""
    counted = _linked(scope, _KEY, func.count()).where(_among(_KEY, keys)).group_by(_KEY)
    return {key: int(count) for key, count in connection.execute(counted)}


def carriers(connection: Connection, scope: Scope, keys: Sequence[str], most: int) -> list[tuple[str, str]]:
    """Return who carries names; see `Search.carriers`."""
    own = and_(within(entity_links, scope), entity_links.c.entity_id == entities.c.id)
    newest = (
        select(entity_links.c.item_id)
        .where(own)
        .order_by(entity_links.c.item_id.desc())
        .limit(most)
        .correlate(entities)
        .lateral("newest")
    )
    found = select(newest.c.item_id, _KEY).select_from(entities).join(newest, true())
    return _pairs(connection, found.where(_mine(scope), _among(_KEY, keys)).order_by(newest.c.item_id))


def carried_by(
    connection: Connection, scope: Scope, keys: Sequence[str], ids: Sequence[str]
) -> list[tuple[str, str]]:
    """Return which of some items carry names; see `Search.carried_by`."""
    found = _linked(scope, entity_links.c.item_id, _KEY)
    return _pairs(connection, found.where(_among(_KEY, keys), _among(entity_links.c.item_id, ids)))


def _mine(scope: Scope) -> ColumnElement[bool]:
    return within(entities, scope)


def _linked(scope: Scope, *columns: Any) -> Select[Any]:
    joined = and_(beside(entity_links, entities), entity_links.c.entity_id == entities.c.id)
    return select(*columns).select_from(entities).join(entity_links, joined).where(_mine(scope))


def _array(values: Sequence[str]) -> ColumnElement[Any]:
    return bindparam(None, list(values), type_=ARRAY(TEXT))


def _among(column: ColumnElement[str], values: Sequence[str]) -> ColumnElement[bool]:
    return column == any_(_array(values))


def _pairs(connection: Connection, statement: Select[Any]) -> list[tuple[str, str]]:
    return [(item_id, key) for item_id, key in connection.execute(statement)]
