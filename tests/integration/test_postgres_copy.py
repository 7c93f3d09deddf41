"""Many rows go to PostgreSQL by COPY, and come out as if each had been inserted."""

import itertools
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Table, delete, select
from sqlalchemy.exc import DBAPIError, IntegrityError

from memu_py.errors import Conflict, InvalidInput
from memu_py.storage.bulk import BULK, insert_rows
from memu_py.storage.columns import Bytes, JsonText, TokenText, UtcMicros, UtcMoments, VectorBlob
from memu_py.storage.failure import translate
from memu_py.storage.postgres_database import postgres_engine
from memu_py.storage.schema import changes, links, segments
from memu_py.storage.setup import needs_setup, set_up
from memu_py.storage.tables import PARTITIONED

ROWS = 2 * BULK
START = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = ("tea", "咖啡", "a\tb\nc\\d", "", "\\N", "'; --", "🫖", "ñandú" * 200)


def sample(column: Any, number: int) -> Any:
    """Return a value of a column; keys differ from row to row."""
    if column.nullable and number % 3 == 0:
        return None
    rng = random.Random(number)
    kinds: dict[type, Any] = {
        UtcMicros: START + timedelta(microseconds=number),
        UtcMoments: tuple(START + timedelta(days=day) for day in range(number % 4)),
        JsonText: {"text": TEXTS[number % len(TEXTS)], "list": [number, None, 1.5]},
        VectorBlob: np.array([rng.uniform(-1, 1) for _ in range(5)], dtype=np.float32),
        TokenText: ("tea", f"token{number}", "咖啡"),
        Bytes: number.to_bytes(16, "big"),
    }
    if type(column.type) in kinds:
        return kinds[type(column.type)]
    plain = {
        str: f"{number} {TEXTS[number % len(TEXTS)]}",
        int: number,
        float: number / 7,
        bool: number % 2 == 0,
    }
    return plain[column.type.python_type]


def rows_of(table: Table) -> list[dict[str, Any]]:
    return [
        {column.name: sample(column, number) for column in table.c if column is not changes.c.seq}
        for number in range(1, ROWS + 1)
    ]


@pytest.fixture
def connection(shared_dsn: str) -> Any:
    engine = postgres_engine(shared_dsn, connections=1)
    with engine.connect() as opened:
        with opened.begin():
            if needs_setup(opened, "tests"):
                set_up(opened)
            # One table at a time: what rows refer to is not there.
            opened.exec_driver_sql("SET session_replication_role = replica")
        yield opened
    engine.dispose()


@pytest.mark.parametrize("table", PARTITIONED, ids=lambda table: table.name)
def test_every_table_gets_what_inserting_row_by_row_gives_it(connection: Any, table: Table) -> None:
    rows = rows_of(table)

    def kept() -> list[Sequence[Any]]:
        columns = [column for column in table.c if column is not changes.c.seq]
        found = connection.execute(select(*columns).order_by(columns[0])).all()
        return [[one.tolist() if isinstance(one, np.ndarray) else one for one in row] for row in found]

    with connection.begin():
        for one in rows:
            insert_rows(connection, table, [one])
        inserted = kept()
        connection.execute(delete(table))
        insert_rows(connection, table, rows)
        assert kept() == inserted
    assert len(inserted) == ROWS


def many_links(**differs: Any) -> list[dict[str, Any]]:
    return [*rows_of(links), rows_of(links)[0] | {"source_id": "other"} | differs]


@pytest.mark.parametrize(
    ("differs", "error"),
    [
        ({"source_id": "1 咖啡"}, Conflict),
        ({"source_id": "\ud800"}, InvalidInput),
    ],
)
def test_what_is_refused_is_told_as_elsewhere(
    connection: Any, differs: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises((DBAPIError, UnicodeEncodeError)) as caught, connection.begin():
        insert_rows(connection, links, many_links(**differs))

    assert isinstance(translate(caught.value, "here"), error)
    with connection.begin():
        assert connection.execute(select(links)).all() == []


def test_a_number_that_is_too_large_is_refused(connection: Any) -> None:
    rows = rows_of(segments)
    with pytest.raises((DBAPIError, OverflowError)) as caught, connection.begin():
        insert_rows(connection, segments, [*rows, rows[0] | {"ordinal": 2**31 + 5}])

    assert isinstance(translate(caught.value, "here"), InvalidInput)


def test_rows_that_belong_to_nothing_are_refused(dsn: str) -> None:
    engine = postgres_engine(dsn, connections=1)
    with engine.begin() as opened:
        set_up(opened)
    with pytest.raises(IntegrityError), engine.begin() as opened:
        insert_rows(opened, links, many_links())
    engine.dispose()


def test_numbers_of_the_log_go_on(connection: Any) -> None:
    with connection.begin():
        insert_rows(connection, changes, rows_of(changes))
        insert_rows(connection, changes, rows_of(changes)[:1])
        numbers = connection.scalars(select(changes.c.seq).order_by(changes.c.seq)).all()
    assert all(after > before for before, after in itertools.pairwise(numbers))
