"""Rows as JSON says them, for an export that outlives databases; and back, for whoever is to have them.

| column holds | JSON |
| --- | --- |
| a time | text in ISO 8601, UTC |
| times | a list of these |
| plain data | as it is |
| tokens | a list of texts |
| a vector | base64 of float32 numbers, little-endian |
| bytes | base64 |
| anything else | a text, a number, true, false, null |

The partition is left out: it is that of the export, or of who imports it.
"""

import base64
import functools
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, LargeBinary, Table, Text
from sqlalchemy.types import TypeEngine

from memu_py.storage.columns import FLOAT32, JsonText, TokenText, UtcMicros, UtcMoments, VectorBlob

OWNER = ("partition_hash", "partition")
"""Columns that say whose a row is."""

Row = Mapping[str, Any]


class Form(NamedTuple):
    """How the values of a column are said.

    Attributes:
        told: from a value to JSON.
        read: and back.
    """

    told: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _bytes_told(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _bytes_read(value: str) -> bytes:
    return base64.b64decode(value, validate=True)


def _vector_told(value: NDArray[np.float32]) -> str:
    return _bytes_told(np.asarray(value, dtype=FLOAT32).tobytes())


def _vector_read(value: str) -> NDArray[np.float32]:
    return np.frombuffer(_bytes_read(value), dtype=FLOAT32)


def _moments_told(value: tuple[datetime, ...]) -> list[str]:
    return [one.isoformat() for one in value]


def _moments_read(value: list[str]) -> tuple[datetime, ...]:
    return tuple(map(datetime.fromisoformat, value))


FORMS: tuple[tuple[type[TypeEngine[Any]], Form], ...] = (
    (UtcMicros, Form(datetime.isoformat, datetime.fromisoformat)),
    (UtcMoments, Form(_moments_told, _moments_read)),
    (JsonText, Form(_same, _same)),
    (TokenText, Form(list, tuple)),
    (VectorBlob, Form(_vector_told, _vector_read)),
    (LargeBinary, Form(_bytes_told, _bytes_read)),
    (Boolean, Form(_same, bool)),
    (Text, Form(_same, _same)),
    (Integer, Form(_same, _same)),
    (BigInteger, Form(_same, _same)),
    (Float, Form(_same, float)),
)
"""By the type of the column, the nearest first; a test holds that every column of the schema has one."""


def form_of(column: Column[Any]) -> Form:
    """Return how the values of a column are said.

    Raises:
        TypeError: nobody has said how.
    """
    for kind, form in FORMS:
        if isinstance(column.type, kind):
            return form
    msg = f"{column} is of a type that an export has no form for: give it one in `storage/row_forms.py`"
    raise TypeError(msg)


@functools.cache
def told_columns(table: Table) -> tuple[tuple[str, Form], ...]:
    """Return the columns of a table that an export tells, each with its form."""
    return tuple((column.name, form_of(column)) for column in table.c if column.name not in OWNER)


@functools.cache
def vector_columns(table: Table) -> tuple[str, ...]:
    """Return the columns of a table that hold vectors."""
    return tuple(column.name for column in table.c if isinstance(column.type, VectorBlob))


def told(table: Table, row: Row) -> dict[str, Any]:
    """Return a row as JSON data."""
    values = ((name, form, row[name]) for name, form in told_columns(table))
    return {name: None if value is None else form.told(value) for name, form, value in values}


def read(table: Table, data: Row) -> dict[str, Any]:
    """Return JSON data as a row without its owner; what the data do not name is None.

    Raises:
        ValueError: a value is not of its form.
    """
    values = ((name, form, data.get(name)) for name, form in told_columns(table))
    return {name: None if value is None else form.read(value) for name, form, value in values}
