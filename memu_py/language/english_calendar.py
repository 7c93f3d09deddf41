"""English dates that name a month or more of the calendar: in May 2023, the summer of 2019, the 1990s."""

import re
from datetime import date

from memu_py.language.date_words import MONTHS, PLAIN_MONTHS, SEASONS
from memu_py.language.english_words import (
    LAST_YEAR,
    MONTH,
    PART,
    SEASON,
    WHICH,
    YEAR,
    in_part,
    key,
    number_of,
    said_year,
    small_short,
    which_of,
    year_of,
)
from memu_py.language.nearby import month_near, nearest_way
from memu_py.language.period import Period, days, first_of_month, joined, month, season, year
from memu_py.language.rule import DIGIT, YEAR_DIGITS, Rule, Setting, needing, rule
from memu_py.language.wordlist import alternatives

DECADE_YEARS = 10
QUARTER_MONTHS = 3

_TO = r"(?:\s*[-–—]\s*| (?:to|through|thru|until|till|and) )"
_COUNTED_NOUNS = (
    r"people|persons|men|women|kids|children|students|steps|miles|kilometers|km|meters|metres|feet|words|dollars|"
    r"euros|bucks|points|times|pages|calories|hours|minutes|seconds|days|weeks|months|years|votes|units|pieces|"
    r"different|followers|subscribers|copies|square|pounds|grams|other|more|or"
)
_NOT_COUNTED = rf"(?! (?:{_COUNTED_NOUNS})\b)"
_NAME_MONTHS = ("april", "may", "june", "august")
"""Months that are first names, too."""


def _month_of_year(match: re.Match[str], setting: Setting) -> Period:
    year_number = said_year(match, setting.today)
    return in_part(match, month(year_number, number_of(match, "month", MONTHS)))


def _months(match: re.Match[str], setting: Setting) -> Period | None:
    """May to July 2023."""
    if small_short(match.group("month")):
        return None
    first, last = number_of(match, "month", MONTHS), number_of(match, "last_month", MONTHS)
    year_number = year_of(match, setting.today)
    if year_number:
        end = month(year_number, last)
    else:
        end = month_near(setting.today, last, nearest_way(setting.outlook(match)))
    return joined(month(end.first_day.year - (first > last), first), end)


def _month_alone(match: re.Match[str], setting: Setting) -> Period | None:
    name = key(match.group("month"))
    if small_short(match.group("month")):
        return None
    looks = setting.outlook(match)
    person = key(match.groupdict().get("preposition") or "") in ("by", "from", "for") and name in _NAME_MONTHS
    if person and looks != "future":
        return None
    return in_part(match, month_near(setting.today, MONTHS[name], nearest_way(looks)))


def _month_plain(match: re.Match[str], setting: Setting) -> Period:
    return month_near(setting.today, MONTHS[key(match.group("month"))], nearest_way(setting.outlook(match)))


def _which_month(match: re.Match[str], setting: Setting) -> Period | None:
    if small_short(match.group("month")):
        return None
    return in_part(match, month_near(setting.today, MONTHS[key(match.group("month"))], which_of(match)))


def _season_of_year(match: re.Match[str], setting: Setting) -> Period:
    year_number = said_year(match, setting.today)
    return in_part(match, season(year_number, SEASONS[key(match.group("season"))]))


def _year(match: re.Match[str], setting: Setting) -> Period:
    return in_part(match, year(int(match.group("year"))))


def _years(match: re.Match[str], setting: Setting) -> Period | None:
    first, last = int(match.group("first_year")), int(match.group("year"))
    return joined(year(first), year(last)) if first < last else None


def _decade(match: re.Match[str], setting: Setting) -> Period:
    words = match.group("decade")
    first = int(words) if len(words) > 2 else 1900 + int(words)
    whole = days(date(first, 1, 1), date(first + DECADE_YEARS, 1, 1))
    return in_part(match, whole)


def _quarter(match: re.Match[str], setting: Setting) -> Period:
    first = (int(match.group("quarter")) - 1) * QUARTER_MONTHS + 1
    year_number = int(match.group("year"))
    return days(first_of_month(year_number, first), first_of_month(year_number, first + QUARTER_MONTHS))


RULES: tuple[Rule, ...] = (
    # Months
    *needing(
        MONTHS,
        rule(
            rf"\b(?:in |since |by |until |during )?(?P<words>(?:{PART})?{MONTH}(?:\s*,\s*| (?:of )?){YEAR})",
            _month_of_year,
        ),
        rule(
            rf"\b(?:in |since |by |until |during )?(?P<words>(?:{PART})?{MONTH}{LAST_YEAR})", _month_of_year
        ),
        rule(
            rf"\b(?:from |between )?(?P<words>{MONTH}{_TO}(?P<last_month>{alternatives(MONTHS)})\b\.?"
            rf"(?:(?:\s*,\s*| (?:of )?){YEAR}|{LAST_YEAR})?)(?! ?\d)",
            _months,
        ),
        rule(rf"\b(?P<words>(?:{PART})?{WHICH} {MONTH})(?! \d)", _which_month),
        rule(
            rf"\b(?P<preposition>in|since|until|till|during|by|from|for) (?P<words>(?:{PART})?{MONTH})"
            r"(?! ?\d|'s)",
            _month_alone,
        ),
        rule(rf"\b(?P<words>{PART}{MONTH})(?! ?\d|'s)", _month_alone),
        rule(rf"\b(?P<month>{'|'.join(PLAIN_MONTHS)})\b(?! ?\d|'s)", _month_plain),
    ),
    # Seasons, quarters, years
    *needing(
        SEASONS,
        rule(
            rf"\b(?:in |during |over |since |by )?(?P<words>(?:{PART})?(?:the )?{SEASON},? (?:of )?{YEAR})",
            _season_of_year,
        ),
        rule(
            rf"\b(?:in |during |over |since )?(?P<words>(?:{PART})?(?:the )?{SEASON}{LAST_YEAR})",
            _season_of_year,
        ),
    ),
    *needing(
        {YEAR_DIGITS},
        rule(rf"\b(?:in |during |since |by )?(?P<words>Q(?P<quarter>[1-4])(?: of)? {YEAR})", _quarter),
        rule(
            rf"(?<![\w$€£#/.-])(?:from |between )?(?P<words>(?P<first_year>(?:19|20)\d\d){_TO}{YEAR})",
            _years,
        ),
        rule(
            r"\b(?:in|since|during|until|till|by|from|around|circa|back in|of) "
            rf"(?P<words>(?:{PART})?(?:the year )?{YEAR}){_NOT_COUNTED}",
            _year,
        ),
        rule(rf"\b(?P<words>{PART}{YEAR}){_NOT_COUNTED}", _year),
        rule(rf"\b(?P<words>the year {YEAR})", _year),
        rule(
            r"\b(?:in |during |since )?(?P<words>(?:the )?(?P<part>early |mid |late |mid-)?"
            r"(?P<decade>(?:1[6-9]|20)\d0)'?s)\b",
            _decade,
        ),
    ),
    *needing(
        {DIGIT},
        rule(
            r"\b(?:in |during |since )?(?P<words>the (?P<part>early |mid |late |mid-)?'?"
            r"(?P<decade>[5-9]0)'?s)\b",
            _decade,
        ),
    ),
)
