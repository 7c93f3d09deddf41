"""Which language a text is written in, told by its scripts."""

from typing import Literal

Tongue = Literal["en", "zh", "ja", "ko", "other"]

HAN_WEIGHT = 2.5
"""A Chinese character says about as much as this many Latin letters."""

KANA_SHARE = 0.1
"""Han text with at least this share of kana is Japanese."""

_KANA = ((0x3041, 0x3096), (0x30A1, 0x30FA), (0x31F0, 0x31FF), (0xFF66, 0xFF9D))
_HANGUL = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3))
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF), (0x3005, 0x3007))
_LATIN = ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F))


def language_of(text: str) -> Tongue:
    """Return the language of a text, `other` where its letters are of another script or there are none.

    Latin letters count as English, which is a guess: this tells scripts apart, not languages of one script.

    >>> language_of("I like tea"), language_of("我喜欢 GitHub"), language_of("お茶が好き")
    ('en', 'zh', 'ja')
    """
    if text.isascii():
        return "en" if any(map(str.isalpha, text)) else "other"
    kana = hangul = han = latin = other = 0
    for char in text:
        code = ord(char)
        if _in(code, _LATIN):
            latin += 1
        elif _in(code, _HAN):
            han += 1
        elif _in(code, _KANA):
            kana += 1
        elif _in(code, _HANGUL):
            hangul += 1
        elif char.isalpha():
            other += 1
    return _strongest(latin=latin, han=han, kana=kana, hangul=hangul, other=other)


def _strongest(*, latin: int, han: int, kana: int, hangul: int, other: int) -> Tongue:
    japanese = kana > 0 and kana >= KANA_SHARE * (han + kana)
    weights: dict[Tongue, float] = {
        "en": latin,
        "zh": 0 if japanese else HAN_WEIGHT * han,
        "ja": HAN_WEIGHT * (han + kana) if japanese else 0,
        "ko": HAN_WEIGHT * hangul,
        "other": other,
    }
    best = max(weights, key=lambda tongue: weights[tongue])
    return best if weights[best] else "other"


def _in(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)
