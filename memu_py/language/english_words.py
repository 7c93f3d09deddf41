"""Pieces of patterns that the English grammars share, and how their groups are read."""

import re
from collections.abc import Mapping
from datetime import date

from memu_py.language.date_words import MONTHS, OTHER_WORDS_WHEN_SMALL, SEASONS, WEEKDAYS
from memu_py.language.nearby import Which, steps
from memu_py.language.period import Part, Period, part
from memu_py.language.wordlist import alternatives

WHICH_WORDS: dict[str, Which] = {
    "this past": "last",
    "this last": "last",
    "the past": "last",
    "last": "last",
    "past": "last",
    "this coming": "coming",
    "this upcoming": "coming",
    "coming": "coming",
    "upcoming": "coming",
    "this": "this",
    "next": "next",
}
WHICH = rf"(?P<which>{'|'.join(WHICH_WORDS)})"
WEEKDAY = rf"(?P<weekday>{alternatives(WEEKDAYS)})\b"
MONTH = rf"(?P<month>{alternatives(MONTHS)})\b\.?"
SEASON = rf"(?P<season>{alternatives(SEASONS)})"
PART = (
    r"(?P<part>(?:the (?:very )?)?(?:beginning|start|middle|end) of (?:the )?|early (?:in )?|late (?:in )?"
    r"|mid(?:-| ))"
)
YEAR = r"(?P<year>(?:1\d|20)\d\d)\b(?!['-]?\d|\.\d)"
LAST_YEAR = rf"(?:,)? (?:of )?{WHICH} year\b"
PART_OF_DAY = (
    r"(?:(?: at| in the)?(?: early| late)? (?:morning|afternoon|evening|night|noon|midday|lunchtime))?"
)
_PART_NAMES: dict[str, Part] = {
    "early": "early",
    "beginning": "beginning",
    "start": "beginning",
    "mid": "mid",
    "late": "late",
    "end of": "end",
}


def key(text: str) -> str:
    """The text as it stands in the tables."""
    return " ".join(text.casefold().replace(".", "").split())


def which_of(match: re.Match[str]) -> Which:
    """Read the group of `WHICH`."""
    return WHICH_WORDS[key(match.group("which"))]


def number_of(match: re.Match[str], group: str, table: Mapping[str, int]) -> int:
    """Read a group whose words stand in a table of numbers."""
    return table[key(match.group(group))]


def year_of(match: re.Match[str], today: date) -> int | None:
    """The year that was said, in figures (`YEAR`) or as "last year" (`LAST_YEAR`); None when none was."""
    groups = match.groupdict()
    if groups.get("year"):
        return int(groups["year"])
    return today.year + steps(which_of(match)) if groups.get("which") else None


def said_year(match: re.Match[str], today: date) -> int:
    """The year, where the pattern cannot match without one."""
    return year_of(match, today) or today.year


def in_part(match: re.Match[str], whole: Period) -> Period:
    """Narrow a period to the part that the group of `PART` names, if it took part."""
    words = key(match.groupdict().get("part") or "")
    return next((part(whole, name) for start, name in _PART_NAMES.items() if start in words), whole)


def small_short(name: str) -> bool:
    """Whether a name is written small, and so is more likely another word: sat, sun, may, march."""
    return name.rstrip(".") in OTHER_WORDS_WHEN_SMALL
