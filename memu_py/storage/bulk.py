"""Inserting many rows at once.

SQLAlchemy prepares bound values row by row, which takes longer than the database does. Here a column's values are
prepared together, and columns that need no preparing cost nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table, insert

BULK = 32
"""From so many rows on; below, SQLAlchemy's cache of statements is quicker."""


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all name the same columns; none is no statement."""
    if not rows:
        return
    if len(rows) < BULK:
        connection.execute(insert(table), [dict(row) for row in rows])
        return
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
