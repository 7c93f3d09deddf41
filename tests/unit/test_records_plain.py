"""Records as plain data."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memu_py.records.hit import Hit
from memu_py.records.plain import plain
from memu_py.records.scope import Scope


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Scope(user="ann", custom=(("project", "p"),)), {"user": "ann", "custom": {"project": "p"}}),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        ({"a": (1, None), 2: [True]}, {"a": [1, None], "2": [True]}),
        ([float("nan"), float("inf"), 0.5], [None, None, 0.5]),
        (
            Hit(record="x", score=0.5, scores={"dense": float("nan")}),
            {"record": "x", "score": 0.5, "scores": {"dense": None}},
        ),
    ],
)
def test_a_value_becomes_json_data(value: Any, expected: Any) -> None:
    assert plain(value) == expected
