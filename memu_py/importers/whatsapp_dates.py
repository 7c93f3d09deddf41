"""The dates of a WhatsApp chat. Which of two numbers is the day is what the whole file allows."""

import itertools
import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

UNCLEAR = "whether the day or the month comes first in its dates is not clear, so they are not used"
CENTURY = 2000
MONTHS, NOON = 12, 12

MORNING = ("上午", "凌晨", "早上", "清晨", "오전", "午前", "a")
AFTERNOON = ("下午", "中午", "晚上", "傍晚", "오후", "午後", "p")
_HALF = "|".join((*MORNING[:-1], *AFTERNOON[:-1]))

DATE = (
    r"(?P<one>\d{1,4})(?P<mark>[./-]|年|년)[ ]?(?P<two>\d{1,2})(?:[./-]|月|월)[ ]?(?P<three>\d{1,4})"
    r"(?:日|일|\.|[ ]г\.)?(?:,|，)?[ \u00a0\u202f]*(?:(?:klo|at|um|à|às)[ ])?"
    rf"(?:(?P<before>{_HALF})[ ]?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    r"(?:[ \u00a0\u202f]?(?P<after>[AaPp])\.?[ \u00a0\u202f]?[Mm]\.?)?"
)
"""A date and a time, in all the forms that the languages of telephones give them."""


class Stamp(NamedTuple):
    """A date as it is written.

    Attributes:
        numbers: the three of the day, in their order.
        clock: hour, minute, second, of a day of 24 hours; None for what is no time.
        mark: what stands between the numbers.
        padded: whether the first two have two digits.
        half: AM or PM as it is written, in its case.
        words: the day as written.
    """

    numbers: tuple[int, int, int]
    clock: tuple[int, int, int]
    mark: str
    padded: bool
    half: str
    words: str


def stamp(match: re.Match[str]) -> Stamp:
    """Return the date of a match of `DATE`."""
    half = match["before"] or match["after"] or ""
    return Stamp(
        numbers=(int(match["one"]), int(match["two"]), int(match["three"])),
        clock=(_hour(int(match["hour"]), half), int(match["minute"]), int(match["second"] or 0)),
        mark=match["mark"],
        padded=len(match["one"]) > 1 and len(match["two"]) > 1,
        half=half,
        words=match[0][match.start("one") - match.start() : match.end("minute") - match.start()],
    )


def _hour(hour: int, half: str) -> int:
    if not half or hour > NOON:
        return hour
    if half == "凌晨" and hour == NOON:
        return 0
    return hour % NOON + (NOON if half.casefold() in AFTERNOON else 0)


class DateOrder:
    """Reads the dates of one file.

    Args:
        stamps: all of them.
    """

    def __init__(self, stamps: Sequence[Stamp]) -> None:
        written = [one for one in stamps if not _has_year_first(one)]
        self._day_first = _day_first(written)
        self.is_unclear = bool(written) and self._day_first is None

    def read(self, given: Stamp) -> datetime | None:
        """Return a local time; None where the order is not clear, or there is no such day."""
        one, two, three = given.numbers
        if _has_year_first(given):
            year, month, day = one, two, three
        elif self._day_first is None:
            return None
        else:
            day, month = (one, two) if self._day_first else (two, one)
            year = three if three > 99 else CENTURY + three
        try:
            return datetime(year, month, day, *given.clock)  # noqa: DTZ001 - the zone is the caller's
        except ValueError:
            return None


def _has_year_first(one: Stamp) -> bool:
    return one.numbers[0] > 99


def _day_first(written: Sequence[Stamp]) -> bool | None:
    """Tell whether the day comes first, by what each sign of it allows; None when none says anything."""
    firsts, seconds = ([one.numbers[place] for one in written] for place in (0, 1))
    if any(one > MONTHS for one in firsts):
        return True
    if any(two > MONTHS for two in seconds):
        return False
    if any(one.mark in ".-" for one in written):
        return True
    return _by_order(written) if _by_order(written) is not None else _by_form(written)


def _by_order(written: Sequence[Stamp]) -> bool | None:
    """A chat goes on in time: a reading in which it goes back is the wrong one."""
    back = {}
    for day_first in (True, False):
        day, month = (0, 1) if day_first else (1, 0)
        days = [(one.numbers[2], one.numbers[month], one.numbers[day]) for one in written]
        back[day_first] = sum(later < earlier for earlier, later in itertools.pairwise(days))
    return None if back[True] == back[False] else back[True] < back[False]


def _by_form(written: Sequence[Stamp]) -> bool | None:
    """`5/8/23, 1:56 PM` is how telephones in American English write, `08/05/2023` how those in British English do."""
    if any(not one.padded for one in written):
        american = all(one.half in ("A", "P") and one.numbers[2] <= 99 for one in written)
        return False if american else None
    return True if written and all(one.numbers[2] > 99 for one in written) else None
