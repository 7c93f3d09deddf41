"""Days, weeks and months of a user's own calendar. Pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from memu_py.language.period import DAY, WEEK, first_of_month, monday
from memu_py.records.page import Where
from memu_py.records.period import PeriodCount

Unit = Literal["day", "week", "month"]


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return the instant at which a day begins in a zone, UTC."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


def touches_days(first: date | None, last: date | None, zone: tzinfo) -> Where | None:
    """Return the condition that an item's time touches the days from `first` to `last`, both included."""
    start = None if first is None else midnight(first, zone)
    # The calendar ends with the day 9999-12-31.
    until = None if last is None or last == date.max else midnight(last + DAY, zone)
    return between(start, until)


def between(start: datetime | None, until: datetime | None) -> Where | None:
    """Return the condition that an item's time touches a half-open span; None for all times."""
    parts: list[Where] = []
    if start is not None:
        parts.append({"or": [{"at": {"gte": start}}, {"happened_until": {"gt": start}}]})
    if until is not None:
        parts.append({"at": {"lt": until}})
    return {"and": parts} if parts else None


def begins_in(first: date | None, last: date | None, zone: tzinfo) -> Where | None:
    """Return the condition that an item's time begins on one of the days from `first` to `last`."""
    parts: list[Where] = []
    if first is not None:
        parts.append({"at": {"gte": midnight(first, zone)}})
    if last is not None and last != date.max:
        parts.append({"at": {"lt": midnight(last + DAY, zone)}})
    return {"and": parts} if parts else None


def counted(slots: Iterable[tuple[datetime, int]], by: Unit, zone: tzinfo) -> list[PeriodCount]:
    """Return counts by day, week or month of a zone, in order; those with nothing are left out.

    Args:
        slots: moments, UTC, and how many items there are at each.
        by: the unit.
        zone: whose days.
    """
    found: dict[date, int] = {}
    for moment, count in slots:
        first = _first(moment.astimezone(zone).date(), by)
        found[first] = found.get(first, 0) + count
    return [PeriodCount(first=first, last=_last(first, by), count=found[first]) for first in sorted(found)]


def _first(day: date, by: Unit) -> date:
    if by == "week":
        # The first week of the calendar begins with it, on a Monday.
        return monday(day)
    return day.replace(day=1) if by == "month" else day


def _last(first: date, by: Unit) -> date:
    if by == "day":
        return first
    try:
        following = first + WEEK if by == "week" else first_of_month(first.year, first.month + 1)
    except (OverflowError, ValueError):
        return date.max
    return following - timedelta(days=1)
