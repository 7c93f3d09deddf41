"""When a picture was taken, as its segments tell."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memu_py.records.resource import Segment
from memu_py.records.taken import taken, taken_at


def segment(kind: Any, **metadata: Any) -> Segment:
    return Segment(ordinal=0, kind=kind, text="x", start=0, end=1, hash="h", metadata=metadata)


def test_what_a_photograph_shows_was_so_when_it_was_taken() -> None:
    span = taken(segment("paragraph", taken_at="2023-05-08T14:03:00+02:00"))
    moment = datetime(2023, 5, 8, 12, 3, tzinfo=UTC)
    assert span is not None
    assert (span.start, span.until, span.precision) == (moment, moment, "instant")


def test_what_was_said_in_a_chat_was_said_before_its_picture_was_taken() -> None:
    assert taken(segment("turn", taken_at="2023-05-08T14:03:00+02:00")) is None


@pytest.mark.parametrize("written", ["", "soon", "2023-05-08T14:03:00", 7, None, "0001-01-01T00:00:00+14:00"])
def test_what_is_no_moment_is_none(written: Any) -> None:
    assert taken_at({"taken_at": written}) is None
    assert taken(segment("paragraph", taken_at=written)) is None
