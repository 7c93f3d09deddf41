"""What an index needs of a few items on PostgreSQL, and of those around them."""

import functools
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, Select, and_, any_, bindparam, select
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from memu_py.records.scope import Scope
from memu_py.storage.feedback_rows import worth_of_one
from memu_py.storage.index_feed import rows_of, select_rows
from memu_py.storage.postgres_database import BINARY
from memu_py.storage.schema import items, sources
from memu_py.storage.scoping import CACHED_SCOPES, beside, within
from memu_py.storage.search import Surroundings

IDS = "ids"
SOME: BindParameter[Any] = bindparam(IDS, type_=ARRAY(TEXT))
"""The ids of a statement, in one value: it is the same statement for any number of them."""


def surroundings(
    connection: Connection, scope: Scope, shown: ColumnElement[bool], ids: Collection[str], reach: int
) -> Surroundings:
    """Return what an index needs of items and of those around them; see `Search.surroundings`.

    Args:
        connection: inside a transaction.
        scope: whose.
        shown: the condition that an item may be found.
        ids: the items.
        reach: how many places on each side.
    """
    wanted = list(dict.fromkeys(ids))
    if reach:
        beside_them = connection.scalars(_around(scope), {IDS: wanted, "reach": reach}).all()
        wanted = list(dict.fromkeys([*wanted, *beside_them]))
    statement = _few(scope).add_columns(shown.label("visible"))
    columns: list[Sequence[Any]] = list(zip(*connection.execute(statement, {IDS: wanted}).all(), strict=True))
    if not columns:
        return Surroundings(rows=(), visible=frozenset())
    *fields, visible = columns
    found = rows_of(*fields)
    return Surroundings(
        rows=[found],
        visible=frozenset(item_id for item_id, seen in zip(found.ids, visible, strict=True) if seen),
    )


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _few(scope: Scope) -> Select[Any]:
    """Return the select of the items `:ids`; to put it together takes as long as to run it."""
    few = select_rows(scope, worth_of_one(scope)).where(items.c.id == any_(SOME))
    return few.execution_options(**{BINARY: True})


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _around(scope: Scope) -> Select[Any]:
    """Return the select of the items that stand within `:reach` of the places of `:ids` in their resources."""
    reach: BindParameter[int] = bindparam("reach", type_=sources.c.ordinal.type)
    place = sources.alias("place")
    near = and_(
        beside(sources, place),
        sources.c.resource_id == place.c.resource_id,
        sources.c.ordinal.between(place.c.ordinal - reach, place.c.ordinal + reach),
    )
    return (
        select(sources.c.item_id)
        .join(place, near)
        .where(
            within(place, scope, attributes=False),
            within(sources, scope, attributes=False),
            place.c.item_id == any_(SOME),
            place.c.position == 0,
            place.c.ordinal >= 0,
            sources.c.position == 0,
        )
        .distinct()
    )
