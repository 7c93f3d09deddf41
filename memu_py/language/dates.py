"""Dates in a text, resolved against the day on which it was said.

A grammar of our own finds the expressions, English and Chinese, and says what they mean; `dateparser` reads
only a written-out date that the grammar has cut out. What the grammar does not know is no date: a missed date
does less harm than a wrong one.
"""

import dataclasses
import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo

from memu_py.errors import InvalidInput
from memu_py.language import (
    chinese_calendar,
    chinese_relative,
    english_calendar,
    english_days,
    english_relative,
)
from memu_py.language.clock import Clock, clocks
from memu_py.language.date_words import SIMPLIFIED
from memu_py.language.period import MONTHS_IN_YEAR, Period, day, days, instant, joined, shift_months
from memu_py.language.rule import Setting, clues
from memu_py.records.record import Record
from memu_py.records.span import TimeSpan

RULES = (
    *english_relative.RULES,
    *english_days.RULES,
    *english_calendar.RULES,
    *chinese_relative.RULES,
    *chinese_calendar.RULES,
)

_SINCE = re.compile(r"\b(?:ever )?since (?:about |around |the )?$|[自从][从打]?$", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"(?:以来|至今|起|开始)")
_FROM = re.compile(r"\bfrom (?:the )?$|从$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween (?:the )?$", re.IGNORECASE)
_TO = re.compile(r",?\s*(?:to|until|till|through|thru|up to)\s+(?:the |on )?|\s*[到至]\s*", re.IGNORECASE)
_DASH = re.compile(r"\s*[-–—~～]\s*|\s*[到至]\s*")
_AND = re.compile(r"\s+and\s+(?:the )?", re.IGNORECASE)
_CLOCK_AFTER = re.compile(r"(?:,?\s*(?:at|around|about|by|from)?\s*|\s*的?\s*)", re.IGNORECASE)
_CLOCK_BEFORE = re.compile(r"\s*(?:on|of)?\s*(?:the )?")
_BRIDGED_PRECISIONS = ("day", "month", "year", "week", "season")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FoundDate(Record):
    """A date and where it stands.

    Attributes:
        span: when it is, with its words.
        start: first character of the words.
        end: character after their last.
    """

    span: TimeSpan
    start: int
    end: int


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Found(Record):
    start: int
    end: int
    period: Period


def resolve_dates(text: str, *, said_at: datetime, zone: tzinfo = UTC) -> list[FoundDate]:
    """Find the dates of a text and resolve them.

    Args:
        text: any text.
        said_at: when it was said; aware.
        zone: the speaker's time zone: what "today" is, and where a day begins.

    Returns:
        The dates in order of their place, which do not overlap; spans are half-open and in UTC.

    Raises:
        InvalidInput: `said_at` has no time zone.

    >>> said = datetime(2023, 5, 10, 9, tzinfo=UTC)
    >>> [found.span.start.date().isoformat() for found in resolve_dates("我上周六到的", said_at=said)]
    ['2023-05-06']
    """
    if said_at.tzinfo is None:
        msg = "said_at needs a time zone, such as datetime(..., tzinfo=UTC)"
        raise InvalidInput(msg)
    plain = text.translate(SIMPLIFIED)
    setting = Setting(text=plain, said=_local(said_at, zone), zone=zone)
    found = _with_clocks(_atoms(setting), plain)
    found = _since(_ranges(found, plain), setting)
    return list(_finished(found, text, zone))


def first_date(text: str, *, said_at: datetime, zone: tzinfo = UTC) -> TimeSpan | None:
    """Return the first date of a text, None when there is none.

    Args:
        text: any text.
        said_at: when it was said; aware.
        zone: the speaker's time zone.

    Raises:
        InvalidInput: `said_at` has no time zone.
    """
    found = resolve_dates(text, said_at=said_at, zone=zone)
    return found[0].span if found else None


def _local(said_at: datetime, zone: tzinfo) -> datetime:
    try:
        return said_at.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        return said_at.replace(tzinfo=None)


def _finished(found: list[_Found], text: str, zone: tzinfo) -> Iterator[FoundDate]:
    for one in found:
        try:
            start, until = (_utc(moment, zone) for moment in (one.period.start, one.period.until))
        except (OverflowError, ValueError):
            continue
        words = text[one.start : one.end]
        span = TimeSpan(start=start, until=until, precision=one.period.precision, words=words)
        yield FoundDate(span=span, start=one.start, end=one.end)


def _utc(moment: datetime, zone: tzinfo) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


# What stands in the text


def _atoms(setting: Setting) -> list[_Found]:
    """The expressions that the grammar knows: the leftmost; of those the longest; then the first rule's."""
    known = clues(setting.text)
    matches = [
        (match.start(), -match.end(), order, match)
        for order, entry in enumerate(RULES)
        if not entry.needs or not entry.needs.isdisjoint(known)
        for match in entry.pattern.finditer(setting.text)
    ]
    found: list[_Found] = []
    reached = 0
    for start, end, order, match in sorted(matches, key=lambda entry: entry[:3]):
        if start < reached or start == -end:
            continue
        reached = -end
        try:
            period = RULES[order].resolve(match, setting)
        except (OverflowError, ValueError):
            period = None
        if period is not None:
            left, right = _words(match)
            found.append(_Found(start=left, end=right, period=period))
    return found


def _words(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("words" if "words" in match.re.groupindex else 0)
    return start, end - match.string[start:end].endswith(".")


# What stands together


def _ranges(found: list[_Found], text: str) -> list[_Found]:
    """Join two dates that are the ends of one span."""
    result: list[_Found] = []
    for one in found:
        if result and (start := _range_start(result[-1], one, text)) is not None:
            first, last = _aligned(result[-1].period, one.period)
            if first.start < last.until:
                result[-1] = _Found(start=start, end=one.end, period=joined(first, last))
                continue
        result.append(one)
    return result


def _range_start(first: _Found, last: _Found, text: str) -> int | None:
    """Where a range of two dates begins; None when they are two dates."""
    between = text[first.end : last.start]
    before = text[max(0, first.start - 16) : first.start]
    for opening, glue in ((_FROM, _TO), (_BETWEEN, _AND), (_FROM, _DASH)):
        opened = opening.search(before)
        if opened and glue.fullmatch(between):
            return first.start - (len(before) - opened.start())
    same = first.period.precision == last.period.precision
    bridged = same and first.period.precision in _BRIDGED_PRECISIONS
    return first.start if bridged and (_DASH.fullmatch(between) or _through(between)) else None


def _through(between: str) -> bool:
    return between.strip().casefold() in ("through", "thru", "until", "till")


def _aligned(first: Period, last: Period) -> tuple[Period, Period]:
    """Move an end whose year was only guessed to the year of the other."""
    if last.floating:
        last = _years_on(last, first.start.year - last.start.year)
        return first, last if last.start >= first.start else _years_on(last, 1)
    if first.floating:
        first = _years_on(first, last.start.year - first.start.year)
        first = first if first.start < last.until else _years_on(first, -1)
    return first, last


def _years_on(period: Period, step: int) -> Period:
    start, until = (
        shift_months(moment.date(), step * MONTHS_IN_YEAR) for moment in (period.start, period.until)
    )
    return days(start, until, period.precision).evolve(floating=True)


def _since(found: list[_Found], setting: Setting) -> list[_Found]:
    """A date after "since" is where a span up to now begins."""
    return [_open_ended(one, setting) or one for one in found]


def _open_ended(one: _Found, setting: Setting) -> _Found | None:
    before = _SINCE.search(setting.text[max(0, one.start - 24) : one.start])
    after = _SINCE_AFTER.match(setting.text, one.end)
    if not (before or after) or one.period.first_day > setting.today:
        return None
    start = one.start - (len(before.group()) if before else 0)
    end = after.end() if after else one.end
    return _Found(start=start, end=end, period=joined(one.period, day(setting.today)))


def _with_clocks(found: list[_Found], text: str) -> list[_Found]:
    """Refine a day to an instant by the clock time beside it."""
    times = clocks(text) if any(one.period.precision == "day" for one in found) else []
    return [_at_clock(one, times, text) if one.period.precision == "day" else one for one in found]


def _at_clock(one: _Found, times: list[Clock], text: str) -> _Found:
    for clock in times:
        if _beside(one, clock, text) and (time := clock.on(text[one.start : one.end])) is not None:
            times.remove(clock)
            start, end = min(one.start, clock.start), max(one.end, clock.end)
            moment = one.period.start + time
            return _Found(start=start, end=end, period=instant(moment))
    return one


def _beside(one: _Found, clock: Clock, text: str) -> bool:
    if clock.start < one.end:
        return clock.start >= one.start or bool(_CLOCK_BEFORE.fullmatch(text, clock.end, one.start))
    return bool(_CLOCK_AFTER.fullmatch(text, one.end, clock.start))
