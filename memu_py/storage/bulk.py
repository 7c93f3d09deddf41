"""Inserting many rows at once.

SQLAlchemy prepares bound values row by row, which takes longer than the database does. Here a column's values are
prepared together, and columns that need no preparing cost nothing.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table, insert

BULK = 32
"""From so many rows on; below, SQLAlchemy's cache of statements is quicker."""
PART = 1000
"""Rows that are made and written together: no more of them need to be there at one time."""

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
    compiled = insert(table).compile(dialect=connection.dialect, column_keys=list(rows[0]))
    names = list(compiled.positiontup or rows[0])
    columns = [_bound(table.c[name], [row[name] for row in rows], connection.dialect) for name in names]
    lines = zip(*columns, strict=True)
    if compiled.positiontup is None:
        connection.exec_driver_sql(str(compiled), [dict(zip(names, line, strict=True)) for line in lines])
    else:
        connection.exec_driver_sql(str(compiled), list(lines))


def _bound(column: Column[Any], values: list[Any], dialect: Dialect) -> list[Any]:
    process = column.type.dialect_impl(dialect).bind_processor(dialect)
    return values if process is None else [process(value) for value in values]
