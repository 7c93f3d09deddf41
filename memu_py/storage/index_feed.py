"""What in-process indexes read: rows, vectors; and the reads they count."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    case,
    func,
    or_,
    select,
    type_coerce,
)

from memu_py.records.identity import DATED_TYPES
from memu_py.records.scope import Scope
from memu_py.storage.columns import FLOAT32, VectorBytes
from memu_py.storage.feedback_rows import worth
from memu_py.storage.index_rows import FOREVER, UNKNOWN, IndexRows, mismatch
from memu_py.storage.schema import item_vectors, items, sources
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import chunks

QUESTION_MARKS = "?？"
SPACES = " \t\r\n"

FETCH = 2000
"""Rows that are taken from the database at once."""


def clock() -> Any:
    """Return the column at which an item's age starts: when it happened, or when it was last said."""
    happened = case((items.c.type.in_(sorted(DATED_TYPES)), items.c.happened_at), else_=None)
    first = func.coalesce(happened, items.c.last_reinforced_at, items.c.said_at, items.c.created_at)
    return type_coerce(first, BigInteger)


def _select_all(scope: Scope) -> Select[Any]:
    """Return the columns of `IndexRows` of a whole partition; see `select_rows`."""
    judged = worth(scope)
    joined = and_(beside(judged, items), judged.c.item_id == items.c.id)
    return select_rows(scope, judged.c.reads).outerjoin(judged, joined).order_by(items.c.id)


def select_rows(scope: Scope, judged: ColumnElement[int]) -> Select[Any]:
    """Return the columns of `IndexRows`, in its order, as the database has them.

    Args:
        scope: whose; the partition counts.
        judged: what feedback says of an item, in reads.
    """
    # One more than it was read: below that is only what did not help.
    reads = items.c.access_count + 1 + func.coalesce(judged, 0)
    first = and_(beside(sources, items), sources.c.item_id == items.c.id, sources.c.position == 0)
    return (
        select(
            items.c.id,
            case((sources.c.ordinal >= 0, sources.c.resource_id), else_=None),
            case((sources.c.ordinal >= 0, sources.c.ordinal), else_=0),
            type_coerce(item_vectors.c.vector, VectorBytes),
            type_coerce(item_vectors.c.tokens, Text),
            clock(),
            items.c.importance,
            func.coalesce(items.c.arousal, 0.0),
            items.c.mentions,
            reads,
            or_(
                items.c.valid_to.is_not(None),
                items.c.superseded_by.is_not(None),
                items.c.archived_at.is_not(None),
            ),
            items.c.speaker,
            _time(func.coalesce(sources.c.said_at, items.c.said_at)),
            _time(items.c.happened_at),
            or_(*(func.rtrim(items.c.text, SPACES).like(f"%{mark}") for mark in QUESTION_MARKS)),
            _since(),
            _until(),
        )
        .join(item_vectors, and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id))
        .outerjoin(sources, first)
        .where(within(items, scope, attributes=False))
    )


def _time(column: Any) -> Any:
    return func.coalesce(type_coerce(column, BigInteger), UNKNOWN)


def _since() -> Any:
    """Return when an item became true, as far as is known; see `IndexRow`."""
    said = func.coalesce(items.c.said_at, items.c.created_at)
    return type_coerce(case((items.c.happened_at < said, items.c.happened_at), else_=said), BigInteger)


def _until() -> Any:
    """Return when an item stopped being true, expired or was put away, whatever was first.

    One that was superseded without a time stopped when that was written.
    """
    superseded = case((items.c.superseded_by.is_not(None), items.c.updated_at), else_=None)
    first: Any = FOREVER
    for end in (func.coalesce(items.c.valid_to, superseded), items.c.expires_at, items.c.archived_at):
        moment = func.coalesce(type_coerce(end, BigInteger), FOREVER)
        first = moment if first is FOREVER else case((moment < first, moment), else_=first)
    return first


def true_at(moment: int) -> ColumnElement[bool]:
    """Return the condition that an item was true at a moment, UTC microseconds."""
    found: ColumnElement[bool] = and_(_since() <= moment, _until() > moment)
    return found


def index_rows(connection: Connection, scope: Scope, ids: Sequence[str] | None) -> list[IndexRows]:
    """Return what an index needs; see `Store.index_rows`."""
    statement = _select_all(scope)
    if ids is None:
        return list(_fetch(connection, statement))
    parts = chunks(list(dict.fromkeys(ids)))
    return [rows for part in parts for rows in _fetch(connection, statement.where(items.c.id.in_(part)))]


def _fetch(connection: Connection, statement: Select[Any]) -> Iterator[IndexRows]:
    result = connection.execute(statement, execution_options={"yield_per": FETCH})
    return (rows_of(*zip(*part, strict=True)) for part in result.partitions())


def rows_of(*columns: Any) -> IndexRows:
    """Put the columns of `select_rows` together."""
    ids, resource_ids, ordinals, blobs, tokens, moments, importance, arousal, mentions, accesses, *rest = (
        columns
    )
    ended, speakers, said_at, happened_at, asks, since, until = rest
    return IndexRows(
        ids=ids,
        resource_ids=resource_ids,
        ordinals=np.array(ordinals, dtype=np.int64),
        vectors=_matrix(blobs),
        tokens=tokens,
        clock=np.array(moments, dtype=np.int64),
        importance=np.array(importance, dtype=np.float32),
        arousal=np.array(arousal, dtype=np.float32),
        mentions=np.array(mentions, dtype=np.uint32),
        access_count=np.maximum(np.array(accesses, dtype=np.int64), 0).astype(np.uint32),
        ended=np.array(ended, dtype=np.bool_),
        speakers=speakers,
        said_at=np.array(said_at, dtype=np.int64),
        happened_at=np.array(happened_at, dtype=np.int64),
        asks=np.array(asks, dtype=np.bool_),
        since=np.array(since, dtype=np.int64),
        until=np.array(until, dtype=np.int64),
    )


def _matrix(blobs: Sequence[bytes]) -> NDArray[np.float32]:
    for blob in blobs:
        if len(blob) != len(blobs[0]):
            raise mismatch(len(blob) // FLOAT32.itemsize, len(blobs[0]) // FLOAT32.itemsize)
    return np.frombuffer(b"".join(blobs), dtype=FLOAT32).reshape(len(blobs), -1)


def vectors(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Return the vectors of items that lie in the scope, by id."""
    found: dict[str, NDArray[np.float32]] = {}
    for part in chunks(list(dict.fromkeys(ids))):
        statement = (
            select(items.c.id, item_vectors.c.vector)
            .join(item_vectors, and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id))
            .where(within(items, scope), items.c.id.in_(part))
        )
        found.update((item_id, vector) for item_id, vector in connection.execute(statement))
    return found
