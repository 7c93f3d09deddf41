"""Inserting many rows at once.

SQLAlchemy prepares bound values row by row, which takes longer than the database does. Here a column's values are
prepared together, and columns that need no preparing cost nothing. PostgreSQL gets them by COPY.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table, insert

from memu_py.storage.dialect import POSTGRES
from memu_py.storage.postgres_copy import copy_in, holds_vectors, sent_vectors
from memu_py.storage.row_security import GUARDED

BULK = 32
"""From so many rows on; below, SQLAlchemy's cache of statements is quicker."""
PART = 1000
"""Rows that are made and written together: no more of them need to be there at one time."""
KEPT = 64
"""Statements that are kept: a table has a few."""

Row = Mapping[str, Any]


def insert_rows(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Insert rows that all name the same columns; none is no statement."""
    for part in _parts(iter(rows)):
        if len(part) < BULK:
            connection.execute(insert(table), [dict(row) for row in part])
        else:
            _insert_part(connection, table, part)


def _parts(rows: Iterator[Row]) -> Iterator[Sequence[Row]]:
    while part := list(itertools.islice(rows, PART)):
        yield part


def _insert_part(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    columns = _columns(rows)
    if connection.dialect.name == POSTGRES and not connection.get_execution_options().get(GUARDED):
        copy_in(connection, table, _for_copy(table, columns, connection.dialect))
        return
    statement, names, positional = _compiled(table, tuple(columns), connection.dialect)
    prepared = [_bound(table.c[name], columns[name], connection.dialect) for name in names]
    lines = zip(*prepared, strict=True)
    if positional:
        connection.exec_driver_sql(statement, list(lines))
    else:
        connection.exec_driver_sql(statement, [dict(zip(names, line, strict=True)) for line in lines])


def _for_copy(
    table: Table, columns: Mapping[str, Sequence[Any]], dialect: Dialect
) -> dict[str, Sequence[Any]]:
    return {
        name: sent_vectors(values) if holds_vectors(table.c[name]) else _bound(table.c[name], values, dialect)
        for name, values in columns.items()
    }


def _columns(rows: Sequence[Row]) -> dict[str, Sequence[Any]]:
    """Return values by column, without the columns that hold nothing: the database fills these in by itself."""
    values = zip(*map(itemgetter(*rows[0]), rows), strict=True)
    found = zip(rows[0], values, strict=True)
    return {name: column for name, column in found if any(value is not None for value in column)}


@functools.lru_cache(maxsize=KEPT)
def _compiled(table: Table, names: tuple[str, ...], dialect: Dialect) -> tuple[str, tuple[str, ...], bool]:
    compiled = insert(table).compile(dialect=dialect, column_keys=list(names))
    return str(compiled), tuple(compiled.positiontup or names), compiled.positiontup is not None


def _bound(column: Column[Any], values: Sequence[Any], dialect: Dialect) -> Sequence[Any]:
    process = column.type.dialect_impl(dialect).bind_processor(dialect)
    if process is None:
        return values
    # Most columns hold few objects many times: None, the moment of the batch, its owner's keys.
    places = list(map(id, values))
    prepared = {place: process(value) for place, value in dict(zip(places, values, strict=True)).items()}
    return list(map(prepared.__getitem__, places))
