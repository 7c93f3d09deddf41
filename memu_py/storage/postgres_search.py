"""Searching in PostgreSQL: pgvector for meaning, a GIN index over the items' tokens for words."""

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Select,
    and_,
    cast,
    func,
    literal,
    literal_column,
    select,
    text,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from memu_py.records.batch import Vector
from memu_py.records.scope import Scope
from memu_py.storage.columns import PgVector, vector_text
from memu_py.storage.database import Database
from memu_py.storage.fields import ITEM_FIELDS
from memu_py.storage.filters import compile_filter
from memu_py.storage.index_feed import index_rows, true_at
from memu_py.storage.item_rows import live
from memu_py.storage.plain import to_micros
from memu_py.storage.postgres_index import HALF_MOST, query_of
from memu_py.storage.schema import item_vectors, items, sources
from memu_py.storage.scoping import beside, within
from memu_py.storage.search import Census, Sight, Surroundings
from memu_py.storage.unit import chunks

EXACT_BELOW = 10_000
"""Items up to which every vector of a partition is looked at."""
DRIFT = 0.1
"""Share by which a partition may grow or shrink before its terms are counted anew."""
KEPT_COUNTS = 100_000
"""Counts of terms that one process remembers."""
MOST_SPEAKERS = 1000


class PostgresSearch:
    """`Search` over PostgreSQL.

    Args:
        database: a `PostgresDatabase`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counts = _Counts()

    async def nearest(self, sight: Sight, vector: Vector, k: int) -> list[tuple[str, float]]:
        """See `Search.nearest`."""
        shown = _shown(sight)
        return await self._database.read(lambda c: self._nearest(c, sight.scope, shown, vector, k))

    def _nearest(
        self, connection: Connection, scope: Scope, shown: ColumnElement[bool], vector: Vector, k: int
    ) -> list[tuple[str, float]]:
        distance = _distance(vector)
        if self._counts.texts(connection, scope) > EXACT_BELOW and vector.shape[0] <= HALF_MOST:
            rows = _by_index(connection, scope, shown, vector, k)
        else:
            statement = _vectors(scope, shown).add_columns(distance.label("distance"))
            rows = connection.execute(statement.order_by(distance, items.c.id).limit(k)).all()
        return [(row.id, 1.0 - row.distance) for row in rows]

    async def holding(self, sight: Sight, terms: Sequence[str], limit: int) -> list[str]:
        """See `Search.holding`."""
        shown = _shown(sight)
        return await self._database.read(lambda c: _holding(c, sight.scope, shown, terms, limit))

    async def census(self, scope: Scope, terms: Sequence[str]) -> Census:
        """See `Search.census`."""
        return await self._database.read(partial(self._counts.census, scope=scope, terms=tuple(terms)))

    async def surroundings(self, sight: Sight, ids: Sequence[str], *, reach: int) -> Surroundings:
        """See `Search.surroundings`."""
        shown = _shown(sight)
        return await self._database.read(lambda c: _surroundings(c, sight.scope, shown, ids, reach))

    async def speakers(self, scope: Scope) -> list[str]:
        """See `Search.speakers`."""
        values = {"hash": scope.partition_hash, "partition": scope.partition, "most": MOST_SPEAKERS}
        return await self._database.read(lambda c: list(c.scalars(_SPEAKERS, values)))


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


def _shown(sight: Sight) -> ColumnElement[bool]:
    """Return the condition that an item may be found."""
    holds = live() if sight.as_of is None else true_at(to_micros(sight.as_of))
    return and_(within(items, sight.scope), holds, compile_filter(sight.where, ITEM_FIELDS))


def _vectors(scope: Scope, shown: ColumnElement[bool]) -> Select[Any]:
    """Return the ids of what may be found, joined with its vectors."""
    joined = and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id)
    # Said of both tables: each has its own index by partition.
    mine = within(item_vectors, scope, attributes=False)
    return select(items.c.id).join(item_vectors, joined).where(mine, shown)


def _distance(vector: Vector) -> ColumnElement[float]:
    column = type_coerce(item_vectors.c.vector, PgVector())
    return column.op("<=>", return_type=Float())(_given(vector))


def _given(vector: Vector) -> ColumnElement[Any]:
    return cast(literal(vector_text(vector)), PgVector())


def _by_index(
    connection: Connection, scope: Scope, shown: ColumnElement[bool], vector: Vector, k: int
) -> Sequence[Any]:
    """Return the nearest by the index over half-precision vectors, in the order of the whole ones."""
    size = vector.shape[0]
    connection.exec_driver_sql(
        f"SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = {min(max(k, 40), 1000)}"
    )
    half: ColumnElement[Any] = literal_column(f"CAST(item_vectors.vector AS halfvec({size}))")
    near = half.op("<=>", return_type=Float())(cast(_given(vector), PgHalf(size)))
    of_size = literal_column("vector_dims(item_vectors.vector)") == literal_column(str(size))
    found = (
        _vectors(scope, and_(shown, of_size))
        .add_columns(_distance(vector).label("distance"))
        .order_by(near)
        .limit(k)
        .subquery()
    )
    return connection.execute(select(found).order_by(found.c.distance, found.c.id)).all()


class PgHalf(PgVector):
    """pgvector's `halfvec`."""

    cache_ok = True

    def __init__(self, size: int) -> None:
        self.size = size

    def get_col_spec(self, **_: Any) -> str:
        """Return its name with its dimension."""
        return f"halfvec({self.size})"


def _matches(scope: Scope, terms: Sequence[str]) -> ColumnElement[bool]:
    found: ColumnElement[bool] = literal_column("item_vectors.lexemes").op("@@")(
        cast(literal(query_of(scope, terms)), TSQUERY())
    )
    return found


def _holding(
    connection: Connection, scope: Scope, shown: ColumnElement[bool], terms: Sequence[str], limit: int
) -> list[str]:
    found: dict[str, None] = {}
    for term in dict.fromkeys(terms):
        statement = _vectors(scope, and_(shown, _matches(scope, [term]))).limit(limit)
        found.update(dict.fromkeys(connection.scalars(statement)))
        if len(found) >= limit:
            break
    return list(found)[:limit]


def _surroundings(
    connection: Connection, scope: Scope, shown: ColumnElement[bool], ids: Sequence[str], reach: int
) -> Surroundings:
    wanted = dict.fromkeys(ids)
    if reach:
        for part in chunks(list(wanted)):
            wanted.update(dict.fromkeys(_around(connection, scope, part, reach)))
    rows = index_rows(connection, scope, list(wanted))
    present = [item_id for some in rows for item_id in some.ids]
    visible: set[str] = set()
    for part in chunks(present):
        visible.update(connection.scalars(select(items.c.id).where(shown, items.c.id.in_(part))))
    return Surroundings(rows=rows, visible=frozenset(visible))


def _around(connection: Connection, scope: Scope, ids: Sequence[str], reach: int) -> Sequence[str]:
    """Return the items that stand near the places of others in their resources."""
    place = sources.alias("place")
    near = and_(
        beside(sources, place),
        sources.c.resource_id == place.c.resource_id,
        sources.c.ordinal.between(place.c.ordinal - reach, place.c.ordinal + reach),
    )
    statement = (
        select(sources.c.item_id)
        .join(place, near)
        .where(
            within(place, scope, attributes=False),
            within(sources, scope, attributes=False),
            place.c.item_id.in_(ids),
            place.c.position == 0,
            place.c.ordinal >= 0,
            sources.c.position == 0,
        )
        .distinct()
    )
    return connection.scalars(statement).all()


@dataclasses.dataclass(slots=True)
class _Count:
    """A count, and how many items the partition had when it was taken."""

    count: int
    texts: int

    def fits(self, texts: int) -> bool:
        return abs(texts - self.texts) <= DRIFT * self.texts


class _Counts:
    """How many items partitions have, and how many hold a term; counted again when a partition has drifted."""

    def __init__(self) -> None:
        self._texts: OrderedDict[bytes, tuple[int, int]] = OrderedDict()
        self._terms: OrderedDict[tuple[bytes, str], _Count] = OrderedDict()
        self._lock = threading.Lock()

    def texts(self, connection: Connection, scope: Scope) -> int:
        """Return how many items a partition has, about: what the log grew by since says when to count again."""
        key = scope.partition_hash
        seq = connection.scalar(_LAST_SEQ, {"hash": key, "partition": scope.partition}) or 0
        with self._lock:
            known = self._texts.get(key)
        if known is not None and abs(seq - known[1]) <= DRIFT * known[0]:
            return known[0]
        mine = within(item_vectors, scope, attributes=False)
        count = connection.scalar(select(func.count()).select_from(item_vectors).where(mine)) or 0
        with self._lock:
            self._texts[key] = (count, seq)
            _shorten(self._texts)
        return count

    def census(self, connection: Connection, scope: Scope, terms: Sequence[str]) -> Census:
        """Return how common terms are."""
        texts = self.texts(connection, scope)
        return Census(
            texts=texts, holding={term: self._term(connection, scope, term, texts) for term in terms}
        )

    def _term(self, connection: Connection, scope: Scope, term: str, texts: int) -> int:
        key = (scope.partition_hash, term)
        with self._lock:
            known = self._terms.get(key)
        if known is not None and known.fits(texts):
            return known.count
        mine = and_(within(item_vectors, scope, attributes=False), _matches(scope, [term]))
        count = connection.scalar(select(func.count()).select_from(item_vectors).where(mine)) or 0
        with self._lock:
            self._terms[key] = _Count(count, texts)
            _shorten(self._terms)
        return count


_LAST_SEQ = text(
    "SELECT seq FROM changes WHERE partition_hash = :hash AND partition = :partition ORDER BY seq DESC LIMIT 1"
)


def _shorten(counts: OrderedDict[Any, Any]) -> None:
    while len(counts) > KEPT_COUNTS:
        counts.popitem(last=False)
