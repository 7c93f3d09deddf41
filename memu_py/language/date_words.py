"""The words of dates: months, weekdays, units, seasons, feasts."""

from typing import Literal

from memu_py.language.period import Part
from memu_py.language.wordlist import words

Unit = Literal["minute", "hour", "day", "week", "month", "year", "decade", "weekend"]

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split(" ")
}
"""English names of months, case folded."""

PLAIN_MONTHS = ("january", "february", "july", "september", "october", "november", "december")
"""Names of months that mean nothing else, and so need no preposition."""

OTHER_WORDS_WHEN_SMALL = words(
    """
    may march mar jan jun dec sep sept oct nov feb apr jul aug
    mon tue tues wed weds thu thur thurs fri sat sun
    """
)
"""Names of months and weekdays that are no names, or other words, when they are written small."""

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split(" ")
}
"""English names of weekdays, case folded; Monday is 0."""

FULL_WEEKDAYS = tuple(name for name in WEEKDAYS if name.endswith("day"))

UNITS: dict[str, Unit] = {
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "day": "day",
    "night": "day",
    "week": "week",
    "wk": "week",
    "weekend": "weekend",
    "month": "month",
    "year": "year",
    "yr": "year",
    "decade": "decade",
}
"""English units, in the singular."""

SEASONS = {
    "spring": "spring",
    "springtime": "spring",
    "summer": "summer",
    "summertime": "summer",
    "autumn": "autumn",
    "fall": "autumn",
    "winter": "winter",
    "wintertime": "winter",
}

FEASTS = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "new year's eve": (12, 31),
    "new years eve": (12, 31),
    "new year's day": (1, 1),
    "new years day": (1, 1),
    "valentine's day": (2, 14),
    "valentines day": (2, 14),
    "halloween": (10, 31),
    "independence day": (7, 4),
}
"""Feasts with a fixed day: month and day."""

VAGUE_COUNTS = {
    "a couple of": (2, 3),
    "a couple": (2, 3),
    "couple of": (2, 3),
    "couple": (2, 3),
    "a few": (2, 5),
    "few": (2, 5),
    "several": (3, 7),
    "some": (2, 5),
}
"""The fewest and the most that is meant."""

CHINESE_WEEKDAYS = {name: number for number, name in enumerate("一二三四五六日")} | {"天": 6}
CHINESE_VAGUE_COUNTS = {"几": (2, 5), "好几": (3, 7), "数": (2, 5), "若干": (2, 5)}
CHINESE_UNITS: dict[str, Unit] = {
    "分钟": "minute",
    "小时": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "周末": "weekend",
    "月": "month",
    "年": "year",
}
CHINESE_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
CHINESE_FEASTS = {
    "元旦": (1, 1),
    "情人节": (2, 14),
    "妇女节": (3, 8),
    "劳动节": (5, 1),
    "儿童节": (6, 1),
    "教师节": (9, 10),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "万圣节": (10, 31),
    "平安夜": (12, 24),
    "圣诞节": (12, 25),
    "圣诞": (12, 25),
}
CHINESE_PARTS: dict[str, Part] = {
    "初": "beginning",
    "上旬": "early",
    "中": "mid",
    "中旬": "mid",
    "底": "end",
    "末": "end",
    "下旬": "late",
}

SIMPLIFIED = str.maketrans(
    "後個週禮點號兩幾過從這當裡鐘頭時間準備打計劃將會節慶國聖誕勞動兒婦"
    "０１２３４５６７８９／：－　\u00a0\u202f’",
    "后个周礼点号两几过从这当里钟头时间准备打计划将会节庆国圣诞劳动儿妇0123456789/:-   '",
)
"""Traditional to simplified characters, wide to narrow digits, other spellings of a blank and an apostrophe.

One for one, so that offsets stay.
"""
