"""Periods of the local calendar: days, weeks, months, seasons, years, and spans of them.

Half-open and without a time zone; weeks begin on Monday, seasons are those of the northern half of the world.
A period outside the years that a calendar can hold is an OverflowError or ValueError, which `resolve_dates`
drops.
"""

import dataclasses
from datetime import date, datetime, time, timedelta
from typing import Literal

from memu_py.records.record import Record
from memu_py.records.span import Precision

DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)
SATURDAY = 5
MONTHS_IN_YEAR = 12
SEASON_MONTHS = 3

Part = Literal["early", "mid", "late", "beginning", "end"]
PARTS: dict[Part, tuple[float, float]] = {
    "early": (0, 1 / 3),
    "mid": (1 / 3, 2 / 3),
    "late": (2 / 3, 1),
    "beginning": (0, 1 / 6),
    "end": (5 / 6, 1),
}
"""Where a part of a period begins and ends, as shares of its length."""

SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Period(Record):
    """A span of local time.

    Attributes:
        start: its first instant, local and without a zone.
        until: the instant after its last; equal to `start` for an instant.
        precision: its calendar unit.
        floating: the year was not said, but chosen as the nearest.
    """

    start: datetime
    until: datetime
    precision: Precision
    floating: bool = False

    @property
    def first_day(self) -> date:
        """The day it begins on."""
        return self.start.date()


def instant(moment: datetime) -> Period:
    """One instant."""
    return Period(start=moment, until=moment, precision="instant")


def days(first: date, until: date, precision: Precision = "range") -> Period:
    """From a day up to, and without, another."""
    return Period(
        start=datetime.combine(first, time.min),
        until=datetime.combine(until, time.min),
        precision=precision,
    )


def day(first: date) -> Period:
    """One day."""
    return days(first, first + DAY, "day")


def monday(of: date) -> date:
    """The first day of the week that a day lies in."""
    return of - of.weekday() * DAY


def week(of: date) -> Period:
    """The week that a day lies in."""
    return days(monday(of), monday(of) + WEEK, "week")


def weekend(of: date) -> Period:
    """Saturday and Sunday of the week that a day lies in."""
    saturday = monday(of) + SATURDAY * DAY
    return days(saturday, monday(of) + WEEK)


def first_of_month(year: int, month: int) -> date:
    """The first day of a month; months below 1 or above 12 run on into other years."""
    years, index = divmod(month - 1, MONTHS_IN_YEAR)
    return date(year + years, index + 1, 1)


def month(year: int, number: int) -> Period:
    """One month; a number below 1 or above 12 runs on into other years."""
    return days(first_of_month(year, number), first_of_month(year, number + 1), "month")


def year(number: int) -> Period:
    """One year."""
    return days(date(number, 1, 1), date(number + 1, 1, 1), "year")


def season(year_number: int, name: str) -> Period:
    """One season; a winter belongs to the year in which it begins.

    Args:
        year_number: the year.
        name: spring, summer, autumn or winter.
    """
    first = SEASON_STARTS[name]
    return days(
        first_of_month(year_number, first), first_of_month(year_number, first + SEASON_MONTHS), "season"
    )


def shift_months(of: date, count: int) -> date:
    """The same day of another month, or its last day where it is shorter."""
    first = first_of_month(of.year, of.month + count)
    last = first_of_month(first.year, first.month + 1) - DAY
    return first.replace(day=min(of.day, last.day))


def part(whole: Period, name: Part) -> Period:
    """A part of a period, in whole days: "early", "mid" and "late" are thirds, beginning and end sixths."""
    length = (whole.until - whole.start).days
    first, last = (round(length * share) for share in PARTS[name])
    start = whole.first_day + first * DAY
    return days(start, max(start + DAY, whole.first_day + last * DAY)).evolve(floating=whole.floating)


def joined(first: Period, last: Period) -> Period:
    """From the start of one period to the end of another."""
    return Period(start=first.start, until=max(first.until, last.until), precision="range")
