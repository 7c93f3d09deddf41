"""Which of several days, weekends, months or seasons of one name is meant: the last, this, the next."""

from collections.abc import Callable
from datetime import date
from typing import Literal

from memu_py.language.period import (
    DAY,
    WEEK,
    Period,
    day,
    month,
    season,
    week,
    weekend,
    year,
)
from memu_py.language.tense import Outlook

Which = Literal["last", "past", "this", "coming", "next"]
"""`last` and `next` are strict, `past` and `coming` the nearest on either side, `this` the present one."""

WEEK_DAYS = 7

NEXT_SEASON_DAYS = 60
"""A season that begins sooner than this is "this" one, not yet the next."""


def nearest_way(looks: Outlook | None) -> Which:
    """The way in which to look for what was named alone: ahead only where the sentence does."""
    return "coming" if looks == "future" else "past"


def weekday_near(today: date, weekday: int, which: Which, looks: Outlook | None = None) -> Period:
    """A day by its weekday.

    Args:
        today: the day it is told from.
        weekday: 0 is Monday.
        which: `last` and `past` are the latest before today, `coming` the first after it, `next` lies in the
            next calendar week, `this` is the first from today on, or up to today where the text looks back.
        looks: where the sentence looks.
    """
    back = (today.weekday() - weekday) % WEEK_DAYS
    ahead = (weekday - today.weekday()) % WEEK_DAYS
    if which in ("last", "past"):
        return day(today - (back or WEEK_DAYS) * DAY)
    if which == "coming":
        return day(today + (ahead or WEEK_DAYS) * DAY)
    if which == "next":
        return day(week(today + WEEK).first_day + weekday * DAY)
    return day(today - back * DAY if looks == "past" else today + ahead * DAY)


def weekend_near(today: date, which: Which, looks: Outlook | None = None) -> Period:
    """A weekend; the last one is over, and on a weekend it is this one that is present."""
    present = weekend(today)
    if which == "next":
        return weekend(today + WEEK)
    if which == "last":
        return weekend(today - WEEK)
    if which == "coming":
        return present if today < present.first_day else weekend(today + WEEK)
    back = which == "past" or looks == "past"
    return weekend(today - WEEK) if back and today < present.first_day else present


def month_near(today: date, number: int, which: Which) -> Period:
    """A month by its number; with `past` and `coming` the current month counts."""
    if which == "this":
        return month(today.year, number)
    if which in ("last", "past"):
        late = number > today.month or (which == "last" and number == today.month)
        return month(today.year - late, number).evolve(floating=which == "past")
    early = number < today.month or (which == "next" and number == today.month)
    return month(today.year + early, number).evolve(floating=which == "coming")


def season_near(today: date, name: str, which: Which, looks: Outlook | None = None) -> Period:
    """A season by its name; `last` is over, `next` and `coming` have not begun."""
    around = [season(today.year + step, name) for step in (-2, -1, 0, 1, 2)]
    over = [one for one in around if one.until.date() <= today]
    begun = [one for one in around if one.first_day <= today]
    to_come = [one for one in around if one.first_day > today]
    if which == "last":
        return over[-1]
    if which == "next":
        return next(one for one in to_come if one.first_day - today >= NEXT_SEASON_DAYS * DAY)
    if which == "coming":
        return to_come[0]
    present = bool(begun) and begun[-1].until.date() > today
    if which == "past" or present or looks == "past":
        return begun[-1]
    return to_come[0] if looks == "future" else around[2]


def day_of_year_near(today: date, make: Callable[[int], date], which: Which) -> Period:
    """A day that comes once a year.

    Args:
        today: the day it is told from.
        make: the day in a given year; a ValueError where that year has none.
        which: `last` is before today, `next` after it; `past`, `coming` may be today; `this` is of this year.
    """
    if which == "this":
        return day(make(today.year))
    steps = (0, -1, -2, -3, -4) if which in ("last", "past") else (0, 1, 2, 3, 4)
    for step in steps:
        found = _made(make, today.year + step)
        if found is not None and _suits(found, today, which):
            return day(found).evolve(floating=which in ("past", "coming"))
    msg = "no such day in the years around"
    raise ValueError(msg)


def _made(make: Callable[[int], date], number: int) -> date | None:
    try:
        return make(number)
    except ValueError:
        return None


def _suits(found: date, today: date, which: Which) -> bool:
    if which == "last":
        return found < today
    if which == "next":
        return found > today
    return found <= today if which == "past" else found >= today


def unit_near(today: date, unit: Literal["week", "month", "year"], step: int) -> Period:
    """The calendar week, month or year so many before (below 0) or after this one."""
    if unit == "week":
        return week(today + step * WEEK)
    if unit == "month":
        return month(today.year, today.month + step)
    return year(today.year + step)


def steps(which: Which) -> int:
    """How many units a word leads away from the present one."""
    if which in ("last", "past"):
        return -1
    return 0 if which == "this" else 1
