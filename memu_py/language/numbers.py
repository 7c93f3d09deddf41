"""Numbers written as words, English and Chinese."""

import re

_ONES_IN_ORDER = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS_IN_ORDER = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS_IN_ORDER = "first second third fourth fifth sixth seventh eighth ninth tenth"

ENGLISH_ONES = {word: value for value, word in enumerate(_ONES_IN_ORDER.split())}
ENGLISH_TENS = {word: 10 * value for value, word in enumerate(_TENS_IN_ORDER.split(), start=2)}
ENGLISH_ORDINALS = {word: value for value, word in enumerate(_ORDINALS_IN_ORDER.split(), start=1)}
CHINESE_DIGITS = {
    **{word: value for value, word in enumerate("零一二三四五六七八九")},
    "〇": 0,
    "○": 0,
    "两": 2,
    "俩": 2,
}
CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}
CHINESE_TENS = {"廿": "二十", "卅": "三十"}

CHINESE_NUMBER = r"(?:\d+|[零〇○一二两俩三四五六七八九十百千廿卅]+)"
"""A regular expression for one number in a Chinese text."""

_ONES = "|".join(sorted(ENGLISH_ONES, key=len, reverse=True))
_TENS = "|".join(ENGLISH_TENS)
ENGLISH_NUMBER = rf"(?:\d+|(?:{_TENS})(?:[- ](?:{_ONES}))?|{_ONES})"
"""A regular expression for one number below a hundred, or in digits, in an English text."""


def english_number(text: str) -> int | None:
    """Return the value of a number that `ENGLISH_NUMBER` matches, None for anything else.

    >>> english_number("Twenty-one"), english_number("7"), english_number("tea")
    (21, 7, None)
    """
    text = text.casefold()
    if text.isdecimal():
        return int(text)
    tens, _, ones = text.replace("-", " ").partition(" ")
    if tens in ENGLISH_TENS:
        return ENGLISH_TENS[tens] + ENGLISH_ONES.get(ones, 0)
    return ENGLISH_ONES.get(text)


def chinese_number(text: str) -> int | None:
    """Return the value of a number that `CHINESE_NUMBER` matches: digits (二〇二三) or places (三十五).

    >>> chinese_number("二〇二三"), chinese_number("三十五"), chinese_number("十二"), chinese_number("12")
    (2023, 35, 12, 12)
    """
    if text.isdecimal():
        return int(text)
    for short, long in CHINESE_TENS.items():
        text = text.replace(short, long)
    if not re.fullmatch(CHINESE_NUMBER, text):
        return None
    if not any(char in CHINESE_UNITS for char in text):
        return int("".join(str(CHINESE_DIGITS[char]) for char in text))
    return _by_place(text)


def _by_place(text: str) -> int:
    total = digit = 0
    for char in text:
        if char in CHINESE_UNITS:
            total += (digit or 1) * CHINESE_UNITS[char]
            digit = 0
        else:
            digit = CHINESE_DIGITS.get(char, 0)
    return total + digit
