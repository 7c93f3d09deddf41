"""English dates that name a day of the calendar: May 7th, 7 May 2023, 5/7/2023, the last Monday of May."""

import re
from datetime import date, datetime

from memu_py.language.date_words import FEASTS, FULL_WEEKDAYS, MONTHS, WEEKDAYS
from memu_py.language.english_words import (
    LAST_YEAR,
    MONTH,
    PART_OF_DAY,
    WEEKDAY,
    WHICH,
    YEAR,
    key,
    small_short,
    which_of,
    year_of,
)
from memu_py.language.nearby import day_of_year_near, month_near, nearest_way, steps
from memu_py.language.numbers import ENGLISH_ORDINALS, english_number
from memu_py.language.period import (
    DAY,
    MONTHS_IN_YEAR,
    WEEK,
    Period,
    day,
    days,
    first_of_month,
    instant,
    joined,
    month,
)
from memu_py.language.rule import DIGIT, YEAR_DIGITS, Rule, Setting, needing, no_date, rule
from memu_py.language.wordlist import alternatives
from memu_py.language.written import written_day

WEEK_DAYS = 7
THURSDAY = 3
THANKSGIVING_MONTH = 11

_DAY_NUMBER = r"3[01]|[12]\d|0?[1-9]"
_DAY = rf"(?P<day>{_DAY_NUMBER})(?:st|nd|rd|th)?\b(?![:%]|\.\d)"
_TO_DAY = (
    rf"(?:(?:\s*[-–—]\s*| (?:to|through|thru|until|till|and) (?:the )?)(?P<last_day>{_DAY_NUMBER})"
    r"(?:st|nd|rd|th)?\b(?!:|\.\d|\s*[ap]\.?m\b))?"
)
_OF_YEAR = rf"(?:(?:\s*,\s*| (?:of )?){YEAR}|{LAST_YEAR})?"
_DAY_PREFIX = rf"(?:(?:on |last |this |next )?(?:the )?(?:{alternatives(WEEKDAYS)})\b[.,]? |on )?"
_FEAST = rf"(?P<feast>{alternatives(FEASTS)}|thanksgiving)\b"
_NUMBERED = re.compile(r"\d(?:st|nd|rd|th)", re.IGNORECASE)
_ORDINAL = rf"(?P<ordinal>{'|'.join(ENGLISH_ORDINALS)}|[1-5](?:st|nd|rd|th)|last)"
_FEAST_CLUES = {"thanksgiving", *(name.partition(" ")[0].partition("'")[0] for name in FEASTS)}
_MONTH_NUMBER = r"(?:0?[1-9]|1[0-2])"
_NOT_AFTER = "(?<![0-9A-Za-z./-])"
_NOT_BEFORE = r"(?![0-9A-Za-z/-]|\.\d)"


def _month_day(match: re.Match[str], setting: Setting) -> Period | None:
    name, number = match.group("month"), match.group("day")
    year_number = year_of(match, setting.today)
    if (
        year_number is None
        and small_short(name)
        and not re.search(r"\d(?:st|nd|rd|th)", match.group(), re.IGNORECASE)
    ):
        return None
    if year_number is not None:
        first = _read(f"{number} {name} {year_number}")
        return _up_to(match, day(first)) if first else None
    found = day_of_year_near(
        setting.today,
        lambda one: _read_or_raise(f"{number} {name} {one}"),
        nearest_way(setting.outlook(match)),
    )
    return _up_to(match, found)


def _read(words: str) -> date | None:
    return written_day(words.replace(".", ""))


def _read_or_raise(words: str) -> date:
    found = _read(words)
    if found is None:
        msg = f"no such day: {words}"
        raise ValueError(msg)
    return found


def _up_to(match: re.Match[str], first: Period) -> Period | None:
    """A day, or the days up to the second number: June 3-5."""
    number = match.groupdict().get("last_day")
    if not number:
        return first
    last = day(first.first_day.replace(day=int(number))).evolve(floating=first.floating)
    return joined(first, last) if last.start > first.start else None


def _iso_instant(match: re.Match[str], setting: Setting) -> Period:
    """A moment by ISO 8601, in the setting's zone where it names none."""
    moment = datetime.fromisoformat(match.group().upper())
    if moment.tzinfo:
        moment = moment.astimezone(setting.zone).replace(tzinfo=None)
    return instant(moment)


def _iso(match: re.Match[str], setting: Setting) -> Period | None:
    found = written_day(match.group("date"), "YMD")
    return day(found) if found else None


def _numbers(match: re.Match[str], setting: Setting) -> Period | None:
    """5/7/2023: the month first, unless it can only be the day."""
    first, second = int(match.group("first")), int(match.group("second"))
    month_first = first <= MONTHS_IN_YEAR
    if not month_first and second > MONTHS_IN_YEAR:
        return None
    found = written_day(match.group(), "MDY" if month_first else "DMY")
    return day(found) if found else None


def _dotted(match: re.Match[str], setting: Setting) -> Period | None:
    found = written_day(match.group("words"), "DMY" if match.group("day_first") else "YMD")
    return day(found) if found else None


def _day_of_month(match: re.Match[str], setting: Setting) -> Period:
    """On the 15th: of this month, or of the one before or after it."""
    number = int(match.group("day"))
    today = setting.today
    if match.groupdict().get("which"):
        return day(first_of_month(today.year, today.month + steps(which_of(match))).replace(day=number))
    ahead = setting.ahead(match)
    starts = (
        first_of_month(today.year, today.month + (step if ahead else -step)) for step in range(MONTHS_IN_YEAR)
    )
    found = ((start, start + (number - 1) * DAY) for start in starts)
    return next(
        day(place)
        for start, place in found
        if place.month == start.month and (place >= today if ahead else place <= today)
    )


def _feast(match: re.Match[str], setting: Setting) -> Period:
    name = key(match.group("feast"))
    words = match.groupdict().get("year")

    def make(one: int) -> date:
        return _thanksgiving(one) if name == "thanksgiving" else date(one, *FEASTS[name])

    if words:
        return day(make(int(words)))
    which = which_of(match) if match.groupdict().get("which") else nearest_way(setting.outlook(match))
    return day_of_year_near(setting.today, make, which)


def _thanksgiving(year_number: int) -> date:
    """The fourth Thursday of November, as in the United States."""
    start = date(year_number, THANKSGIVING_MONTH, 1)
    return start + ((THURSDAY - start.weekday()) % WEEK_DAYS) * DAY + 3 * WEEK


def _nth(match: re.Match[str], setting: Setting) -> Period | None:
    """The first Monday of May, the last weekend of June, the second week of July 2023."""
    number = MONTHS[key(match.group("month"))]
    year_number = year_of(match, setting.today)
    if year_number is None:
        whole = month_near(setting.today, number, nearest_way(setting.outlook(match)))
    else:
        whole = month(year_number, number)
    unit, ordinal = key(match.group("unit")), key(match.group("ordinal"))
    last = ordinal == "last"
    index = 0 if last else (ENGLISH_ORDINALS.get(ordinal) or english_number(ordinal[0]) or 1) - 1
    if unit == "week":
        return _nth_week(whole, index, last=last)
    weekday = WEEKDAYS["saturday"] if unit == "weekend" else WEEKDAYS[unit]
    found = _nth_weekday(whole, weekday, index, last=last)
    return days(found, found + 2 * DAY) if unit == "weekend" else day(found)


def _nth_week(whole: Period, index: int, *, last: bool) -> Period:
    until = whole.until.date()
    start = until - WEEK if last else whole.first_day + index * WEEK
    return days(start, min(start + WEEK, until))


def _nth_weekday(whole: Period, weekday: int, index: int, *, last: bool) -> date:
    if last:
        final = whole.until.date() - DAY
        return final - ((final.weekday() - weekday) % WEEK_DAYS) * DAY
    return whole.first_day + ((weekday - whole.first_day.weekday()) % WEEK_DAYS) * DAY + index * WEEK


RULES: tuple[Rule, ...] = (
    *needing(
        {DIGIT},
        # False friends
        rule(r"\b(?:version|v|ver\.|release|python|node|ios|android|build) ?\d+(?:[.-]\d+)+", no_date),
        rule(r"(?<![0-9])\d{1,3}(?:\.\d{1,3}){3}(?![0-9])", no_date),
    ),
    # In figures
    *needing(
        {YEAR_DIGITS},
        rule(
            rf"{_NOT_AFTER}(?:1\d|20)\d\d-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])T\d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?"
            r"(?:Z|[+-]\d\d:?\d\d)?(?![0-9A-Za-z/-]|\.\d)",
            _iso_instant,
        ),
        rule(
            rf"{_NOT_AFTER}(?P<date>(?:1\d|20)\d\d(?P<sign>[-/]){_MONTH_NUMBER}(?P=sign)(?:{_DAY_NUMBER})){_NOT_BEFORE}",
            _iso,
        ),
    ),
    *needing(
        {DIGIT},
        rule(
            rf"{_NOT_AFTER}(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/(?:(?:1\d|20)\d\d|\d\d){_NOT_BEFORE}",
            _numbers,
        ),
    ),
    *needing(
        {YEAR_DIGITS},
        rule(
            rf"{_NOT_AFTER}(?P<words>(?P<day_first>(?:{_DAY_NUMBER})\.{_MONTH_NUMBER}\.(?:19|20)\d\d)"
            rf"|(?:19|20)\d\d\.{_MONTH_NUMBER}\.(?:{_DAY_NUMBER})){_NOT_BEFORE}",
            _dotted,
        ),
    ),
    # In words
    *needing(
        MONTHS,
        rule(
            rf"\b{_DAY_PREFIX}(?P<words>{MONTH} (?:the )?{_DAY}{_TO_DAY}{_OF_YEAR}{PART_OF_DAY})", _month_day
        ),
        rule(
            rf"\b{_DAY_PREFIX}(?:the )?(?P<words>{_DAY}{_TO_DAY}(?: of)? {MONTH}{_OF_YEAR}{PART_OF_DAY})",
            _month_day,
        ),
    ),
    *needing(
        {DIGIT},
        rule(
            r"\b(?:on |by |until |till |since )"
            rf"(?P<words>(?:{WEEKDAY} )?the (?P<day>{_DAY_NUMBER})(?:st|nd|rd|th)(?: of {WHICH} month\b)?)"
            r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:and|at|when|we|i|because|so|but|after|before|for|with)\b)",
            _day_of_month,
        ),
    ),
    *needing(
        _FEAST_CLUES,
        rule(rf"\b(?P<words>{WHICH} {_FEAST})", _feast),
        rule(rf"\b(?P<words>{_FEAST}(?:,| of)? {YEAR})", _feast),
        rule(
            rf"\b(?:on|at|since|until|by|before|after) (?P<words>{_FEAST})"
            r"(?! (?:tree|card|present|gift|party|song|market|dinner)s?\b)",
            _feast,
        ),
    ),
    *needing(
        MONTHS,
        rule(
            rf"\b(?:on |in |at |by |during )?(?P<words>the {_ORDINAL} "
            rf"(?P<unit>week|weekend|{'|'.join(FULL_WEEKDAYS)}) (?:of|in) {MONTH}(?:,? {YEAR}|{LAST_YEAR})?)",
            _nth,
        ),
    ),
)
