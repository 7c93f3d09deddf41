"""Counted units of time: three days, a couple of weeks, half a year."""

import dataclasses
import re
from datetime import date, timedelta

from memu_py.language.date_words import UNITS, VAGUE_COUNTS, Unit
from memu_py.language.numbers import ENGLISH_NUMBER, english_number
from memu_py.language.period import (
    DAY,
    MONTHS_IN_YEAR,
    WEEK,
    Period,
    day,
    days,
    instant,
    joined,
    month,
    shift_months,
    week,
    weekend,
    year,
)
from memu_py.language.rule import Setting
from memu_py.language.wordlist import alternatives
from memu_py.records.record import Record

HALF_MONTH_DAYS = 15
DECADE_YEARS = 10

UNIT = rf"(?:{alternatives(UNITS)})"
COUNT = rf"(?P<count>{'|'.join(VAGUE_COUNTS)}|half an?|an?|{ENGLISH_NUMBER})"

AMOUNT = (
    rf"(?:(?P<fewest>{ENGLISH_NUMBER}|an?)(?: or | to |\s*[-–]\s*(?=\d)))?{COUNT}(?P<half> and a half)?(?: |-)"
    rf"(?P<unit>{UNIT})(?:s'|'s|s)?(?!\w)(?P<half_after> and a half)?(?P<more> or two)?"
)
"""A count and its unit, also "two or three weeks" and "a week or two"; `english_amount` reads the match."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Amount(Record):
    """So many units.

    Attributes:
        low: the fewest meant, in the unit.
        high: the most meant; equal to `low` where the count is exact.
        unit: the unit.
        half: whether half a unit more is meant.
    """

    low: int
    high: int
    unit: Unit
    half: bool = False


def english_amount(match: re.Match[str]) -> Amount | None:
    """Read a match of `AMOUNT`."""
    words = " ".join(match.group("count").casefold().split())
    unit = UNITS[match.group("unit").casefold()]
    half = bool(match.group("half") or match.group("half_after"))
    if words in VAGUE_COUNTS:
        fewest, most = VAGUE_COUNTS[words]
        return Amount(low=fewest, high=most, unit=unit)
    if words.startswith("half"):
        return Amount(low=0, high=0, unit=unit, half=True)
    count = _count(words)
    if count is None:
        return None
    low = _count(match.group("fewest") or "")
    high = count + 1 if match.group("more") else count
    return Amount(low=count if low is None or low > count else low, high=high, unit=unit, half=half)


def _count(words: str) -> int | None:
    return 1 if words.casefold() in ("a", "an") else english_number(words)


def away(amount: Amount, setting: Setting, sign: int) -> Period | None:
    """The period that lies an amount before (`sign` −1) or after (1) the day of the setting.

    It has the amount's unit as its precision: two weeks ago is a week. A vague amount is a range.
    """
    if amount.unit in ("minute", "hour"):
        return _clock_away(amount, setting, sign)
    if amount.unit == "decade":
        tenfold = Amount(low=amount.low * DECADE_YEARS, high=amount.high * DECADE_YEARS, unit="year")
        return away(tenfold, setting, sign) if amount.low else None
    if amount.half:
        return _half_away(amount, setting.today, sign)
    near = _unit_at(setting.today, sign * amount.low, amount.unit)
    if amount.low == amount.high:
        return near
    far = _unit_at(setting.today, sign * amount.high, amount.unit)
    return joined(far, near) if sign < 0 else joined(near, far)


def within(amount: Amount, setting: Setting, sign: int) -> Period | None:
    """The span of an amount up to today (`sign` −1) or from today on (1)."""
    if amount.unit in ("minute", "hour") or (amount.half and amount.unit == "day"):
        return None
    reach = _reach(setting.today, sign * amount.high, amount.unit)
    if amount.half:
        reach = _half_reach(reach, sign, amount.unit)
    return days(reach, setting.tomorrow) if sign < 0 else days(setting.today, reach + DAY)


def _clock_away(amount: Amount, setting: Setting, sign: int) -> Period:
    size = timedelta(hours=1) if amount.unit == "hour" else timedelta(minutes=1)
    far, near = ((count + amount.half / 2) * size for count in (amount.high, amount.low))
    if far == near:
        return instant(setting.said + sign * near)
    first, last = sorted((setting.said + sign * far, setting.said + sign * near))
    return Period(start=first, until=last, precision="range")


def _half_away(amount: Amount, today: date, sign: int) -> Period | None:
    if amount.unit == "year":
        moved = shift_months(today, sign * (amount.low * MONTHS_IN_YEAR + MONTHS_IN_YEAR // 2))
        return month(moved.year, moved.month)
    if amount.unit == "month":
        return week(shift_months(today, sign * amount.low) + sign * HALF_MONTH_DAYS * DAY)
    if amount.unit == "week":
        return day(today + sign * (amount.low * WEEK + (WEEK.days // 2) * DAY))
    return None


def _half_reach(reach: date, sign: int, unit: Unit) -> date:
    if unit == "year":
        return shift_months(reach, sign * (MONTHS_IN_YEAR // 2))
    return reach + sign * (HALF_MONTH_DAYS if unit == "month" else WEEK.days // 2) * DAY


def _reach(today: date, count: int, unit: Unit) -> date:
    if unit in ("day", "week", "weekend"):
        return today + count * (DAY if unit == "day" else WEEK)
    months = {"month": 1, "year": MONTHS_IN_YEAR, "decade": MONTHS_IN_YEAR * DECADE_YEARS}[unit]
    return shift_months(today, count * months)


def _unit_at(today: date, count: int, unit: Unit) -> Period:
    place = _reach(today, count, unit)
    if unit == "weekend":
        return _weekend_at(today, count)
    if unit == "day":
        return day(place)
    if unit == "week":
        return week(place)
    return month(place.year, place.month) if unit == "month" else year(place.year)


def _weekend_at(today: date, count: int) -> Period:
    """The n-th weekend before today, the last one that is over being the first; or after it."""
    this = weekend(today)
    if count > 0:
        return weekend(today + (count - (this.first_day > today)) * WEEK)
    return weekend(today + count * WEEK)
