"""Chinese dates that name their place in the calendar: 2023年5月7日, 五月七日, 去年夏天, 上个月5号."""

import re
from datetime import date

from memu_py.language.chinese_relative import PART_OF_DAY, WHICH, WHICH_STEPS
from memu_py.language.date_words import CHINESE_FEASTS, CHINESE_PARTS, CHINESE_SEASONS
from memu_py.language.nearby import day_of_year_near, month_near, nearest_way, unit_near
from memu_py.language.numbers import CHINESE_NUMBER, chinese_number
from memu_py.language.period import (
    MONTHS_IN_YEAR,
    Period,
    day,
    days,
    first_of_month,
    joined,
    month,
    part,
    season,
    year,
)
from memu_py.language.rule import HAN, Rule, Setting, needing, no_date, rule
from memu_py.language.wordlist import alternatives

DECADE_YEARS = 10
FIRST_YEAR = 1000
LAST_YEAR = 2100
CENTURY = 100
PAST_CENTURY_FROM = 50
"""A year of two digits from here on lies in the last century."""

YEAR_STEPS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2, "大后年": 3}
HOLIDAYS = {"暑假": (7, 9), "寒假": (1, 3)}
"""School holidays: the first month, and the month after the last."""

_DIGIT = "[零〇○一二三四五六七八九]"
_YEAR = rf"(?P<year>\d{{4}}|{_DIGIT}{{4}}|0\d|[89]\d|[零〇八九]{_DIGIT})\s*年"
_YEAR_WORD = rf"(?P<year_word>{alternatives(YEAR_STEPS)})"
_SOME_YEAR = rf"(?:{_YEAR}|{_YEAR_WORD})\s*的?"
_PART = rf"(?P<part>{alternatives(CHINESE_PARTS)})"
_MONTH = rf"(?<![\d零〇一二三四五六七八九十几数半个])(?P<month>{CHINESE_NUMBER})\s*月份?"
_MONTH_AFTER = rf"(?P<month>{CHINESE_NUMBER})\s*月份?"
_DAY = rf"(?P<day>{CHINESE_NUMBER})\s*[日号](?!楼|线|店|院|门|房|机|车|厅|馆|桌|室)"
_TO_DAY = rf"(?:\s*[-–—~～到至]\s*(?P<last_day>{CHINESE_NUMBER})\s*[日号])?"
_FROM_DAY_TO = rf"\s*[-–—~～到至]\s*(?P<last_day>{CHINESE_NUMBER})\s*[日号]"
_FEAST = rf"(?P<feast>{alternatives(CHINESE_FEASTS)})"
_SEASON = r"(?P<season>[春夏秋冬])(?:天|季|日|里)"
_NOT_MONTH_END = r"(?![国午间文学心医部])"


def _year_of(match: re.Match[str], setting: Setting) -> int | None:
    """The year that was said, in figures or as 去年; None when none was."""
    groups = match.groupdict()
    if word := groups.get("year_word"):
        return setting.today.year + YEAR_STEPS[word]
    number = chinese_number(groups.get("year") or "")
    if number is None:
        return None
    if number < CENTURY:
        number += 1900 if number >= PAST_CENTURY_FROM else 2000
    if not FIRST_YEAR <= number < LAST_YEAR:
        msg = f"{number} is no year that a memory speaks of"
        raise ValueError(msg)
    return number


def _said_year(match: re.Match[str], setting: Setting) -> int:
    """The year, where the pattern cannot match without one."""
    return _year_of(match, setting) or setting.today.year


def _number(match: re.Match[str], group: str) -> int:
    number = chinese_number(match.group(group))
    if number is None or number == 0:
        msg = f"{match.group(group)} is no day or month"
        raise ValueError(msg)
    return number


def _month_number(match: re.Match[str]) -> int:
    number = _number(match, "month")
    if number > MONTHS_IN_YEAR:
        msg = f"there is no month {number}"
        raise ValueError(msg)
    return number


def _in_part(match: re.Match[str], whole: Period) -> Period:
    words = match.groupdict().get("part")
    return part(whole, CHINESE_PARTS[words]) if words else whole


def _day(match: re.Match[str], setting: Setting) -> Period | None:
    month_number, number, year_number = _month_number(match), _number(match, "day"), _year_of(match, setting)
    if year_number is not None:
        return _up_to(match, day(date(year_number, month_number, number)))
    way = nearest_way(setting.outlook(match))
    return _up_to(match, day_of_year_near(setting.today, lambda one: date(one, month_number, number), way))


def _up_to(match: re.Match[str], first: Period) -> Period | None:
    if not match.groupdict().get("last_day"):
        return first
    last = day(first.first_day.replace(day=_number(match, "last_day")))
    return joined(first, last) if last.start > first.start else None


def _month(match: re.Match[str], setting: Setting) -> Period:
    number, year_number = _month_number(match), _year_of(match, setting)
    if year_number is not None:
        return _in_part(match, month(year_number, number))
    return _in_part(match, month_near(setting.today, number, nearest_way(setting.outlook(match))))


def _which_month(match: re.Match[str], setting: Setting) -> Period:
    whole = unit_near(setting.today, "month", WHICH_STEPS[match.group("which")])
    return _in_part(match, whole)


def _day_of_which_month(match: re.Match[str], setting: Setting) -> Period:
    whole = unit_near(setting.today, "month", WHICH_STEPS[match.group("which")])
    return day(whole.first_day.replace(day=_number(match, "day")))


def _part_of_present(match: re.Match[str], setting: Setting) -> Period:
    """月底, 年初: of this month, this year."""
    whole = unit_near(setting.today, "month" if match.group("unit") == "月" else "year", 0)
    return _in_part(match, whole)


def _year(match: re.Match[str], setting: Setting) -> Period:
    return _in_part(match, year(_said_year(match, setting)))


def _season(match: re.Match[str], setting: Setting) -> Period:
    return season(_said_year(match, setting), CHINESE_SEASONS[match.group("season")])


def _half_year(match: re.Match[str], setting: Setting) -> Period:
    year_number = _said_year(match, setting)
    first = 1 if match.group("half") == "上" else 1 + MONTHS_IN_YEAR // 2
    return days(first_of_month(year_number, first), first_of_month(year_number, first + MONTHS_IN_YEAR // 2))


def _holiday(match: re.Match[str], setting: Setting) -> Period:
    year_number = _said_year(match, setting)
    first, after = HOLIDAYS[match.group("holiday")]
    return days(first_of_month(year_number, first), first_of_month(year_number, after))


def _feast(match: re.Match[str], setting: Setting) -> Period:
    feast, year_number = CHINESE_FEASTS[match.group("feast")], _year_of(match, setting)
    if year_number is not None:
        return day(date(year_number, *feast))
    return day_of_year_near(setting.today, lambda one: date(one, *feast), nearest_way(setting.outlook(match)))


def _decade(match: re.Match[str], setting: Setting) -> Period | None:
    number = chinese_number(match.group("decade"))
    if number is None or number % DECADE_YEARS:
        return None
    first = number if number >= FIRST_YEAR else 1900 + number
    return days(date(first, 1, 1), date(first + DECADE_YEARS, 1, 1))


def _years(match: re.Match[str], setting: Setting) -> Period | None:
    first, last = _number(match, "first_year"), _number(match, "year")
    return joined(year(first), year(last)) if FIRST_YEAR <= first < last < LAST_YEAR else None


RULES: tuple[Rule, ...] = needing(
    {HAN},
    rule(r"\d{4}年前|[五5]月天|正月", no_date),
    rule(rf"每年的?(?:{_FEAST}|[春夏秋冬][天季]|{CHINESE_NUMBER}月份?(?:{CHINESE_NUMBER}[日号])?)", no_date),
    # Days
    rule(rf"{_SOME_YEAR}\s*{_MONTH_AFTER}\s*{_DAY}{_TO_DAY}{PART_OF_DAY}", _day),
    rule(rf"{_MONTH}\s*{_DAY}{_TO_DAY}{PART_OF_DAY}", _day),
    rule(rf"{_MONTH}\s*(?P<day>{CHINESE_NUMBER}){_FROM_DAY_TO}{PART_OF_DAY}", _day),
    rule(rf"{WHICH}月的?{_DAY}{PART_OF_DAY}", _day_of_which_month),
    rule(rf"(?:{_SOME_YEAR})?{_FEAST}(?!快乐|树|礼物|卡|假期|晚会)", _feast),
    # Months
    rule(rf"{_SOME_YEAR}\s*{_MONTH_AFTER}(?:{_PART}{_NOT_MONTH_END})?", _month),
    rule(
        rf"{_MONTH}(?:{_PART}{_NOT_MONTH_END})?(?!前|后|以前|以后|之前|之后|天|球|亮|饼|台|薪|刊|票|\s*\d)",
        _month,
    ),
    rule(rf"{WHICH}月(?:{_PART}{_NOT_MONTH_END})?(?!亮|球|饼|台|光|薪)", _which_month),
    rule(
        r"(?<![\d零〇一二三四五六七八九十个上下本这每去今明前后年])(?P<unit>[月年])(?P<part>[初底末])(?!一|二|三|几)",
        _part_of_present,
    ),
    # Years and their parts
    rule(rf"{_SOME_YEAR}年?(?P<part>初|中(?=旬|，|。|,|的|我|他|她)|底|末)(?!一|二|三)", _year),
    rule(rf"{_SOME_YEAR}{_SEASON}", _season),
    rule(rf"{_SOME_YEAR}(?P<half>[上下])半年", _half_year),
    rule(rf"{_SOME_YEAR}(?P<holiday>{alternatives(HOLIDAYS)})", _holiday),
    rule(rf"(?<![说证表声年天月]){_YEAR_WORD}(?!级|轻|龄|纪)", _year),
    rule(
        r"(?<![\d])(?P<year>\d{4}|[一二][零〇○一二三四五六七八九]{3})\s*年"
        r"(?!前|后|多|间|代|以前|以后|之前|之后|历史|级|的历史)",
        _year,
    ),
    rule(
        r"(?<!\d)(?P<first_year>\d{4})\s*年?\s*[-–—~到至]\s*(?P<year>\d{4})\s*年",
        _years,
    ),
    rule(r"(?:上个?世纪|二十世纪|20世纪)?(?P<decade>\d{2}|\d{4}|[五六七八九]十)年代", _decade),
)
