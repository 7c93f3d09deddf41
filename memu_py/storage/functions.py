"""Functions of our own that every dialect gives its database, so that filters mean the same everywhere.

`memu_fold(text)` folds case as Unicode says; `memu_micros(text)` reads an ISO 8601 time as microseconds since
1970.
"""

import sqlite3
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Text, func

from memu_py.storage.plain import iso_micros


def fold(value: object) -> str | None:
    """Return text with its case folded; what is not text has none."""
    return value.casefold() if isinstance(value, str) else None


def micros(value: object) -> int | None:
    """Return the time that a text stands for; None when it is none."""
    return iso_micros(value) if isinstance(value, str) else None


def register(connection: sqlite3.Connection) -> None:
    """Give a SQLite connection the functions."""
    connection.create_function("memu_fold", 1, fold, deterministic=True)
    connection.create_function("memu_micros", 1, micros, deterministic=True)


def folded(column: ColumnElement[Any]) -> ColumnElement[str]:
    """Return a text column with its case folded."""
    return func.memu_fold(column, type_=Text)


def as_micros(column: ColumnElement[Any]) -> ColumnElement[int]:
    """Return a text column read as times."""
    return func.memu_micros(column, type_=BigInteger)
