"""Times in front of the lines of a transcript.

`[2023-05-08 13:56]`, `2023/5/8 1:56 PM -`, `[08/05/2023, 13:56:22]`, `2023年5月8日 13:56`, `(13:56)`. A time without
a day belongs to the day of the line above it, or the next one when midnight lies between; before any day it says
nothing. In `08/05/2023` the order of day and month is what all such times of the transcript allow.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import NamedTuple

from memu_py.modality.day_order import NOON, Numbers, day_first, full_year
from memu_py.modality.moment import moment

MIDNIGHT_GAP = timedelta(hours=12)
"""A clock that falls back by more has passed midnight; by less, lines are out of order."""

_CLOCK_FORM = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<seconds>\d{2})(?:[.,]\d{1,6})?)?(?!\d)"
    r"(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[Mm]\b\.?)?(?P<offset>Z|[ ]?[+-]\d{2}:?\d{2})?"
)
_DAY_FORM = (
    r"(?:(?P<year>\d{4})(?:[-/.]|年)(?P<month>\d{1,2})(?:[-/.]|月)(?P<day>\d{1,2})日?"
    r"|(?P<one>\d{1,2})(?P<mark>[/.-])(?P<other>\d{1,2})(?P=mark)(?P<short>\d{4}|\d{2}))(?!\d)"
)
_CLOCK = re.compile(_CLOCK_FORM)
_DAY = re.compile(rf"{_DAY_FORM}(?:(?:,?[ \t]*|T){_CLOCK_FORM})?")
_OPEN = re.compile(r"[ \t\u200e]*(?P<bracket>[\[(（【]?)[ \t]*")
_DASH = r"[ \t]*[-–—|][ \t]*"
_CLOSE = {
    "": re.compile(rf"{_DASH}|,?[ \t]+"),
    "[": re.compile(rf"[ \t]*\](?:{_DASH}|[ \t]*)"),
    "(": re.compile(rf"[ \t]*\)(?:{_DASH}|[ \t]*)"),
    "（": re.compile(rf"[ \t]*）(?:{_DASH}|[ \t]*)"),
    "【": re.compile(rf"[ \t]*】(?:{_DASH}|[ \t]*)"),
}


class Stamp(NamedTuple):
    """A time in front of a line, not yet understood.

    Attributes:
        end: where the line goes on.
        words: as written.
        parts: by name, None or missing for those that it has not.
    """

    end: int
    words: str
    parts: dict[str, str | None]


def stamp_at(text: str, start: int, end: int) -> Stamp | None:
    """Return the time that a line begins with, if it does.

    Args:
        text: that holds the line.
        start: of the line.
        end: of the line.

    >>> stamp_at("[13:56] Ann: hi", 0, 15).words
    '13:56'
    """
    opening = _OPEN.match(text, start, end)
    found = opening and (_DAY.match(text, opening.end(), end) or _CLOCK.match(text, opening.end(), end))
    if opening is None or found is None:
        return None
    closing = _CLOSE[opening.group("bracket")].match(text, found.end(), end)
    return closing and Stamp(closing.end(), found.group(), found.groupdict())


class StampReader:
    """Understands the times of one transcript, in order.

    Args:
        stamps: all of them.
        zone: of times that carry none.
    """

    def __init__(self, stamps: Iterable[Stamp], zone: tzinfo) -> None:
        self._zone = zone
        self._last: datetime | None = None
        written = [one.parts for one in stamps if one.parts.get("short")]
        self._day_first = day_first([Numbers(*_two(parts), parts["mark"] or "") for parts in written])
        self.ambiguous = False

    def read(self, stamp: Stamp) -> datetime | None:
        """Return the time in UTC; None when the day is not known, or there is no such time."""
        try:
            local = self._local(stamp)
            return moment(local, self._zone) if local is not None else None
        except ValueError:
            return None

    def _local(self, stamp: Stamp) -> datetime | None:
        clock = _clock(stamp.parts)
        day = self._day(stamp.parts)
        if day is None and not _has_day(stamp.parts):
            return self._following(clock)
        if day is None:
            self.ambiguous = True
            return None
        self._last = datetime.combine(day, clock)
        return self._last

    def _following(self, clock: time) -> datetime | None:
        """The clock on the day of the line above, or on the next one."""
        if self._last is None:
            return None
        found = datetime.combine(self._last.date(), clock, clock.tzinfo)
        if self._last.replace(tzinfo=None) - found.replace(tzinfo=None) > MIDNIGHT_GAP:
            found += timedelta(days=1)
        self._last = found
        return found

    def _day(self, parts: dict[str, str | None]) -> date | None:
        if year := parts.get("year"):
            return date(int(year), int(parts["month"] or 0), int(parts["day"] or 0))
        if not _has_day(parts) or self._day_first is None:
            return None
        one, other = _two(parts)
        day, month = (one, other) if self._day_first else (other, one)
        return date(full_year(int(parts["short"] or 0)), month, day)


def _has_day(parts: dict[str, str | None]) -> bool:
    return bool(parts.get("year") or parts.get("short"))


def _two(parts: dict[str, str | None]) -> tuple[int, int]:
    """The numbers of which one is the day."""
    return int(parts["one"] or 0), int(parts["other"] or 0)


def _clock(parts: dict[str, str | None]) -> time:
    """The time of day, midnight where there is none.

    Raises:
        ValueError: there is no such time.
    """
    hour = int(parts.get("hour") or 0)
    if half := parts.get("half"):
        if not 1 <= hour <= NOON:
            msg = f"no hour {hour} {half}m"
            raise ValueError(msg)
        hour = hour % NOON + (NOON if half in "pP" else 0)
    return time(
        hour,
        int(parts.get("minute") or 0),
        int(parts.get("seconds") or 0),
        tzinfo=_offset(parts.get("offset")),
    )


def _offset(written: str | None) -> tzinfo | None:
    if written is None:
        return None
    if written == "Z":
        return UTC
    digits = written.strip().replace(":", "")
    size = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:]))
    return timezone(-size if digits[0] == "-" else size)
