"""Clock times in a text; they mean something only beside a day."""

import dataclasses
import re
from collections.abc import Iterator
from datetime import timedelta

from memu_py.language.numbers import CHINESE_NUMBER, chinese_number, english_number
from memu_py.records.record import Record

NOON = 12
HOURS = 24
MINUTES = 60

_HALVES = {"half past": 30, "a quarter past": 15, "quarter past": 15, "a quarter to": -15, "quarter to": -15}
_NAMED = {"noon": NOON, "midday": NOON, "midnight": HOURS}
_ENGLISH_HOUR = r"\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ENGLISH = re.compile(
    rf"\b(?P<named>{'|'.join(_NAMED)})\b"
    r"|(?<![\d:.])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s?(?P<half>[ap])(?:\.m\.|m\b)"
    rf"|\b(?P<shift>{'|'.join(_HALVES)})\s+(?P<past>{_ENGLISH_HOUR})\b"
    rf"|\bat\s+(?P<bare>{_ENGLISH_HOUR})\b(?:\s+o'?clock\b)?(?!\s*[:.]\d|\s*[ap]\.?m|\s+(?:the|of|days|people|years)\b)",
    re.IGNORECASE,
)
_DIGITAL = re.compile(
    r"(?P<part>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)?(?<![\d:.])(?P<hour>\d{1,2})[:：](?P<minute>\d{2})(?![:：\d]|\s?[ap]\.?m)",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"(?P<part>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|晚|夜里)?(?P<hour>{CHINESE_NUMBER})[点時时]"
    rf"(?!间|候|常|长|了|儿|击|赞|评)(?:钟|整|(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>{CHINESE_NUMBER})分?)?"
)
_MORNING = re.compile(r"morning|[早晨]|上午|凌晨", re.IGNORECASE)
_LATE = re.compile(r"evening|night|afternoon|tonite|下午|傍晚|晚|夜|中午", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Clock(Record):
    """A clock time and where it stands.

    Attributes:
        start: first character.
        end: character after its last.
        hour: 0 to 24.
        minute: minutes past it; below 0 before it.
        sure: morning or evening was said, or the hour is written in 24 hours.
        bare: a mere number, which counts only where the day's words name a part of the day.
    """

    start: int
    end: int
    hour: int
    minute: int = 0
    sure: bool = False
    bare: bool = False

    def on(self, day_words: str) -> timedelta | None:
        """The time since midnight, on a day that was named by these words; None where it stays open."""
        late = bool(_LATE.search(day_words))
        if self.bare and not late and not _MORNING.search(day_words):
            return None
        hour = self.hour if self.sure else _in_part(self.hour, late=late)
        return timedelta(hours=hour, minutes=self.minute)


def clocks(text: str) -> list[Clock]:
    """Return the clock times of a text in order.

    >>> [clock.hour for clock in clocks("at 3pm, 15:30, 下午三点")]
    [15, 15, 15]
    """
    found = [*_english(text), *_digital(text), *_chinese(text)]
    return sorted((clock for clock in found if _valid(clock)), key=lambda clock: clock.start)


def _valid(clock: Clock) -> bool:
    return 0 <= clock.hour <= HOURS and clock.minute < MINUTES


def _in_part(hour: int, *, late: bool) -> int:
    return hour + NOON if late and hour <= NOON and hour != 0 else hour


def _english(text: str) -> Iterator[Clock]:
    for match in _ENGLISH.finditer(text):
        start, end = match.span()
        if named := match.group("named"):
            yield Clock(start=start, end=end, hour=_NAMED[named.casefold()], sure=True)
        elif match.group("hour"):
            hour = int(match.group("hour")) % NOON + (NOON if match.group("half") in "pP" else 0)
            yield Clock(start=start, end=end, hour=hour, minute=int(match.group("minute") or 0), sure=True)
        elif shift := match.group("shift"):
            minute = _HALVES[" ".join(shift.casefold().split())]
            yield Clock(start=start, end=end, hour=_hour(match.group("past")), minute=minute, bare=True)
        else:
            yield Clock(start=start, end=end, hour=_hour(match.group("bare")), bare=True)


def _hour(word: str) -> int:
    value = english_number(word)
    return -1 if value is None else value


def _digital(text: str) -> Iterator[Clock]:
    for match in _DIGITAL.finditer(text):
        yield _east(match, int(match.group("hour")), int(match.group("minute")))


def _chinese(text: str) -> Iterator[Clock]:
    for match in _CHINESE.finditer(text):
        hour = chinese_number(match.group("hour"))
        if hour is not None and match.group() != "一点":
            yield _east(match, hour, _minute(match))


def _minute(match: re.Match[str]) -> int:
    if match.group("half"):
        return 30
    if quarter := match.group("quarter"):
        return 15 if quarter == "一" else 45
    return chinese_number(match.group("minute") or "0") or 0


def _east(match: re.Match[str], hour: int, minute: int) -> Clock:
    part = match.group("part") or ""
    late = bool(_LATE.search(part)) and not (part == "中午" and hour >= NOON - 1)
    early = bool(_MORNING.search(part)) and hour == NOON and part == "凌晨"
    resolved = 0 if early else _in_part(hour, late=late)
    start, end = match.span()
    return Clock(start=start, end=end, hour=resolved, minute=minute, sure=bool(part) or hour > NOON)
