"""Days, weeks and months of a zone, also where a day has 23 or 25 hours."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memu_py.features.timeline import begins_in, between, counted, midnight, touches_days

BERLIN, KATHMANDU, APIA = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu"), ZoneInfo("Pacific/Apia")


def hours(first: datetime, count: int) -> list[tuple[datetime, int]]:
    return [(first + timedelta(hours=number), 1) for number in range(count)]


@pytest.mark.parametrize(
    ("day", "length"), [(date(2024, 3, 31), 23), (date(2024, 10, 27), 25), (date(2024, 6, 1), 24)]
)
def test_a_day_has_the_hours_that_it_has(day: date, length: int) -> None:
    found = counted(hours(midnight(day, BERLIN) - timedelta(hours=2), 48), "day", BERLIN)
    assert {one.first: one.count for one in found}[day] == length


def test_days_are_those_of_the_zone() -> None:
    moment = datetime(2024, 5, 31, 18, 15, tzinfo=UTC)
    assert [one.first for one in counted([(moment, 2)], "day", KATHMANDU)] == [date(2024, 6, 1)]
    (month,) = counted([(moment, 2)], "month", KATHMANDU)
    assert (month.first, month.last, month.count) == (date(2024, 6, 1), date(2024, 6, 30), 2)
    # Samoa left out a day.
    skipped = hours(datetime(2011, 12, 29, 10, tzinfo=UTC), 48)
    assert [one.first.day for one in counted(skipped, "day", APIA)] == [29, 31]


def test_a_week_begins_on_monday() -> None:
    sunday, monday = datetime(2024, 6, 2, tzinfo=UTC), datetime(2024, 6, 3, tzinfo=UTC)
    found = counted([(sunday, 1), (monday, 1)], "week", UTC)
    assert [(one.first, one.last) for one in found] == [
        (date(2024, 5, 27), date(2024, 6, 2)),
        (date(2024, 6, 3), date(2024, 6, 9)),
    ]


def test_the_calendar_has_ends() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    for by in ("day", "week", "month"):
        found = counted([(first, 1), (last, 1)], by, UTC)
        assert found[0].first == date.min and found[-1].last == date.max
    assert begins_in(None, date.max, UTC) is touches_days(None, date.max, UTC) is None


def test_conditions_say_only_what_is_asked() -> None:
    day = date(2024, 6, 1)
    start, until = midnight(day, UTC), midnight(day + timedelta(days=1), UTC)
    touching = {"or": [{"at": {"gte": start}}, {"happened_until": {"gt": start}}]}
    assert begins_in(None, None, UTC) is between(None, None) is None
    assert touches_days(day, day, UTC) == {"and": [touching, {"at": {"lt": until}}]}
    assert begins_in(day, day, UTC) == {"and": [{"at": {"gte": start}}, {"at": {"lt": until}}]}
