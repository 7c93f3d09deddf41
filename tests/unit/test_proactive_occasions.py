"""Which days an item with a date comes round to."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import pytest

from memu_py.language.zones import zone
from memu_py.records.occasion import Dated, Occasion
from memu_py.records.span import Precision
from memu_py.steps.proactive.occasions import midnight, occasions

SHANGHAI, NEW_YORK = zone("Asia/Shanghai"), zone("America/New_York")


def dated(
    day: date, *, precision: Precision = "day", local: tzinfo = UTC, days: int = 1, **more: Any
) -> Dated:
    start = midnight(day, local)
    fields: dict[str, Any] = {"said_at": start + timedelta(days=40), "type": "event"} | more
    return Dated(item_id="i", start=start, until=start + timedelta(days=days), precision=precision, **fields)


def found(one: Dated, today: date, ahead: int = 7, local: tzinfo = UTC) -> list[Occasion]:
    return list(occasions(one, today=today, ahead=ahead, zone=local))


def days(one: Dated, today: date, ahead: int = 7, local: tzinfo = UTC) -> list[tuple[str, date, int | None]]:
    return [(each.kind, each.day, each.years) for each in found(one, today, ahead, local)]


def test_an_anniversary_comes_every_later_year_in_its_window() -> None:
    wedding = dated(date(2020, 6, 3))

    assert days(wedding, date(2026, 5, 27)) == [("anniversary", date(2026, 6, 3), 6)]
    assert days(wedding, date(2026, 6, 3)) == [("anniversary", date(2026, 6, 3), 6)]
    assert days(wedding, date(2026, 5, 26)) == []
    assert days(wedding, date(2026, 6, 4)) == []
    assert days(wedding, date(2020, 6, 3)) == []


def test_a_window_may_reach_into_the_next_year() -> None:
    party = dated(date(2023, 1, 2))

    assert days(party, date(2025, 12, 29)) == [("anniversary", date(2026, 1, 2), 3)]
    both = [("anniversary", date(2024, 1, 2), 1), ("anniversary", date(2025, 1, 2), 2)]
    assert days(party, date(2024, 1, 1), 367) == both


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (date(2025, 2, 22), date(2025, 2, 28)),
        (date(2025, 2, 28), date(2025, 2, 28)),
        (date(2028, 2, 27), date(2028, 2, 29)),
        (date(2100, 2, 27), date(2100, 2, 28)),
    ],
)
def test_that_of_a_29_february_is_the_28th_where_there_is_none(today: date, expected: date) -> None:
    assert [day for _, day, _ in days(dated(date(2024, 2, 29)), today)] == [expected]
    assert days(dated(date(2024, 2, 29)), expected + timedelta(days=1)) == []


@pytest.mark.parametrize("precision", ["week", "month", "season", "year", "range"])
def test_what_names_no_day_has_no_anniversary(precision: Precision) -> None:
    assert days(dated(date(2020, 6, 1), precision=precision, days=30), date(2026, 5, 30)) == []


def test_only_what_happened_has_an_anniversary() -> None:
    assert days(dated(date(2020, 6, 3), type="fact"), date(2026, 6, 1)) == []


def test_a_plan_is_due_on_its_first_day_in_the_users_zone() -> None:
    flight = dated(date(2026, 6, 5), local=SHANGHAI, said_at=datetime(2026, 5, 30, tzinfo=UTC), type="fact")
    (plan,) = found(flight, date(2026, 6, 1), local=SHANGHAI)

    assert (plan.kind, plan.day, plan.years) == ("plan", date(2026, 6, 5), None)
    assert plan.due_at == datetime(2026, 6, 4, 16, tzinfo=UTC)
    assert days(flight, date(2026, 6, 6), local=SHANGHAI) == []
    assert days(flight, date(2026, 5, 28), local=SHANGHAI) == []


def test_an_appointment_is_due_at_its_hour() -> None:
    at = datetime(2026, 6, 5, 1, 30, tzinfo=UTC)
    one = Dated(
        item_id="i", type="event", start=at, until=at, precision="instant", said_at=at - timedelta(days=2)
    )

    (here,) = found(one, date(2026, 6, 4), local=NEW_YORK)
    assert (here.day, here.due_at) == (date(2026, 6, 4), at)
    (there,) = found(one, date(2026, 6, 4), local=SHANGHAI)
    assert (there.day, there.due_at) == (date(2026, 6, 5), at)


def test_a_plan_for_a_month_is_due_when_it_begins_and_while_it_lasts() -> None:
    move = dated(date(2026, 7, 1), precision="month", days=31, said_at=datetime(2026, 6, 1, tzinfo=UTC))

    assert days(move, date(2026, 6, 25)) == [("plan", date(2026, 7, 1), None)]
    assert days(move, date(2026, 7, 31)) == [("plan", date(2026, 7, 1), None)]
    assert days(move, date(2026, 8, 1)) == []
    assert days(move, date(2027, 6, 28)) == []


def test_what_was_told_afterwards_is_no_plan() -> None:
    assert days(dated(date(2026, 6, 1), said_at=datetime(2026, 6, 1, 18, tzinfo=UTC)), date(2026, 6, 1)) == []


def test_a_day_without_midnight_begins_all_the_same() -> None:
    # Clocks in Cairo go from 00:00 to 01:00 on that day.
    assert midnight(date(2026, 4, 24), zone("Africa/Cairo")) == datetime(2026, 4, 23, 22, tzinfo=UTC)
