"""A written-out date, cut out of its text and read by `dateparser`."""

from collections.abc import Callable
from datetime import date
from functools import cache, lru_cache
from typing import Literal

DateOrder = Literal["MDY", "DMY", "YMD"]

CACHED_DATES = 4096


@lru_cache(maxsize=CACHED_DATES)
def written_day(words: str, order: DateOrder = "MDY") -> date | None:
    """Read a date of which day, month and year are given.

    Args:
        words: the date and nothing else, such as "May 7th, 2023" or "7/5/2023".
        order: which of three numbers is which.

    Returns:
        The day; None where there is no such day.

    >>> written_day("7th May 2023").isoformat()
    '2023-05-07'
    """
    return _parser(order)(words)


@cache
def _parser(order: DateOrder) -> Callable[[str], date | None]:
    from dateparser.date import DateDataParser  # noqa: PLC0415 - a third of a second to import

    settings = {"DATE_ORDER": order, "REQUIRE_PARTS": ["day", "month", "year"], "TIMEZONE": "UTC"}
    parser = DateDataParser(languages=["en"], settings=settings)

    def parse(words: str) -> date | None:
        found = parser.get_date_data(words).date_obj
        return found.date() if found else None

    return parse
