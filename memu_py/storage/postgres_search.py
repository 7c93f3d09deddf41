"""Searching in PostgreSQL: pgvector for meaning, a GIN index over the items' tokens for words."""

import functools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    cast,
    literal_column,
    not_,
    or_,
    select,
    text,
    type_coerce,
)

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.storage import postgres_names
from memu_py.storage.columns import PgVector, vector_text
from memu_py.storage.database import Database, Work
from memu_py.storage.fields import ITEM_FIELDS
from memu_py.storage.filters import compile_filter
from memu_py.storage.index_feed import true_at
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.item_rows import there
from memu_py.storage.json_member import listed
from memu_py.storage.plain import to_micros
from memu_py.storage.postgres_census import Counts
from memu_py.storage.postgres_index import HALF_MOST
from memu_py.storage.postgres_rows import surroundings
from memu_py.storage.postgres_words import holding
from memu_py.storage.schema import item_vectors, items
from memu_py.storage.scoping import CACHED_SCOPES, beside, within
from memu_py.storage.search import Census, Sight, Surroundings
from memu_py.storage.settings import Clock

T = TypeVar("T")

EXACT_BELOW = 10_000
"""Items up to which every vector of a partition is looked at."""
MOST_SPEAKERS = 1000

_SETTINGS = (
    "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = {}; "
    # A plan for any vector would read the text of this one again at each row.
    "SET LOCAL plan_cache_mode = force_custom_plan"
)

_MOST: BindParameter[int] = bindparam("most", type_=Integer())
_GIVEN = cast(bindparam("vector", type_=Text()), PgVector())
_DISTANCE: ColumnElement[float] = (
    type_coerce(item_vectors.c.vector, PgVector()).op("<=>", return_type=Float())(_GIVEN).label("distance")
)


class PostgresSearch:
    """`Search` over PostgreSQL.

    Args:
        database: a `PostgresDatabase`.
        clock: what has expired by it is not found.
        secured: whether its server holds partitions apart, too.
    """

    def __init__(self, database: Database, *, clock: Clock, secured: bool = False) -> None:
        self._database = database
        self._clock = clock
        self._secured = secured
        self._counts = Counts(secured=secured)

    async def _read(self, scope: Scope, work: Work[T]) -> T:
        return await self._database.read(work, partition=scope.partition_hash)

    async def nearest(self, sight: Sight, vector: Vector, k: int) -> list[tuple[str, float]]:
        """See `Search.nearest`."""
        shown = _shown(sight, self._clock)
        return await self._read(sight.scope, lambda c: self._nearest(c, sight.scope, shown, vector, k))

    async def nearby(
        self, sight: Sight, vector: Vector, k: int, *, reach: int
    ) -> tuple[list[tuple[str, float]], Surroundings]:
        """See `Search.nearby`."""
        shown = _shown(sight, self._clock)

        def work(connection: Connection) -> tuple[list[tuple[str, float]], Surroundings]:
            found = self._nearest(connection, sight.scope, shown, vector, k)
            return found, surroundings(connection, sight.scope, shown, [one for one, _ in found], reach)

        return await self._read(sight.scope, work)

    def _nearest(
        self, connection: Connection, scope: Scope, shown: ColumnElement[bool], vector: Vector, k: int
    ) -> list[tuple[str, float]]:
        size = vector.shape[0]
        large = self._counts.texts(connection, scope) > EXACT_BELOW and size <= HALF_MOST
        connection.exec_driver_sql(_SETTINGS.format(min(max(k, 40), 1000)))
        given = {"vector": vector_text(vector), "most": k}
        rows = connection.execute(_by_index(scope, shown, size), given).all() if large else ()
        # The index gives up after so many rows, of whomever they are: there may be more that a filter lets through,
        # and few enough of them not to take long.
        if len(rows) < k:
            rows = connection.execute(_by_looking_at_all(scope, shown), given).all()
        return [(item_id, 1.0 - distance) for item_id, distance in rows]

    async def holding(self, sight: Sight, terms: Mapping[str, int], limit: int, *, placed: bool) -> IndexRows:
        """See `Search.holding`."""
        scope = sight.scope
        plain = not (sight.where or sight.as_of or sight.hidden or scope.attributes)
        shown = None if plain else _shown(sight, self._clock)

        def work(connection: Connection) -> IndexRows:
            return holding(
                connection,
                scope,
                shown,
                terms,
                limit,
                placed=placed,
                secured=self._secured,
                clock=self._clock,
            )

        return await self._read(scope, work)

    async def census(self, scope: Scope, terms: Sequence[str]) -> Census:
        """See `Search.census`."""
        return await self._read(scope, partial(self._counts.census, scope=scope, terms=tuple(terms)))

    async def surroundings(self, sight: Sight, ids: Sequence[str], *, reach: int) -> Surroundings:
        """See `Search.surroundings`."""
        shown = _shown(sight, self._clock)
        return await self._read(sight.scope, lambda c: surroundings(c, sight.scope, shown, ids, reach))

    async def speakers(self, scope: Scope) -> list[str]:
        """See `Search.speakers`."""
        values = {"hash": scope.partition_hash, "partition": scope.partition, "most": MOST_SPEAKERS}
        return await self._read(scope, lambda c: list(c.scalars(_SPEAKERS, values)))

    async def names(self, scope: Scope, keys: Sequence[str], starts: Sequence[str]) -> list[str]:
        """See `Search.names`."""
        return await self._read(scope, lambda c: postgres_names.names(c, scope, keys, starts))

    async def names_near(self, scope: Scope, vector: Vector, k: int) -> list[tuple[str, float]]:
        """See `Search.names_near`."""
        return await self._read(scope, lambda c: postgres_names.names_near(c, scope, vector, k))

    async def names_carried(self, scope: Scope, keys: Sequence[str]) -> Mapping[str, int]:
        """See `Search.names_carried`."""
        return await self._read(scope, lambda c: postgres_names.names_carried(c, scope, keys))

    async def carriers(self, scope: Scope, keys: Sequence[str], most: int) -> list[tuple[str, str]]:
        """See `Search.carriers`."""
        return await self._read(scope, lambda c: postgres_names.carriers(c, scope, keys, most))

    async def carried_by(
        self, scope: Scope, keys: Sequence[str], ids: Sequence[str]
    ) -> list[tuple[str, str]]:
        """See `Search.carried_by`."""
        return await self._read(scope, lambda c: postgres_names.carried_by(c, scope, keys, ids))


_SPEAKERS = text("""
    WITH RECURSIVE one AS (
        (SELECT speaker FROM items WHERE partition_hash = :hash AND partition = :partition AND speaker IS NOT NULL
         ORDER BY speaker LIMIT 1)
        UNION ALL
        SELECT (SELECT i.speaker FROM items i WHERE i.partition_hash = :hash AND i.partition = :partition
                AND i.speaker > one.speaker ORDER BY i.speaker LIMIT 1)
        FROM one WHERE one.speaker IS NOT NULL
    )
    SELECT speaker FROM one WHERE speaker IS NOT NULL LIMIT :most
""")
"""Each name by one step in the index, not by a look at every item."""


def _shown(sight: Sight, clock: Clock) -> ColumnElement[bool]:
    """Return the condition that an item may be found."""
    if sight.where is None and sight.as_of is None and not sight.hidden:
        return _held_in(sight.scope, clock)
    holds = there(clock) if sight.as_of is None else true_at(to_micros(sight.as_of))
    if sight.hidden:
        now = and_(holds, not_(items.c.id.in_(listed(sight.hidden))))
        holds = or_(now, items.c.id.in_(listed(sight.shown)))
    return and_(within(items, sight.scope), holds, compile_filter(sight.where, ITEM_FIELDS))


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _held_in(scope: Scope, clock: Clock) -> ColumnElement[bool]:
    return and_(within(items, scope), there(clock))


def _vectors(scope: Scope, shown: ColumnElement[bool]) -> Select[Any]:
    """Return the ids of what may be found, joined with its vectors."""
    joined = and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id)
    # Said of both tables: each has its own index by partition.
    mine = within(item_vectors, scope, attributes=False)
    return select(items.c.id).join(item_vectors, joined).where(mine, shown)


# To put a statement together takes as long as to run it. Conditions are told apart by being other objects.


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _by_looking_at_all(scope: Scope, shown: ColumnElement[bool]) -> Select[Any]:
    """Return the select of the `:most` nearest to `:vector`, with their distances."""
    return _vectors(scope, shown).add_columns(_DISTANCE).order_by(_DISTANCE, items.c.id).limit(_MOST)


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _by_index(scope: Scope, shown: ColumnElement[bool], size: int) -> Select[Any]:
    """Return the same by the index over half-precision vectors, in the order of the whole ones."""
    half: ColumnElement[Any] = literal_column(f"CAST(item_vectors.vector AS halfvec({size}))")
    near = half.op("<=>", return_type=Float())(cast(_GIVEN, PgHalf(size)))
    of_size = literal_column("vector_dims(item_vectors.vector)") == literal_column(str(size))
    some = _vectors(scope, and_(shown, of_size)).add_columns(_DISTANCE).order_by(near).limit(_MOST)
    found = some.subquery()
    return select(found).order_by(found.c.distance, found.c.id)


class PgHalf(PgVector):
    """pgvector's `halfvec`."""

    cache_ok = True

    def __init__(self, size: int) -> None:
        self.size = size

    def get_col_spec(self, **_: Any) -> str:
        """Return its name with its dimension."""
        return f"halfvec({self.size})"
