"""Words on PostgreSQL: which items hold a term, and what else an index of words needs of them."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Subquery,
    Text,
    and_,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    literal_column,
    null,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from memu_py.records.scope import Scope
from memu_py.storage.index_rows import UNKNOWN, IndexRows
from memu_py.storage.item_rows import gone
from memu_py.storage.postgres_index import query_of
from memu_py.storage.schema import item_vectors, items, sources
from memu_py.storage.scoping import CACHED_SCOPES, beside, within
from memu_py.storage.settings import Clock

_QUERY = "words"
_MOST: BindParameter[int] = bindparam("most", type_=Integer())


def holding(
    connection: Connection,
    scope: Scope,
    shown: ColumnElement[bool] | None,
    terms: Mapping[str, int],
    limit: int,
    *,
    placed: bool,
    secured: bool,
    clock: Clock,
) -> IndexRows:
    """Return the words of items that hold one of the terms; see `Search.holding`.

    Args:
        connection: inside a transaction.
        scope: whose.
        shown: the condition that an item may be found; None for all that hold now.
        terms: the rarest first, with how many items hold them, about.
        limit: how many items at most.
        placed: whether it is needed where they stand.
        secured: whether the server holds partitions apart, too.
        clock: what has expired by it is gone.
    """
    statement = _select(scope, shown, placed, secured, clock)
    found: dict[str, Sequence[Any]] = {}
    for together in _portions(terms, limit):
        values = {_QUERY: query_of(scope, together), "most": limit - len(found)}
        found.update((row[0], row) for row in connection.execute(statement, values).all())
        if len(found) >= limit:
            break
    return _rows_of(list(found.values()))


def count_holding(connection: Connection, scope: Scope, term: str, *, secured: bool) -> int:
    """Return how many items of a partition hold a term; `secured` as in `holding`."""
    return connection.scalar(_counting(scope, secured), {_QUERY: query_of(scope, [term])}) or 0


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _counting(scope: Scope, secured: bool) -> Select[Any]:
    held = _held(scope, secured)
    return select(func.count()).select_from(held).where(within(held, scope, attributes=False))


def _portions(terms: Mapping[str, int], limit: int) -> Iterator[Sequence[str]]:
    """Deal terms out to statements: together as many as the limit has room for, the rarest first."""
    portion: list[str] = []
    room = limit
    for term, count in terms.items():
        if portion and count > room:
            yield portion
            portion, room = [], limit
        portion.append(term)
        room -= count
    if portion:
        yield portion


_MATCH = literal_column("item_vectors.lexemes").op("@@")(cast(bindparam(_QUERY, type_=Text()), TSQUERY()))
_COLUMNS = (
    item_vectors.c.partition_hash,
    item_vectors.c.partition,
    item_vectors.c.item_id,
    type_coerce(item_vectors.c.tokens, Text).label("tokens"),
)


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _held(scope: Scope, secured: bool) -> Subquery:
    """Return the rows that hold one of the terms, under the name of their table.

    That they are the partition's is said outside of it, where it chooses no index: lexemes carry the partition, and to
    read all its entries beside the few that hold a term would take longer than the rest. Where the server holds
    partitions apart, it looks for no words before it knows whose they are, and only that index is left to it.
    """
    found = select(*_COLUMNS).where(_MATCH)
    if secured:
        found = found.where(within(item_vectors, scope, attributes=False))
    return found.offset(literal_column("0")).subquery("item_vectors")


@functools.lru_cache(maxsize=CACHED_SCOPES)
def _select(
    scope: Scope, shown: ColumnElement[bool] | None, placed: bool, secured: bool, clock: Clock
) -> Select[Any]:
    """Return the select of the columns of `_rows_of`, `:most` of them."""
    held = _held(scope, secured)
    of_item = and_(within(items, scope, attributes=False), items.c.id == held.c.item_id)
    ended = gone(clock)
    # Few have ended, and they have an index: to look every other one up would take as long as the rest.
    holds = ~exists(select(items.c.id).where(of_item, ended)) if shown is None else shown
    over = false() if shown is None else ended
    statement = (
        select(held.c.item_id, held.c.tokens, *_places(held, of_item, placed), over)
        .where(within(held, scope, attributes=False), holds)
        .limit(_MOST)
    )
    if shown is not None:
        statement = statement.join(items, and_(beside(items, held), items.c.id == held.c.item_id))
    if placed:
        first = and_(beside(sources, held), sources.c.item_id == held.c.item_id, sources.c.position == 0)
        statement = statement.outerjoin(sources, and_(first, within(sources, scope, attributes=False)))
    return statement


def _places(held: Subquery, of_item: ColumnElement[bool], placed: bool) -> Sequence[ColumnElement[Any]]:
    """Return where an item stands: its resource, the segment, and when that was said."""
    if not placed:
        return null(), literal(0), literal(UNKNOWN, BigInteger)
    own = select(type_coerce(items.c.said_at, BigInteger)).where(of_item).correlate(held).scalar_subquery()
    said = type_coerce(sources.c.said_at, BigInteger)
    return (
        case((sources.c.ordinal >= 0, sources.c.resource_id), else_=None),
        case((sources.c.ordinal >= 0, sources.c.ordinal), else_=0),
        case((sources.c.ordinal >= 0, func.coalesce(said, own, UNKNOWN)), else_=UNKNOWN),
    )


def _rows_of(rows: Sequence[Sequence[Any]]) -> IndexRows:
    ids, tokens, resources, ordinals, said_at, ended = zip(*rows, strict=True) if rows else ((),) * 6
    return IndexRows.of_words(
        ids=ids, tokens=tokens, resource_ids=resources, ordinals=ordinals, said_at=said_at, ended=ended
    )
