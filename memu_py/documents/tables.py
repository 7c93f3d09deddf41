"""Tables, told row by row so that each row is understood alone."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memu_py.modality.blocks import HEADER, Block
from memu_py.records.locator import Locator

LOOK = 10
"""The head of a table is among its first rows, below a title at most."""
SAMPLE_ROWS = 50
MAX_HEAD_CHARS = 80
MIN_FILLED = 0.6
"""Share of the usual width that a row of a table has at least; what is above it with less is a title."""

_VALUE = re.compile(
    r"[-+(]?[$€£¥￥]?\s?[\d.,'\s:/%TZ年月日时分-]*\d[\d.,'\s:/%TZ年月日时分-]*(?:[$€£¥￥%)]|[A-Z]{3})?|"
    r"(?:true|false|yes|no|是|否)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABEL = re.compile(r".*[:：]\s*")


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        number: from 1, as a person counts them.
        cells: as text; empty ones are "".
    """

    number: int
    cells: tuple[str, ...]


def row(number: int, cells: Sequence[str]) -> Row:
    """Make a row, each cell in one line, without empty cells at its end."""
    lines = [" ".join(cell.split()) for cell in cells]
    while lines and not lines[-1]:
        lines.pop()
    return Row(number, tuple(lines))


def table_blocks(
    rows: Sequence[Row], *, locator: Locator | None = None, head: Sequence[str] | None = None
) -> list[Block]:
    """Return a table as blocks: what stands above its head, then its rows as `Head: value; …`.

    Args:
        rows: in order, numbered; those that are empty are left out.
        locator: where the table is; with it the blocks know the numbers of their rows.
        head: where it is known which row is the head, that one.
    """
    filled = [one for one in rows if any(one.cells)]
    place = None if head is not None else head_place([one.cells for one in filled])
    names = head if head is not None else filled[place].cells if place is not None else ()
    above, body = (filled[:place], filled[place + 1 :]) if place is not None else ([], filled)
    blocks = [Block(text=" ".join(filter(None, one.cells)), locator=_at(locator, one, one)) for one in above]
    told = [one for one in body if one.cells != tuple(names)]
    if not told and names:
        return [
            *blocks,
            Block(text="; ".join(filter(None, names)), kind="table", locator=locator or Locator()),
        ]
    return [*blocks, *(_told(run, names, locator) for run in _runs(told))]


def _told(rows: Sequence[Row], names: Sequence[str], locator: Locator | None) -> Block:
    return Block(
        text="\n".join(told(names, one.cells) for one in rows),
        kind="table",
        locator=_at(locator, rows[0], rows[-1]),
        metadata={HEADER: "; ".join(filter(None, names))} if any(names) else {},
    )


def told(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row in one line.

    >>> told(["Name", "Age"], ["Ann", "30"]), told([], ["Ann", "30"])
    ('Name: Ann; Age: 30', 'Ann; 30')
    """
    pairs = itertools.zip_longest(names[: len(cells)], cells, fillvalue="")
    return "; ".join(f"{name.rstrip(':：')}: {cell}" if name else cell for name, cell in pairs if cell)


def head_place(rows: Sequence[Sequence[str]]) -> int | None:
    """Return which row is the head of a table: the first that is as wide as the table, where it holds names only.

    Args:
        rows: without empty ones.
    """
    widths = Counter(width for one in rows[:SAMPLE_ROWS] if (width := sum(map(bool, one))) > 1)
    usual = max(widths, key=lambda width: (widths[width], width), default=0)
    if not usual or _is_form(rows):
        return None
    for place, cells in enumerate(rows[:LOOK]):
        if sum(map(bool, cells)) >= max(2, MIN_FILLED * usual):
            return place if is_head(cells) else None
    return None


def is_head(cells: Sequence[str]) -> bool:
    """Tell whether a row holds names: short, all different, and no values but for several years."""
    names = [cell for cell in cells if cell]
    if len(set(names)) < len(names) or any(len(name) > MAX_HEAD_CHARS for name in names):
        return False
    values = [name for name in names if is_value(name)]
    if not values:
        return True
    return len(values) > 1 and not is_value(names[0]) and all(map(_YEAR.fullmatch, values))


def is_typed(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row has a name above a column of values, as only a head has."""
    head, *body = rows
    for place, name in enumerate(head):
        below = [one[place] for one in body if place < len(one) and one[place]]
        if name and not is_value(name) and below and all(map(is_value, below)):
            return True
    return False


def is_value(cell: str) -> bool:
    """Tell whether a cell is a number, an amount, a date, or yes or no.

    >>> is_value("1,200.50 EUR"), is_value("2026-03-02"), is_value("Room 3")
    (True, True, False)
    """
    return len(cell) <= MAX_HEAD_CHARS and _VALUE.fullmatch(cell) is not None


def _is_form(rows: Sequence[Sequence[str]]) -> bool:
    """Whether it is labels and what was filled in beside them."""
    return all(len(one) <= 2 and _LABEL.fullmatch(one[0]) for one in rows)


def _runs(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield rows that follow each other without a gap."""
    for _, run in itertools.groupby(enumerate(rows), key=lambda pair: pair[1].number - pair[0]):
        yield [one for _, one in run]


def _at(locator: Locator | None, first: Row, last: Row) -> Locator:
    return locator.evolve(rows=(first.number, last.number)) if locator is not None else Locator()
