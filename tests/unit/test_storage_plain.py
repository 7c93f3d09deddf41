"""Plain data."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from memu_py.errors import InvalidInput
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.storage.functions import fold, micros
from memu_py.storage.plain import (
    MAX_MICROS,
    MIN_MICROS,
    clean_optional,
    dump_json,
    from_micros,
    iso_micros,
    load_json,
    plain,
    to_micros,
)
from memu_py.storage.schema import items
from memu_py.storage.scoping import require_within, within


def test_what_is_plain_is_not_copied() -> None:
    metadata = {"a": 1, "b": "text"}
    assert plain(metadata, where="metadata") is metadata
    assert plain({"a": (1,)}, where="metadata") == {"a": [1]}


def test_values_become_what_json_gives_back() -> None:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    given = {
        "set": {"b", "a"},
        "date": date(2024, 5, 1),
        "time": moment,
        "np": np.int64(3),
        "f": np.float32(0.5),
    }
    assert plain(given, where="metadata") == {
        "set": ["a", "b"],
        "date": "2024-05-01",
        "time": "2024-05-01T00:00:00+00:00",
        "np": 3,
        "f": 0.5,
    }
    span = TimeSpan(start=moment, until=moment, precision="day", words="then")
    assert plain(span, where="span")["words"] == "then"


@pytest.mark.parametrize("value", [object(), {1: 2}, float("nan"), {"x": [float("inf")]}, b"bytes"])
def test_what_json_cannot_say_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidInput, match="metadata"):
        plain(value, where="metadata")


def test_json_keeps_order_and_script() -> None:
    assert dump_json({"b": "咖啡", "a": []}) == '{"b":"咖啡","a":[]}'
    values: list[Any] = [{}, [], {"a": [1, None, True]}]
    for value in values:
        assert load_json(dump_json(value)) == value


def test_times_go_there_and_back_to_the_microsecond() -> None:
    for moment in (
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2024, 5, 1, 12, 30, 1, 1, tzinfo=timezone(timedelta(hours=8))),
    ):
        assert from_micros(to_micros(moment)) == moment
    assert from_micros(MIN_MICROS).year == 1
    assert from_micros(MAX_MICROS).year == 9999


def test_times_that_utc_cannot_hold_are_refused() -> None:
    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=8)))
    for wrong in (early, datetime(2024, 5, 1)):  # noqa: DTZ001 - a time without a zone is the case
        with pytest.raises(InvalidInput, match="happened"):
            to_micros(wrong, where="happened")


def test_texts_that_are_no_times_have_none() -> None:
    assert iso_micros("1970-01-01T00:00:01") == 1_000_000
    assert iso_micros("1970-01-01T01:00:00+01:00") == 0
    assert iso_micros("soon") is None
    assert (micros(5), micros("1970-01-01")) == (None, 0)
    assert (fold("Straße"), fold(5), fold(None)) == ("strasse", None, None)
    assert clean_optional(None) is None


def test_the_scope_of_a_call_and_of_a_record_are_compared() -> None:
    ann = Scope(user="ann", agent="a")
    require_within(ann, Scope(user="ann", agent="a", session="s"), "item")
    assert within(items, ann) is within(items, Scope(user="ann", agent="a"))
    assert "agent" not in str(within(items, ann, attributes=False))
