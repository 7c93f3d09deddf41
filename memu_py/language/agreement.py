"""What two texts must agree in before one may take the other's place.

Cosine alone cannot tell "likes tea" from "does not like tea", nor who lent whom. So a near duplicate must say the
same words in the same order, one text only adding to the other, and may add nothing that turns the meaning.
"""

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from memu_py.language.dates import FoundDate, resolve_dates
from memu_py.language.entities import entities
from memu_py.language.lexemes import Span, lexemes
from memu_py.language.numbers import CHINESE_NUMBER, ENGLISH_NUMBER, chinese_number, english_number
from memu_py.language.turning_words import (
    CHINESE_TURNING,
    CONTINUING,
    HARMLESS,
    IGNORED,
    NEGATIONS,
    TURNING,
    TURNING_CHARACTERS,
)
from memu_py.records.record import Record

MIN_WORDS = 2
"""A text of fewer words is contained in nothing."""

MIN_SHARE = 0.5
"""The shorter text must have at least this share of the longer one's words."""

MOST_KNOWN = 4096
"""Signatures that are kept: a memory is compared with several others."""

_ENGLISH_NUMBER = re.compile(ENGLISH_NUMBER, re.IGNORECASE)
_CHINESE_NUMBER = re.compile(
    rf"({CHINESE_NUMBER})(?:[个只条本张位次岁块元天年月周杯件家辆台口名双套碗瓶斤米]|公里|小时|分钟)?"
)
_QUESTION = re.compile(r"[?？]")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Signature(Record):
    """What a text says, as far as its words tell.

    Attributes:
        turning: words that turn the meaning of others: negations, conditions, wishes, before and after; sorted.
        numbers: in order.
        names: case folded, sorted.
        dates: in order; resolved ones as ISO spans, else their words.
        words: the content words in order, case folded.
    """

    turning: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    dates: tuple[str, ...]
    words: tuple[str, ...]


@lru_cache(maxsize=MOST_KNOWN)
def signature(text: str, *, said_at: datetime | None = None, zone: tzinfo = UTC) -> Signature:
    """Return what a text must agree in with another.

    Args:
        text: any text, English or Chinese.
        said_at: when it was said; with it "yesterday" is a day, without it a word.
        zone: the speaker's time zone.

    Raises:
        InvalidInput: `said_at` has no time zone.
    """
    dates = resolve_dates(text, said_at=said_at or _EPOCH, zone=zone)
    tokens = [_folded(text[start:end]) for start, end in lexemes(text) if not _dated(dates, (start, end))]
    turning = [word for token in tokens for word in _turning(token)]
    turning.extend("?" for _ in _QUESTION.findall(text))
    numbers = [number for token in tokens if (number := _number(token)) is not None]
    return Signature(
        turning=tuple(sorted(turning)),
        numbers=tuple(numbers),
        names=tuple(sorted({name.casefold() for name in entities(text)})),
        dates=tuple(_date(found, resolved=said_at is not None) for found in dates),
        words=tuple(_number(token) or token for token in tokens if token not in IGNORED),
    )


def is_contained(a: Signature, b: Signature) -> bool:
    """Whether one of two texts says all that the other says, and nothing against it.

    Negations and what else turns a meaning, numbers, names and dates must be equal; the words of one must occur in
    the other in the same order, and make up at least half of it. What the longer one adds behind the last of them
    must begin with a word that goes on, such as "in" or "with".

    >>> is_contained(signature("I like black coffee"), signature("I like strong black coffee"))
    True
    >>> is_contained(signature("I like black coffee"), signature("I like black coffee without sugar"))
    False
    """
    short, long = sorted((a.words, b.words), key=len)
    if len(short) < MIN_WORDS or len(short) < MIN_SHARE * len(long):
        return False
    agree = a.evolve(words=()) == b.evolve(words=())
    return agree and _is_subsequence(short, long) and not _grows_a_compound(short, long)


def fuller(a: str, b: str) -> str:
    """Return the text that says more: the one with more words, else the longer one, else the first."""
    return max((a, b), key=lambda text: (len(lexemes(text)), len(text)))


def _is_subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)


def _grows_a_compound(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the longer text goes on right behind the shorter one's last word: coffee, coffee ice cream."""
    if long[-1] == short[-1]:
        return False
    last = len(long) - 1 - long[::-1].index(short[-1])
    return long[last + 1] not in CONTINUING


def _folded(word: str) -> str:
    return word.replace("’", "'").casefold()


def _dated(dates: list[FoundDate], span: Span) -> bool:
    before = bisect_right(dates, span[0], key=lambda found: found.start) - 1
    return before >= 0 and span[1] <= dates[before].end


def _date(found: FoundDate, *, resolved: bool) -> str:
    span = found.span
    return f"{span.start.isoformat()}/{span.until.isoformat()}" if resolved else span.words.casefold()


def _turning(token: str) -> list[str]:
    """The turning words in a token: itself, its negation, or the turning characters of a Chinese word."""
    if token in NEGATIONS or token.endswith("n't"):
        return ["not"]
    if token in TURNING or token in CHINESE_TURNING:
        return [token]
    return [] if token in HARMLESS else [char for char in token if char in TURNING_CHARACTERS]


def _number(token: str) -> str | None:
    if any(char.isdigit() for char in token):
        return token
    if _ENGLISH_NUMBER.fullmatch(token):
        return str(english_number(token))
    counted = _CHINESE_NUMBER.fullmatch(token)
    return str(chinese_number(counted.group(1))) if counted else None
