"""Dates in numbers: which of two is the day, and which year two digits are."""

from collections.abc import Sequence
from typing import NamedTuple

MONTHS, NOON = 12, 12
CENTURY = 2000


class Numbers(NamedTuple):
    """The first two numbers of a date whose year comes last.

    Attributes:
        one: the day or the month.
        other: the other one.
        mark: what stands between them.
    """

    one: int
    other: int
    mark: str


def day_first(dates: Sequence[Numbers], *, marks: str = ".") -> bool | None:
    """Tell whether the day comes before the month in all dates of a text; None when nothing tells.

    Args:
        dates: all of them, written by the same hand.
        marks: between numbers of which the day comes first, wherever people write so.

    >>> day_first([Numbers(5, 8, "/"), Numbers(14, 8, "/")]), day_first([Numbers(5, 8, "/")])
    (True, None)
    """
    if any(date.one > MONTHS for date in dates):
        return True
    if any(date.other > MONTHS for date in dates):
        return False
    return True if any(date.mark in marks for date in dates) else None


def full_year(written: int) -> int:
    """Return a year of which two digits may be all that is written.

    >>> full_year(23), full_year(1987)
    (2023, 1987)
    """
    return written if written > 99 else CENTURY + written
