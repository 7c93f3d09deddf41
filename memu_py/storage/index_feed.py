"""What in-process indexes read: rows, vectors; and the reads they count."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    type_coerce,
    update,
)

from memu_py.records.identity import DATED_TYPES
from memu_py.records.scope import Scope
from memu_py.storage.index_row import IndexRow
from memu_py.storage.schema import item_vectors, items, sources
from memu_py.storage.scoping import beside, within
from memu_py.storage.unit import Unit, chunks

QUESTION_MARKS = "?？"
SPACES = " \t\r\n"

FETCH = 2000
"""Rows that are taken from the database at once."""


def clock() -> Any:
    """Return the column at which an item's age starts: when it happened, or when it was last said."""
    happened = case((items.c.type.in_(sorted(DATED_TYPES)), items.c.happened_at), else_=None)
    first = func.coalesce(happened, items.c.last_reinforced_at, items.c.said_at, items.c.created_at)
    return type_coerce(first, BigInteger)


def _select_rows(scope: Scope) -> Select[Any]:
    first = and_(beside(sources, items), sources.c.item_id == items.c.id, sources.c.position == 0)
    return (
        select(
            items.c.id,
            sources.c.resource_id,
            sources.c.ordinal,
            item_vectors.c.vector,
            item_vectors.c.tokens,
            clock().label("clock"),
            items.c.importance,
            items.c.arousal,
            items.c.mentions,
            items.c.access_count,
            func.coalesce(items.c.valid_to, items.c.superseded_by).is_not(None).label("ended"),
            type_coerce(func.coalesce(sources.c.said_at, items.c.said_at), BigInteger).label("said_at"),
            items.c.speaker,
            type_coerce(items.c.happened_at, BigInteger).label("happened_at"),
            or_(*(func.rtrim(items.c.text, SPACES).like(f"%{mark}") for mark in QUESTION_MARKS)).label(
                "asks"
            ),
        )
        .join(item_vectors, and_(beside(item_vectors, items), item_vectors.c.item_id == items.c.id))
        .outerjoin(sources, first)
        .where(within(items, scope, attributes=False))
    )


def index_rows(connection: Connection, scope: Scope, ids: Sequence[str] | None) -> list[IndexRow]:
    """Return what an index needs; see `Store.index_rows`."""
    statement = _select_rows(scope)
    if ids is None:
        found = list(_fetch(connection, statement))
    else:
        parts = chunks(list(dict.fromkeys(ids)))
        found = [row for part in parts for row in _fetch(connection, statement.where(items.c.id.in_(part)))]
    # Sorted here: the database would carry the vectors through its sort.
    return sorted(found, key=_place)


def _place(row: IndexRow) -> tuple[bool, str, int, str]:
    return row.resource_id is None, row.resource_id or "", row.ordinal, row.id


def _fetch(connection: Connection, statement: Select[Any]) -> Iterator[IndexRow]:
    result = connection.execute(statement, execution_options={"yield_per": FETCH})
    return (_index_row(row) for row in result)


def _index_row(row: Sequence[Any]) -> IndexRow:
    item_id, resource_id, ordinal, vector, tokens, moment, importance, arousal, *counts = row
    mentions, accesses, ended, said_at, speaker, happened_at, asks = counts
    if ordinal is None or ordinal < 0:
        resource_id, ordinal = None, 0
    return IndexRow(
        id=item_id,
        resource_id=resource_id,
        ordinal=ordinal,
        vector=vector,
        tokens=tokens,
        clock=moment,
        importance=float("nan") if importance is None else importance,
        arousal=0.0 if arousal is None else arousal,
        mentions=mentions,
        access_count=accesses,
        ended=bool(ended),
        speaker=speaker,
        said_at=said_at,
        happened_at=happened_at,
        asks=bool(asks),
    )


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


def touch(unit: Unit, counts: Mapping[str, int], at: datetime) -> None:
    """Add to the access counts of items of the scope; not a change, and not in the log."""
    last, moment = items.c.last_accessed_at, bindparam("moment", at, type_=items.c.last_accessed_at.type)
    statement = (
        update(items)
        .where(within(items, unit.scope), items.c.id == bindparam("row_id"))
        .values(
            access_count=items.c.access_count + bindparam("reads"),
            last_accessed_at=case((last > moment, last), else_=moment),
        )
    )
    rows = [{"row_id": item_id, "reads": reads} for item_id, reads in counts.items()]
    unit.connection.execute(statement, rows)
