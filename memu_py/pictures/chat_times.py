"""Times as chat apps show them: "14:03", "昨天 20:15", "Mon, May 8 at 2:03 PM"."""

import re
from datetime import UTC, datetime, timedelta, tzinfo

from memu_py.language.dates import first_date

DAY = timedelta(days=1)
ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
"""A date with its year counts from nothing."""

_PART = r"(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)"
_CLOCK = rf"{_PART}?\s*\d{{1,2}}\s?[:：]\s?\d{{2}}(?::\d{{2}})?\s*(?:[AaPp]\.?[Mm]\b\.?)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?"
_WEEKDAY = (
    r"(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|nesday|sday|rsday|urday)?"
    r"|(?:星期|周|週|礼拜)[一二三四五六日天]"
)
_DATED = (
    rf"(?:\d{{4}}\s?[-/.年]\s?\d{{1,2}}\s?[-/.月]\s?\d{{1,2}}日?|\d{{1,2}}月\d{{1,2}}日"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:\d{{4}}|\d{{2}})"
    rf"|{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s*\d{{4}})?|\d{{1,2}}\.?\s+{_MONTH}(?:,?\s*\d{{4}})?)"
)
_DAY = rf"(?:{_DATED}|今天|昨天|前天|today|yesterday|{_WEEKDAY})"
_TICKS = r"[\s✓✔√]*"
_TIME = re.compile(
    rf"[\s\-–—·•(\[（【]*(?:{_DAY}(?:[\s,，]*{_DAY})?(?:[\s,，]*(?:at\s+)?{_CLOCK})?"
    rf"|\d{{1,2}}[-/]\d{{1,2}}\s+{_CLOCK}|{_CLOCK}(?:[\s,，]+{_DAY})?){_TICKS}[\s\-–—·•)\]）】]*",
    re.IGNORECASE,
)
_ENDING = re.compile(rf"(?P<said>.*\S)\s*(?<!\d)(?P<time>{_CLOCK}){_TICKS}", re.IGNORECASE | re.DOTALL)
_ALONE = re.compile(rf"[\s\-–—·•(\[（【]*(?P<clock>{_CLOCK}){_TICKS}[\s\-–—·•)\]）】]*", re.IGNORECASE)
_HAS_CLOCK = re.compile(_CLOCK, re.IGNORECASE)
_HAS_YEAR = re.compile(r"\d{4}")
_UNCLEAR = re.compile(r"(?<!\d)\d{1,2}[-/]\d{1,2}(?!\d)(?!月)")


def is_time(text: str) -> bool:
    """Tell whether a line is a time and nothing else.

    >>> [is_time(one) for one in ("14:03", "昨天 20:15", "Mon, May 8 at 2:03 PM", "2023-05-08")]
    [True, True, True, True]
    >>> [is_time(one) for one in ("at 14:03 then", "3.20", "Sunday roast")]
    [False, False, False]
    """
    return _TIME.fullmatch(text) is not None


def has_clock(text: str) -> bool:
    """Tell whether a text holds a time of the day."""
    return _HAS_CLOCK.search(text) is not None


def ending(text: str) -> tuple[str, str] | None:
    """Part a text that ends with a time of the day from it; None when it does not.

    >>> ending("See you soon 14:03 ✓✓")
    ('See you soon', '14:03')
    """
    found = _ENDING.fullmatch(text)
    return (found["said"].strip(), found["time"].strip()) if found else None


class ChatClock:
    """Understands the times of one screenshot, in order.

    Args:
        taken_at: when the picture was taken, which "yesterday" counts from; None where nobody knows.
        zone: of the times.
    """

    def __init__(self, *, taken_at: datetime | None, zone: tzinfo) -> None:
        self._taken_at = taken_at
        self._zone = zone
        self._last: datetime | None = None

    def read(self, words: str) -> datetime | None:
        """Return a time in UTC; None while its day is not known, or the order of day and month.

        Args:
            words: as shown. A time of the day belongs to the day above it, or the next one where it would go back; to
                that of the picture, where no day stands above.
        """
        if alone := _ALONE.fullmatch(words):
            self._last = self._at(alone["clock"].strip())
            return self._last
        full = _HAS_YEAR.search(words) is not None and not _UNCLEAR.match(words.strip())
        if not full and (self._taken_at is None or _UNCLEAR.search(words)):
            self._last, self._taken_at = None, None
            return None
        found = first_date(words, said_at=self._taken_at or ANY_DAY, zone=self._zone)
        self._last = found.start if found else None
        return self._last

    def _at(self, clock: str) -> datetime | None:
        if self._last is not None:
            found = self._on(self._last, clock)
            return found + DAY if found and found < self._last else found
        if self._taken_at is None:
            return None
        found = self._on(self._taken_at, clock)
        return found - DAY if found and found > self._taken_at else found

    def _on(self, moment: datetime, clock: str) -> datetime | None:
        day = moment.astimezone(self._zone).date()
        found = first_date(f"{day.isoformat()} {clock}", said_at=moment, zone=self._zone)
        return found.start if found and found.precision == "instant" else None
