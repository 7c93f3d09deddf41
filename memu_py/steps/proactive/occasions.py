"""Which days of a calendar an item with a date comes round to."""

import calendar
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memu_py.records.identity import DATED_TYPES
from memu_py.records.occasion import Dated, Occasion

EXACT = frozenset({"instant", "day"})
"""Precisions that name a day: "in May 2023" has no anniversary."""

FEBRUARY = 2
RESOLUTION = timedelta.resolution


def occasions(one: Dated, *, today: date, ahead: int, zone: tzinfo) -> Iterator[Occasion]:
    """Return the occasions of one item that fall in a window.

    A plan is what was said before it happens. It is due on its first day, and still is while it lasts. What happened
    on a known day has an anniversary in every later year; that of a 29 February is the 28th where there is none.

    Args:
        one: the item.
        today: in the zone.
        ahead: days after today that belong to the window.
        zone: the user's.
    """
    last = today + timedelta(days=ahead)
    begin, end = _day(one.start, zone), _day(max(one.start, one.until - RESOLUTION), zone)
    if one.start > one.said_at and begin <= last and end >= today:
        exact = one.precision == "instant"
        due_at = one.start if exact else midnight(begin, zone)
        yield Occasion(item_id=one.item_id, kind="plan", day=begin, due_at=due_at, start=one.start)
    if one.type not in DATED_TYPES or one.precision not in EXACT or begin >= today:
        return
    for year in range(max(today.year, begin.year + 1), last.year + 1):
        day = in_year(begin, year)
        if today <= day <= last:
            yield Occasion(
                item_id=one.item_id,
                kind="anniversary",
                day=day,
                due_at=midnight(day, zone),
                start=one.start,
                years=year - begin.year,
            )


def in_year(day: date, year: int) -> date:
    """Return the same day in a year; the 28th for a 29 February where there is none.

    >>> in_year(date(2024, 2, 29), 2025), in_year(date(2024, 2, 29), 2028)
    (datetime.date(2025, 2, 28), datetime.date(2028, 2, 29))
    """
    if (day.month, day.day) == (FEBRUARY, 29) and not calendar.isleap(year):
        return date(year, FEBRUARY, 28)
    return day.replace(year=year)


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return when a day begins in a zone, UTC."""
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def _day(moment: datetime, zone: tzinfo) -> date:
    return moment.astimezone(zone).date()
