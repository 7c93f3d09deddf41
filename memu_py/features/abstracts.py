"""One sentence for many: how often and when something was said, before the text that is most in the middle. Pure."""

import calendar
from collections.abc import Sequence
from datetime import date, datetime, tzinfo

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.language.tongue import language_of
from memu_py.records.item import Item


def said_at(item: Item) -> datetime:
    """Return when an item was said, else stored."""
    return item.said_at or item.created_at


def central(vectors: Matrix) -> int:
    """Return the row (n, d) that is nearest to the mean of all, the first of equal ones."""
    return int(np.argmax(vectors @ vectors.mean(axis=0)))


def counted(text: str, items: Sequence[Item], zone: tzinfo) -> str:
    """Return a text behind how often and when it was said.

    Args:
        text: what was said; its language is that of the whole.
        items: each time that it was said.
        zone: in which months are those of the user.
    """
    times, count = _days(items, zone), sum(item.mentions for item in items)
    if language_of(text) == "zh":
        return f"{_period_zh(*times)}共提到{count}次：{text}"
    return f"Said {count} times {_period_en(*times)}: {text}"


def dated(text: str, items: Sequence[Item], zone: tzinfo) -> str:
    """Return a text behind when it was said; see `counted`."""
    times = _days(items, zone)
    if language_of(text) == "zh":
        return f"{_period_zh(*times)}：{text}"
    period = _period_en(*times)
    return f"{period[:1].upper()}{period[1:]}: {text}"


def _days(items: Sequence[Item], zone: tzinfo) -> tuple[date, date]:
    days = [said_at(item).astimezone(zone).date() for item in items]
    return min(days), max(days)


def _period_en(first: date, last: date) -> str:
    begin, end = calendar.month_name[first.month], f"{calendar.month_name[last.month]} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"in {end}"
    return f"from {begin} to {end}" if first.year == last.year else f"from {begin} {first.year} to {end}"


def _period_zh(first: date, last: date) -> str:
    begin = f"{first.year}年{first.month}月"
    if (first.year, first.month) == (last.year, last.month):
        return begin
    end = f"{last.month}月" if first.year == last.year else f"{last.year}年{last.month}月"
    return f"{begin}至{end}"
