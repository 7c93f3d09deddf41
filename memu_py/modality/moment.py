"""Message times as chat exports write them."""

import email.utils
import math
from datetime import UTC, datetime, tzinfo
from typing import Any

NANOSECONDS_FROM = 1e17
MICROSECONDS_FROM = 1e14
MILLISECONDS_FROM = 1e11
"""Epoch numbers from here on count milliseconds: as seconds they would lie beyond the year 5138."""
SECONDS_FROM = 1e8
"""A smaller number counts from something else, such as the start of a recording; as an epoch it is before 1973."""


def moment(value: Any, zone: tzinfo) -> datetime | None:
    """Return a time in UTC; None for what is no time.

    Args:
        value: ISO 8601 text, the form of e-mail headers, or seconds, milliseconds, microseconds or nanoseconds
            since 1970 as a number or its digits.
        zone: of times that carry none.

    >>> moment("2023-05-08T13:56:00+02:00", UTC).isoformat()
    '2023-05-08T11:56:00+00:00'
    >>> moment(1683554160, UTC) == moment("1683554160000", UTC)
    True
    """
    if isinstance(value, datetime):
        return _aware(value, zone)
    if isinstance(value, str):
        return _text(value.strip(), zone)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _epoch(value)
    return None


def _text(value: str, zone: tzinfo) -> datetime | None:
    try:
        return _epoch(float(value)) if _is_epoch(value) else _aware(datetime.fromisoformat(value), zone)
    except ValueError:
        return _mail(value, zone)


def _is_epoch(value: str) -> bool:
    """Fewer than nine digits may be a compact date such as 20230508."""
    whole, _, fraction = value.partition(".")
    return value.isascii() and whole.isdigit() and len(whole) > 8 and (not fraction or fraction.isdigit())


def _mail(value: str, zone: tzinfo) -> datetime | None:
    try:
        return _aware(email.utils.parsedate_to_datetime(value), zone)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _epoch(value: float) -> datetime | None:
    if not SECONDS_FROM <= value < math.inf:
        return None
    try:
        return datetime.fromtimestamp(value / _per_second(value), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _per_second(size: float) -> int:
    if size >= NANOSECONDS_FROM:
        return 10**9
    if size >= MICROSECONDS_FROM:
        return 10**6
    return 10**3 if size >= MILLISECONDS_FROM else 1


def _aware(value: datetime, zone: tzinfo) -> datetime | None:
    try:
        placed = value if value.utcoffset() is not None else value.replace(tzinfo=zone)
        return placed.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
