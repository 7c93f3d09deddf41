"""Cursors that nobody gave out, and inserting in bulk for every kind of driver."""

import base64
import json
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, select

from memu_py.errors import InvalidFilter
from memu_py.records.page import Query
from memu_py.storage.bulk import BULK, PART, insert_rows
from memu_py.storage.columns import JsonText
from memu_py.storage.fields import ITEM_FIELDS
from memu_py.storage.paging import Keyset


def _cursor(order: str, value: Any, last_id: Any) -> str:
    """Return a real cursor with other values in it."""
    row: Any = {"page_key": None, "id": "x"}
    real = Keyset(Query(order=order), ITEM_FIELDS, kind="item").cursor(row)
    version, question, *_ = json.loads(base64.urlsafe_b64decode(real + "=" * (-len(real) % 4)))
    return base64.urlsafe_b64encode(json.dumps([version, question, value, last_id]).encode()).decode()


@pytest.mark.parametrize(
    ("order", "value", "last_id"),
    [
        ("text", 5, "id"),
        ("text", "a\ud800", "id"),
        ("text", "a", "\ud800"),
        ("text", "a", 7),
        ("said_at", "soon", "id"),
        ("said_at", 1.5, "id"),
        ("importance", "high", "id"),
        ("mentions", 2**64, "id"),
        ("id", ["a"], "id"),
    ],
)
def test_made_up_cursors_are_refused(order: str, value: Any, last_id: Any) -> None:
    query = Query(order=order, cursor=_cursor(order, value, last_id))
    with pytest.raises(InvalidFilter, match="another query"):
        Keyset(query, ITEM_FIELDS, kind="item")


def test_a_cursor_of_the_same_query_is_taken() -> None:
    for order, value in (("text", "a"), ("said_at", -5), ("importance", 1.5), ("importance", None)):
        Keyset(Query(order=order, cursor=_cursor(order, value, "id")), ITEM_FIELDS, kind="item")


@pytest.mark.parametrize("paramstyle", ["qmark", "named"])
@pytest.mark.parametrize("count", [0, 1, BULK, PART + 1])
def test_rows_are_inserted_whatever_the_driver_calls_its_values(paramstyle: Any, count: int) -> None:
    engine = create_engine("sqlite://", paramstyle=paramstyle)
    table = Table("t", MetaData(), Column("id", Integer, primary_key=True), Column("data", JsonText))
    rows: list[dict[str, Any]] = [{"id": number, "data": {"n": [number]}} for number in range(count)]
    with engine.begin() as connection:
        table.create(connection)
        insert_rows(connection, table, iter(rows))
        found = [dict(row) for row in connection.execute(select(table).order_by(table.c.id)).mappings()]
    assert found == rows
    engine.dispose()


def test_rows_inserted_in_bulk_keep_what_they_leave_empty() -> None:
    engine = create_engine("sqlite://")
    columns = [Column("id", Integer, primary_key=True), Column("none", JsonText), Column("some", JsonText)]
    table = Table("t", MetaData(), *columns)
    shared = {"a": 1}
    rows = [{"id": number, "none": None, "some": shared if number % 2 else None} for number in range(BULK)]
    with engine.begin() as connection:
        table.create(connection)
        insert_rows(connection, table, iter(rows))
        found = [dict(row) for row in connection.execute(select(table).order_by(table.c.id)).mappings()]
    assert found == rows
    engine.dispose()
