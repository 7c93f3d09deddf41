"""The filter language: what it accepts and how it refuses."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memu_py.errors import InvalidFilter
from memu_py.records.filter import Combination, Condition, parse_filter

FIELDS = ["type", "importance", "metadata"]


def parse(where: Any) -> Combination:
    parsed = parse_filter(where, fields=FIELDS)
    assert isinstance(parsed, Combination)
    return parsed


def test_a_plain_value_means_equal_and_keys_side_by_side_must_all_hold() -> None:
    parsed = parse({"type": "event", "metadata.topic": None})
    assert parsed.how == "and"
    assert parsed.parts == (
        Condition(field="type", op="eq", value="event"),
        Condition(field="metadata", key="topic", op="eq", value=None),
    )


def test_two_operators_on_one_field_are_two_conditions() -> None:
    parts = parse({"importance": {"gte": 3, "lt": 8}}).parts
    assert [(part.op, part.value) for part in parts if isinstance(part, Condition)] == [("gte", 3), ("lt", 8)]


def test_and_or_not_nest() -> None:
    parsed = parse({"or": [{"type": "event"}, {"not": {"type": "fact"}}], "and": [{"importance": 1}]})
    either, both = parsed.parts
    assert isinstance(either, Combination)
    assert isinstance(both, Combination)
    assert (either.how, both.how) == ("or", "and")
    inner = either.parts[1]
    assert isinstance(inner, Combination)
    assert isinstance(inner.parts[0], Combination)
    assert inner.parts[0].how == "not"


def test_lists_become_tuples_and_dates_are_values() -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    (condition,) = parse({"type": {"in": ["a", "b"]}}).parts
    assert isinstance(condition, Condition)
    assert condition.value == ("a", "b")
    (dated,) = parse({"importance": {"gt": when}}).parts
    assert isinstance(dated, Condition)
    assert dated.value == when


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("type", "a filter is a mapping"),
        ({"tpye": "event"}, "no field `tpye`; there are importance, metadata, type"),
        ({"type": {"equals": 1}}, "no operator `equals`"),
        ({"type": {}}, "empty mapping"),
        ({"type": {"in": "abc"}}, "takes a list"),
        ({"type": {"exists": "yes"}}, "true or false"),
        ({"importance": {"gt": None}}, "needs a value"),
        ({"type": ["a"]}, "not list"),
        ({"metadata": "x"}, "name a key"),
        ({"metadata.": "x"}, "name a key"),
        ({"custom.tenant": "x"}, "no field"),
        ({"or": []}, "at least one"),
        ({"and": {"type": "x"}}, "takes a list"),
        ({"not": "x"}, "a filter is a mapping"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(where: Any, message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        parse(where)


def test_bottomless_nesting_is_refused() -> None:
    where: dict[str, Any] = {"type": "x"}
    for _ in range(50):
        where = {"not": where}
    with pytest.raises(InvalidFilter, match="nest at most"):
        parse(where)
