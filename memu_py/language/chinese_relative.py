"""Chinese dates that are told from the day they are said on: 昨天, 上周六, 三天前."""

import re

from memu_py.language.counted import Amount, away, within
from memu_py.language.date_words import CHINESE_UNITS, CHINESE_VAGUE_COUNTS, CHINESE_WEEKDAYS
from memu_py.language.nearby import nearest_way, unit_near, weekday_near, weekend_near
from memu_py.language.numbers import CHINESE_NUMBER, chinese_number
from memu_py.language.period import DAY, WEEK, Period, day, days, weekend
from memu_py.language.rule import HAN, Rule, Setting, needing, no_date, rule
from memu_py.language.wordlist import alternatives

EARLIER_DAYS = 7
"""How far back 前几天 may lie."""

LARGEST_COUNT = 999
"""A larger number before 年前 is a year of the calendar, not a count."""

NEAR_DAYS = {
    "大前天": -3,
    "前天": -2,
    "前晚": -2,
    "昨天": -1,
    "昨日": -1,
    "昨晚": -1,
    "昨夜": -1,
    "昨儿": -1,
    "今天": 0,
    "今日": 0,
    "今早": 0,
    "今晨": 0,
    "今晚": 0,
    "今夜": 0,
    "今儿": 0,
    "明天": 1,
    "明日": 1,
    "明早": 1,
    "明晚": 1,
    "后天": 2,
    "大后天": 3,
}
WHICH_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}

WHICH = r"(?P<which>上上|上|这|本|下下|下)(?:一)?个?"
PART_OF_DAY = r"(?:的?(?:凌晨|清晨|一早|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜晚|晚间))?"
_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAY = (
    rf"{_WEEK}(?P<weekday>一(?!直|样|定|起|些|个|次|共|切|般|度|向)|[二三四五六](?!个|次|场|位|天|种|杯|本|年|岁)"
    r"|日(?!程|子|期|常)|天(?!气|空|色))"
)
_UNIT = "|".join(sorted(CHINESE_UNITS, key=len, reverse=True))
_COUNT = rf"(?P<count>{alternatives(CHINESE_VAGUE_COUNTS)}|半|{CHINESE_NUMBER})"
_AMOUNT = rf"{_COUNT}(?:多|来)?(?P<half>个半)?(?P<measure>个)?(?P<unit>{_UNIT})(?P<half_after>半)?多?"


def _near_day(match: re.Match[str], setting: Setting) -> Period:
    return day(setting.today + NEAR_DAYS[match.group("day")] * DAY)


def _earlier(match: re.Match[str], setting: Setting) -> Period:
    return days(setting.today - EARLIER_DAYS * DAY, setting.today)


def _week(match: re.Match[str], setting: Setting) -> Period:
    return unit_near(setting.today, "week", WHICH_STEPS[match.group("which")])


def _weekday_of_week(match: re.Match[str], setting: Setting) -> Period:
    monday = _week(match, setting).first_day
    return day(monday + CHINESE_WEEKDAYS[match.group("weekday")] * DAY)


def _weekend_of_week(match: re.Match[str], setting: Setting) -> Period:
    return weekend(setting.today + WHICH_STEPS[match.group("which")] * WEEK)


def _weekday(match: re.Match[str], setting: Setting) -> Period:
    way = nearest_way(setting.outlook(match))
    return weekday_near(setting.today, CHINESE_WEEKDAYS[match.group("weekday")], way)


def _weekend(match: re.Match[str], setting: Setting) -> Period | None:
    """周末 alone is a habit unless the sentence looks back or ahead."""
    looks = setting.outlook(match)
    return weekend_near(setting.today, nearest_way(looks)) if looks else None


def _amount(match: re.Match[str]) -> Amount | None:
    words, unit = match.group("count"), CHINESE_UNITS[match.group("unit")]
    if match.group("unit") == "月" and not match.group("measure") and not match.group("half"):
        return None
    half = bool(match.group("half") or match.group("half_after"))
    if words == "半":
        return Amount(low=0, high=0, unit=unit, half=True)
    if words in CHINESE_VAGUE_COUNTS:
        low, high = CHINESE_VAGUE_COUNTS[words]
        return Amount(low=low, high=high, unit=unit)
    count = chinese_number(words)
    return (
        None
        if count is None or count > LARGEST_COUNT
        else Amount(low=count, high=count, unit=unit, half=half)
    )


def _ago(match: re.Match[str], setting: Setting) -> Period | None:
    amount = _amount(match)
    return away(amount, setting, -1) if amount else None


def _later(match: re.Match[str], setting: Setting) -> Period | None:
    """两周后; in a tale of the past it counts from another day."""
    amount = _amount(match)
    return away(amount, setting, 1) if amount and setting.outlook(match) != "past" else None


def _trailing(match: re.Match[str], setting: Setting) -> Period | None:
    amount = _amount(match)
    return within(amount, setting, 1 if match.group("next") else -1) if amount else None


RULES: tuple[Rule, ...] = needing(
    {HAN},
    # False friends
    rule(
        rf"(?:每|逢|各)个?{_WEEK}(?:[一二三四五六日天末](?:[、和到至及与-]{_WEEK}?[一二三四五六日天])*)?",
        no_date,
    ),
    rule(r"每(?:一)?(?:天|日|晚|早|年|个?月)(?:的?(?:早上|晚上|下午|上午|中午))?", no_date),
    rule(rf"{_WEEK}[一二三四五六日天](?:到|至|-|~|—){_WEEK}?[一二三四五六日天]", no_date),
    rule(r"周末(?:都|常|经常|一般|通常|总|总是|喜欢|爱)", no_date),
    rule(r"(?:先天|后天)(?:努力|性|形成|培养|不足)|前天(?:才|赋)", no_date),
    # Days
    rule(rf"(?P<day>{alternatives(NEAR_DAYS)}){PART_OF_DAY}", _near_day),
    rule(r"(?<![的之])前(?:几天|两天|些天|些日子|一阵子?|阵子)", _earlier),
    rule(rf"{WHICH}{_WEEKDAY}{PART_OF_DAY}", _weekday_of_week),
    rule(rf"(?<![上下这本每一两二三四五六七八九十几单双0-9、到至-]){_WEEKDAY}{PART_OF_DAY}", _weekday),
    # Weeks
    rule(rf"{WHICH}(?:周|星期|礼拜)(?!末|边|围|遭|密|到|年|全|边)", _week),
    rule(rf"{WHICH}周末", _weekend_of_week),
    rule(r"(?<![上下这本每个一两二三四五六七八九十几])周末(?!愉快|快乐)", _weekend),
    # Counted
    rule(
        rf"{_AMOUNT}(?:之前|以前|前)(?!面|方|后|进|往|台|提|途|夕|锋|景|妻|夫|任|女友|男友|半|三|两|几|些|天|年)",
        _ago,
    ),
    rule(
        rf"{_AMOUNT}(?:之后|以后|后)(?!来|面|天|年|果|悔|续|的|半|期|台|院|门|代|卫|勤|背)",
        _later,
    ),
    rule(rf"再?过{_AMOUNT}(?!了)", _later),
    rule(
        rf"(?:在)?(?:(?:过去|最近|近|这)的?|(?P<next>未来|接下来|今后)的?){_AMOUNT}(?!前|后|以前|以后|之前|之后)",
        _trailing,
    ),
)
