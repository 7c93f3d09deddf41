"""Records as plain data."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from memu_py.errors import InvalidInput
from memu_py.records.hit import Hit
from memu_py.records.item import Emotion, Item, Source
from memu_py.records.job import Job
from memu_py.records.page import Page
from memu_py.records.plain import plain, restored
from memu_py.records.scope import Scope
from memu_py.records.span import TimeSpan
from memu_py.records.usage import Usage, UsageReport, UsageRow
from memu_py.service.results import MemorizeResult

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
TIMES: dict[str, Any] = dict.fromkeys(("created_at", "updated_at", "not_before"), MOMENT)


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


ITEM = Item(
    id="i1",
    type="event",
    text="安 moved.",
    happened=TimeSpan(start=MOMENT, until=MOMENT, precision="day", words="then"),
    emotion=Emotion(valence=0.5, arousal=0.25),
    entities=("安",),
    sources=(Source(resource_id="r", ordinal=0, start=1, end=2, said_at=MOMENT, metadata={"a": [1]}),),
    scope=Scope(user="ann", agent="a", custom=(("project", "p"),)),
    identity="",
    created_at=MOMENT,
    updated_at=MOMENT,
)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (Item, ITEM),
        (Page[Item], Page(records=(ITEM,), next_cursor="c")),
        (list[Hit[Item]], [Hit(record=ITEM, score=0.5, scores={"dense": 0.25})]),
        (MemorizeResult | Job, Job(id="j", scope=Scope(user="ann"), kind="k", run_id="r", **TIMES)),
        (
            UsageReport,
            UsageReport.of([UsageRow(day=date(2026, 1, 2), profile="p", purpose="x", usage=Usage())]),
        ),
        (bytes, "咖啡".encode()),
        (int | None, None),
        (dict[str, int], {"items": 3}),
    ],
)
def test_what_was_made_plain_is_restored(form: Any, value: Any) -> None:
    assert restored(form, json.loads(json.dumps(plain(value)))) == value


def test_what_is_private_is_not_told() -> None:
    job = Job(
        id="j",
        scope=Scope(user="ann"),
        kind="k",
        run_id="r",
        payload={"text": "secret"},
        content=b"secret",
        lease_id="secret",
        **TIMES,
    )
    assert not {"payload", "content", "lease_id"} & plain(job).keys()
    assert "identity" not in plain(ITEM.evolve(identity="secret"))


@pytest.mark.parametrize(
    ("form", "data"),
    [(Item, {}), (Item, []), (MemorizeResult | Job, {"id": "x"}), (date, "x"), (Page[Item], {"records": 3})],
)
def test_data_of_another_form_are_refused(form: Any, data: Any) -> None:
    with pytest.raises(InvalidInput, match="this is no"):
        restored(form, data)
