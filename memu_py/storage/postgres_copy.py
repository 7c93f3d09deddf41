"""Rows to PostgreSQL by COPY, in its binary form: no statement for each row, and no text of numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Connection, Dialect, Table
from sqlalchemy.exc import DBAPIError

from memu_py.storage.columns import VectorBytes, sent_vector

_TYPES = {
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "BYTEA": "bytea",
    "FLOAT": "float8",
    "INTEGER": "int4",
    "TEXT": "text",
    # The driver sends bytes as they are, whatever the column makes of them.
    "vector": "bytea",
}
"""What the driver calls the types of our columns: in the binary form they must be right, none is cast."""
INT4_END = 2**31


def copy_in(connection: Connection, table: Table, columns: Mapping[str, Sequence[Any]]) -> None:
    """Add rows to a table, inside the transaction of the connection.

    Args:
        connection: to PostgreSQL.
        table: where they belong.
        columns: values of one length by the name of their column, as the driver takes them, vectors as pgvector sends
            them (`sent_vectors`). What is left out, the database fills in.

    Raises:
        OverflowError: a number is larger than its column holds.
        DBAPIError: the one that SQLAlchemy would raise, had it sent them.
    """
    quoted = connection.dialect.identifier_preparer.quote
    names = ", ".join(map(quoted, columns))
    statement = f"COPY {quoted(table.name)} ({names}) FROM STDIN (FORMAT BINARY)"
    driver: Any = connection.connection.driver_connection
    dialect = connection.dialect
    types = [_TYPES[table.c[name].type.compile(dialect)] for name in columns]
    for kind, values in zip(types, columns.values(), strict=True):
        _check_size(kind, values)
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(types)
            for line in zip(*columns.values(), strict=True):
                copy.write_row(line)
    except dialect.loaded_dbapi.Error as error:
        raise _wrapped(error, statement, dialect) from error


def _check_size(kind: str, values: Sequence[Any]) -> None:
    """Refuse numbers that are too large: the driver would send a part of their bits."""
    if kind == "int4" and any(value is not None and not -INT4_END <= value < INT4_END for value in values):
        msg = "a whole number needs more than four bytes"
        raise OverflowError(msg)


def holds_vectors(column: Column[Any]) -> bool:
    """Tell whether values of a column are vectors."""
    return isinstance(column.type, VectorBytes)


def sent_vectors(vectors: Iterable[NDArray[np.float32] | None]) -> list[bytes | None]:
    """Return vectors, shape (dimension,), as pgvector sends and takes them."""
    return [None if vector is None else sent_vector(vector) for vector in vectors]


def _wrapped(error: Exception, statement: str, dialect: Dialect) -> BaseException:
    return DBAPIError.instance(statement, None, error, dialect.loaded_dbapi.Error, dialect=dialect)
