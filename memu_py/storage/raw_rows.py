"""Rows as they lie in a database of any dialect: numbers, texts and bytes, never made into records."""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    MetaData,
    PrimaryKeyConstraint,
    Select,
    Table,
    Text,
    func,
    literal,
    select,
    tuple_,
)

from memu_py.records.record import Record
from memu_py.storage.columns import Bytes, JsonText, TokenText, UtcMicros
from memu_py.storage.schema import meta
from memu_py.storage.tables import OF_THE_WHOLE, PARTITIONED

COPYING = "copying"
"""The name of the one row of `meta` that is of a copy under way, and of no database."""
FETCH = 2000
"""Rows that are taken from the database at once."""
DIGEST_BYTES = 16
TABLES = (*OF_THE_WHOLE, *PARTITIONED)
"""All tables, those that are referred to first."""

_PLAIN: Mapping[type, type] = {UtcMicros: BigInteger, JsonText: Text, TokenText: Text}

Row = Mapping[str, Any]
Place = Sequence[str | int]
"""A primary key as plain data, its bytes in hexadecimal."""


@functools.cache
def raw(table: Table) -> Table:
    """Return a table of the schema whose columns give what is stored; vectors are arrays."""
    columns = [
        Column(one.name, _PLAIN[type(one.type)]() if type(one.type) in _PLAIN else one.type)
        for one in table.c
    ]
    return Table(
        table.name, MetaData(), *columns, PrimaryKeyConstraint(*(key.name for key in table.primary_key))
    )


@functools.cache
def _rows(table: Table) -> Select[Any]:
    """Return the select of all rows that belong to the database itself."""
    found = select(raw(table))
    return found.where(raw(table).c.name != COPYING) if table is meta else found


def page_after(connection: Connection, table: Table, place: Place | None, limit: int) -> list[Row]:
    """Return up to `limit` rows beyond a place, in the order of the primary key."""
    keys = list(raw(table).primary_key)
    statement = _rows(table).order_by(*keys).limit(limit)
    if place is not None:
        values = [literal(_value(key, one), key.type) for key, one in zip(keys, place, strict=True)]
        statement = statement.where(tuple_(*keys) > tuple_(*values))
    return [dict(row) for row in connection.execute(statement).mappings()]


def place_of(table: Table, row: Row) -> Place:
    """Return where a row stands."""
    values = (row[key.name] for key in raw(table).primary_key)
    return [value.hex() if isinstance(value, bytes) else value for value in values]


def _value(key: Column[Any], value: str | int) -> Any:
    return bytes.fromhex(str(value)) if isinstance(key.type, Bytes) else value


def count(connection: Connection, table: Table) -> int:
    """Return how many rows a table has."""
    return connection.scalar(select(func.count()).select_from(_rows(table).subquery())) or 0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Digest(Record):
    """What a table holds, in short.

    Attributes:
        table: its name.
        rows: how many.
        sum: of the hashes of all rows, in whatever order they come; equal for equal rows in every dialect.
    """

    table: str
    rows: int
    sum: str


def digest(connection: Connection, table: Table) -> Digest:
    """Read a table from beginning to end, and return what it holds in short."""
    rows, total = 0, 0
    for row in connection.execute(_rows(table), execution_options={"yield_per": FETCH}):
        rows += 1
        total += _hash(row)
    return Digest(table=table.name, rows=rows, sum=f"{total % 2 ** (8 * DIGEST_BYTES):0{2 * DIGEST_BYTES}x}")


def _hash(row: Sequence[Any]) -> int:
    # `repr` tells types, the ends of texts and every digit of a number.
    plain = repr([value.tobytes() if isinstance(value, np.ndarray) else value for value in row])
    return int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=DIGEST_BYTES).digest())
