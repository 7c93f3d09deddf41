"""English dates that are told from the day they are said on: yesterday, last Friday, two weeks ago."""

import re
from typing import Literal, cast

from memu_py.language.counted import AMOUNT, UNIT, Amount, away, english_amount, within
from memu_py.language.date_words import FULL_WEEKDAYS, SEASONS, UNITS, WEEKDAYS
from memu_py.language.english_words import (
    PART,
    PART_OF_DAY,
    SEASON,
    WEEKDAY,
    WHICH,
    in_part,
    key,
    number_of,
    small_short,
    which_of,
)
from memu_py.language.nearby import nearest_way, season_near, steps, unit_near, weekday_near, weekend_near
from memu_py.language.period import DAY, WEEK, Period, day, days, weekend
from memu_py.language.rule import Rule, Setting, needing, no_date, rule

OTHER_DAY_DAYS = 7
"""How far back "the other day" may lie."""

NEAR_DAYS = {
    "yesterday": -1,
    "yday": -1,
    "last night": -1,
    "last evening": -1,
    "today": 0,
    "tonight": 0,
    "tonite": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "tmrw": 1,
    "tmr": 1,
}
_NEAR_DAY = "|".join(name.replace(" ", " (?:very )?(?:early |late )?") for name in NEAR_DAYS)
_FULL_WEEKDAY = rf"(?:{'|'.join(FULL_WEEKDAYS)})"
_CLAUSE_END = (
    r"(?=\s*(?:[.,;:!?)…-]|$)"
    r"|\s+(?:when|and|that|but|so|because|was|is|will|for|at|with|to|i|we|he|she|they|my|our)\b)"
)
_BACK_END = r"(?=\s*(?:[.,;:!?)…-]|$)|\s+(?:when|and|that|but|so|because|i|we|he|she|they|my|our)\b)"


def _near_day(match: re.Match[str], setting: Setting) -> Period:
    name = " ".join(word for word in key(match.group("day")).split() if word not in ("very", "early", "late"))
    return day(setting.today + NEAR_DAYS[name] * DAY)


def _second_day(match: re.Match[str], setting: Setting) -> Period:
    return day(setting.today + (2 if match.group("after") else -2) * DAY)


def _other_day(match: re.Match[str], setting: Setting) -> Period:
    return days(setting.today - OTHER_DAY_DAYS * DAY, setting.today)


def _unit(match: re.Match[str], setting: Setting) -> Period:
    unit = cast("Literal['week', 'month', 'year']", key(match.group("unit")))
    return in_part(match, unit_near(setting.today, unit, steps(which_of(match))))


def _weekend(match: re.Match[str], setting: Setting) -> Period:
    return weekend_near(setting.today, which_of(match), setting.outlook(match))


def _the_weekend(match: re.Match[str], setting: Setting) -> Period:
    return weekend_near(setting.today, nearest_way(setting.outlook(match)))


def _weekday(match: re.Match[str], setting: Setting) -> Period | None:
    if small_short(match.group("weekday")):
        return None
    weekday = number_of(match, "weekday", WEEKDAYS)
    return weekday_near(setting.today, weekday, which_of(match), setting.outlook(match))


def _on_weekday(match: re.Match[str], setting: Setting) -> Period | None:
    if small_short(match.group("weekday")):
        return None
    way = nearest_way(setting.outlook(match))
    return weekday_near(setting.today, number_of(match, "weekday", WEEKDAYS), way)


def _by_weekday(match: re.Match[str], setting: Setting) -> Period | None:
    if small_short(match.group("weekday")):
        return None
    way = nearest_way(setting.outlook(match) or "future")
    return weekday_near(setting.today, number_of(match, "weekday", WEEKDAYS), way)


def _weekday_of_week(match: re.Match[str], setting: Setting) -> Period:
    monday = unit_near(setting.today, "week", steps(which_of(match))).first_day
    return day(monday + number_of(match, "weekday", WEEKDAYS) * DAY)


def _season(match: re.Match[str], setting: Setting) -> Period:
    name = SEASONS[key(match.group("season"))]
    return in_part(match, season_near(setting.today, name, which_of(match), setting.outlook(match)))


def _second_unit(match: re.Match[str], setting: Setting) -> Period | None:
    """The week before last, the Friday after next."""
    unit = key(match.group("second"))
    sign = -1 if match.group("before") else 1
    way: Literal["last", "coming"] = "last" if sign < 0 else "coming"
    if unit in WEEKDAYS:
        return day(weekday_near(setting.today, WEEKDAYS[unit], way).first_day + sign * WEEK)
    if unit == "weekend":
        return weekend(weekend_near(setting.today, way).first_day + sign * WEEK)
    return away(Amount(low=2, high=2, unit=UNITS[unit]), setting, sign)


def _ago(match: re.Match[str], setting: Setting) -> Period | None:
    amount = english_amount(match)
    return away(amount, setting, -1) if amount else None


def _from_now(match: re.Match[str], setting: Setting) -> Period | None:
    amount = english_amount(match)
    return away(amount, setting, 1) if amount else None


def _in_amount(match: re.Match[str], setting: Setting) -> Period | None:
    """In two weeks; "I wrote it in two weeks" is a duration."""
    return _from_now(match, setting) if match.group("time") or setting.ahead(match) else None


def _trailing(match: re.Match[str], setting: Setting) -> Period | None:
    """The last two weeks; "for the last two weeks" is a duration, "the next day" belongs to a tale."""
    sign = 1 if match.group("next") else -1
    if match.group("for") or (sign > 0 and setting.outlook(match) == "past"):
        return None
    if one := match.group("one"):
        return within(Amount(low=1, high=1, unit=UNITS[key(one)]), setting, sign)
    amount = english_amount(match)
    return within(amount, setting, sign) if amount else None


FALSE_FRIENDS: tuple[Rule, ...] = (
    *needing(
        {"every", "each", "most", "alternate"},
        rule(
            rf"\b(?:every|each|most|alternate)(?: (?:other|single|second))? "
            rf"(?:{_FULL_WEEKDAY}|{UNIT}|morning|evening|afternoon|{'|'.join(SEASONS)})s?\b",
            no_date,
        ),
    ),
    *needing(
        FULL_WEEKDAYS,
        rule(rf"\b{_FULL_WEEKDAY}s\b", no_date),
        rule(rf"\b(?:a|an|one|any|some|my|our|your|his|her|their|the|that) {_FULL_WEEKDAY}\b", no_date),
        rule(
            rf"\b(?:from )?{_FULL_WEEKDAY}s?(?: (?:to|through|thru|till) |\s*[-–]\s*){_FULL_WEEKDAY}s?\b",
            no_date,
        ),
        rule(
            r"\b(?:on )?(?:black|good|casual|holy|shrove|fat|palm|easter|super|bloody|cyber|giving) ?"
            rf"{_FULL_WEEKDAY}\b",
            no_date,
        ),
        rule(rf"\b(?:on )?{_FULL_WEEKDAY} (?:school|times|roast|night (?:live|football|lights))\b", no_date),
    ),
    *needing(
        {"yesterday", "today", "tomorrow", "day"},
        rule(r"\b(?:like|as if|as though) (?:it was |it were )?(?:just |only )?yesterday\b", no_date),
        rule(
            r"\b(?:today|yesterday|tomorrow)(?:'s)? (?:world|society|age|era|culture|generation)\b", no_date
        ),
        rule(r"\b(?:at|by) (?:the )?end of the day\b", no_date),
    ),
    *needing(
        UNITS,
        rule(rf"\b(?:once|twice|times|days|nights|hours|minutes) (?:a|an|per|each) {UNIT}\b", no_date),
    ),
)

RULES: tuple[Rule, ...] = (
    *FALSE_FRIENDS,
    # Days
    *needing(
        {"day", "night", "evening", "yesterday", "tomorrow"},
        rule(
            r"\b(?:the )?(?:day before yesterday|(?P<after>day after tomorrow))\b"
            r"|\bthe (?:night|evening) before last\b",
            _second_day,
        ),
        rule(r"\bthe other (?:day|night|evening|morning|afternoon)\b", _other_day),
    ),
    *needing(
        {word for name in NEAR_DAYS for word in name.split()} - {"this", "last"},
        rule(rf"\b(?:(?:earlier|later|late|early) )?(?P<day>{_NEAR_DAY})\b{PART_OF_DAY}", _near_day),
    ),
    *needing(
        WEEKDAYS,
        rule(rf"\b{WHICH} {WEEKDAY}{PART_OF_DAY}", _weekday),
        rule(rf"\b(?:by|until|till|before) (?P<words>{WEEKDAY}{PART_OF_DAY})", _by_weekday),
        rule(rf"\b(?:on|since|from|for) (?P<words>{WEEKDAY}{PART_OF_DAY})", _on_weekday),
        rule(
            rf"\b(?P<weekday>{_FULL_WEEKDAY})(?: (?:morning|afternoon|evening|night)\b|{_CLAUSE_END})",
            _on_weekday,
        ),
        rule(rf"\b(?:on )?(?P<words>{WEEKDAY}(?:,? of|,? in|,)? {WHICH} week)\b", _weekday_of_week),
        rule(rf"\b{WHICH} week(?: on|,)? {WEEKDAY}", _weekday_of_week),
    ),
    # Weeks and more
    *needing(
        UNITS,
        rule(
            r"\b(?P<for>for )?(?:in |over |during |throughout |within )?"
            r"(?P<words>(?:the|these|this) (?:last|past|(?P<next>next|coming)) "
            rf"(?:{AMOUNT}|(?P<one>week|month|year|decade)\b)(?! of\b))",
            _trailing,
        ),
        rule(rf"\b(?:the )?(?P<words>{WHICH} weekend)\b", _weekend),
        rule(r"\b(?:over|on|at|during|for|by|until|before) (?P<words>the weekend)\b", _the_weekend),
        rule(rf"\b(?:{PART})?{WHICH} (?P<unit>week|month|year)\b", _unit),
    ),
    *needing(SEASONS, rule(rf"\b(?:{PART})?{WHICH} {SEASON}\b", _season)),
    *needing(
        {"last", "next"},
        rule(
            rf"\bthe (?P<second>week|weekend|month|year|{_FULL_WEEKDAY}) "
            r"(?:(?P<before>before last)|after next)\b",
            _second_unit,
        ),
    ),
    # Counted
    *needing(
        {"ago", "before", "back"},
        rule(rf"\b{AMOUNT} (?:ago|before now)\b", _ago),
        rule(rf"\b{AMOUNT} back\b{_BACK_END}", _ago),
    ),
    *needing(
        UNITS,
        rule(rf"\bin (?:about |around |just |another )?{AMOUNT}(?P<time> time\b)?(?! of\b)", _in_amount),
        rule(rf"\b{AMOUNT} from (?:now|today)\b", _from_now),
    ),
)
