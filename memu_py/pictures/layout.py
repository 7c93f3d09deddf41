"""From lines to blocks in the order in which a person reads them, by where they stand.

A picture is cut at the gaps between columns where each side is a text of its own; lines that stand side by side
otherwise belong together, as an item and its price do. What follows closely below is the same paragraph.
"""

import dataclasses
import itertools
import re
import statistics
from collections.abc import Iterator, Sequence

from memu_py.modality.blocks import Block, BlockKind
from memu_py.modality.markdown import BLOCK
from memu_py.pictures.ocr import Box, Line
from memu_py.records.locator import Locator
from memu_py.records.record import Record

TEXT = "text"
"""Metadata `block` of what stands written in a picture."""

ROW_SHARE = 0.5
"""Lines whose heights overlap by so much of the smaller one stand in one row."""
GUTTER = 0.8
"""Columns stand so far apart, in heights of a line."""
PARAGRAPH_GAP = 0.9
"""More space than this between two rows, in heights of a line, begins a new block."""
SIZE_STEP = 1.6
"""Letters that are so much larger than those of the row above are another block."""
MIN_COLUMN_LINES = 2
PROSE_CHARS = 18
"""Lines of columns of prose are this long on average; those of tables are shorter."""
ALIGNED_SHARE = 0.6
"""In a table, so many of the rows on one side have their like on the other."""
FULL_SHARE = 0.85
"""A line that reaches so far to the right went on in the next one."""
MAX_TITLES = 10
"""Rows above columns that may cross them."""
CELLS = " | "
MAX_DEPTH = 8

_ENDS = re.compile(r"[.!?。！？…:：;；]['\"”’)）]?\Z")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_WORD = re.compile(rf"{_WIDE.pattern}|[^\s\u2e80-\u9fff]+")
_BULLET = re.compile(r"(?:[-*•·◦▪●○□☐☑✓✔+>]|\(?\d{1,3}[.)、])\s*\S")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Group(Record):
    """Lines that belong together.

    Attributes:
        lines: at least one, in the order in which they are read.
    """

    lines: tuple[Line, ...]

    @property
    def box(self) -> Box:
        """Around all lines."""
        return around(self.lines)

    @property
    def height(self) -> float:
        """Of a usual line."""
        return statistics.median(line.height for line in self.lines)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Row(Group):
    """Lines that stand side by side, from left to right."""


def around(lines: Sequence[Line]) -> Box:
    """Return the rectangle around lines, at least one."""
    boxes = [line.box for line in lines]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def blocks(lines: Sequence[Line], *, place: Locator) -> tuple[Block, ...]:
    """Return what is written in a picture, as blocks in the order of reading.

    Args:
        lines: that were read.
        place: where the picture stands; each block adds its box.
    """
    return tuple(
        _block(paragraph, place) for column in _columns(list(lines), 0) for paragraph in _split(column)
    )


def rows(lines: Sequence[Line]) -> list[Row]:
    """Return lines as rows, from top to bottom."""
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: (one.box[1] + one.box[3], one.box[0])):
        if found and _beside(found[-1], line):
            found[-1].append(line)
        else:
            found.append([line])
    return [Row(lines=tuple(sorted(row, key=lambda one: one.box[0]))) for row in found]


def _beside(row: Sequence[Line], line: Line) -> bool:
    """Whether a line stands in a row: at the height of its nearest member, and beside all of them."""
    nearest = min(row, key=lambda one: abs(one.box[0] - line.box[0]))
    shared = min(nearest.box[3], line.box[3]) - max(nearest.box[1], line.box[1])
    clear = all(
        one.box[2] <= line.box[0] + one.height or line.box[2] <= one.box[0] + one.height for one in row
    )
    return clear and shared >= ROW_SHARE * min(nearest.height, line.height)


def _columns(lines: list[Line], depth: int) -> Iterator[list[Row]]:
    """Yield the columns of a text, each as rows: parts above and below a cut one by one, then from left to right."""
    if depth < MAX_DEPTH and (cut := _gutter(lines)) is not None:
        left, right = _sides(lines, cut)
        if _are_columns(left, right):
            yield from _columns(left, depth + 1)
            yield from _columns(right, depth + 1)
            return
    if depth < MAX_DEPTH and (parts := _parts(lines)):
        for part in parts:
            yield from _columns(part, depth + 1)
        return
    yield rows(lines)


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return the middle of the widest gap that no line crosses; None where there is none that is wide enough."""
    if len(lines) < 2 * MIN_COLUMN_LINES:
        return None
    best, middle = GUTTER * statistics.median(line.height for line in lines), None
    reached = min(line.box[2] for line in lines)
    for line in sorted(lines, key=lambda one: one.box[0]):
        if line.box[0] - reached > best:
            best, middle = line.box[0] - reached, (line.box[0] + reached) / 2
        reached = max(reached, line.box[2])
    return middle


def _sides(lines: Sequence[Line], cut: float) -> tuple[list[Line], list[Line]]:
    return [one for one in lines if one.box[0] < cut], [one for one in lines if one.box[0] >= cut]


def _are_columns(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether two sides are texts of their own, and not the two halves of rows."""
    if min(len(left), len(right)) < MIN_COLUMN_LINES:
        return False
    if all(statistics.mean(map(_length, side)) >= PROSE_CHARS for side in (left, right)):
        return True
    fewer, more = sorted((left, right), key=len)
    aligned = sum(any(_is_level(one, other) for other in more) for one in fewer)
    return aligned < ALIGNED_SHARE * len(fewer)


def _length(line: Line) -> int:
    """Characters of a line; those of East Asian scripts say twice as much."""
    return _width(line.text)


def _is_level(one: Line, other: Line) -> bool:
    middles = abs(one.box[1] + one.box[3] - other.box[1] - other.box[3]) / 2
    return middles <= 0.3 * min(one.height, other.height)


def _parts(lines: list[Line]) -> list[list[Line]]:
    """Return a text in two, cut below a row that crosses the columns of what follows, such as a title.

    Returns:
        Nothing where no cut brings columns to light.
    """
    found = rows(lines)
    for place in range(1, min(len(found), MAX_TITLES)):
        below = [line for row in found[place:] for line in row.lines]
        if (cut := _gutter(below)) is not None and _are_columns(*_sides(below, cut)):
            return [[line for row in found[:place] for line in row.lines], below]
    return []


def _split(column: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the paragraphs of a column."""
    paragraph: list[Row] = []
    for row in column:
        if paragraph and _begins(row, paragraph):
            yield paragraph
            paragraph = []
        paragraph.append(row)
    if paragraph:
        yield paragraph


def _begins(row: Row, paragraph: Sequence[Row]) -> bool:
    above = paragraph[-1]
    small, large = sorted((row.height, above.height))
    if row.box[1] - above.box[3] > PARAGRAPH_GAP * small or large > SIZE_STEP * small:
        return True
    apart = max(row.box[0] - above.box[2], above.box[0] - row.box[2])
    if apart > 2 * large:
        return True
    ended = len(paragraph) > 1 and bool(_ENDS.search(above.lines[-1].text))
    return ended and not _is_full(above, paragraph)


def _is_full(row: Row, paragraph: Sequence[Row]) -> bool:
    """Whether a row reaches the right edge of its paragraph."""
    left, _, right, _ = around([line for one in paragraph for line in one.lines])
    return row.box[2] - left >= FULL_SHARE * (right - left)


def _block(paragraph: Sequence[Row], place: Locator) -> Block:
    lines = [line for row in paragraph for line in row.lines]
    kind: BlockKind = "table" if _is_table(paragraph) else "paragraph"
    text = "\n".join(_cells(row) for row in paragraph) if kind == "table" else running(paragraph)
    return Block(text=text, kind=kind, locator=place.evolve(box=around(lines)), metadata={BLOCK: TEXT})


def _is_table(paragraph: Sequence[Row]) -> bool:
    several = sum(len(row.lines) > 1 for row in paragraph)
    return several >= 2 and 2 * several >= len(paragraph)


def _cells(row: Row) -> str:
    return CELLS.join(line.text for line in row.lines)


def running(paragraph: Sequence[Row], *, edge: int | None = None) -> str:
    """Return rows, at least one, as text: those that were only wrapped become one line.

    Args:
        paragraph: from top to bottom.
        edge: where lines are wrapped, if that is known; else only a row that is nearly full counts.
    """
    text = " ".join(line.text for line in paragraph[0].lines)
    for above, row in itertools.pairwise(paragraph):
        more = " ".join(line.text for line in row.lines)
        wrapped = _is_wrapped(above, row, paragraph) if edge is None else not _has_room(above, row, edge)
        text = _continued(text, more, wrapped=wrapped)
    return text


def _is_wrapped(above: Row, row: Row, paragraph: Sequence[Row]) -> bool:
    if len(above.lines) > 1 or len(row.lines) > 1 or _BULLET.match(row.lines[0].text):
        return False
    return _is_full(above, paragraph) and _length(above.lines[0]) >= PROSE_CHARS


def _has_room(above: Row, row: Row, edge: int) -> bool:
    """Whether the first word of a row would have fitted behind the row above it."""
    first = row.lines[0]
    found = _WORD.match(first.text)
    word = found.group() if found else first.text
    # A word needs a space before it.
    size = _width(word) + (not _WIDE.match(word))
    return above.box[2] + size / max(1, _length(first)) * (first.box[2] - first.box[0]) <= edge


def _width(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


def _continued(text: str, more: str, *, wrapped: bool) -> str:
    if not wrapped:
        return f"{text}\n{more}"
    if text.endswith("-") and text[-2:-1].isalpha() and more[:1].islower():
        return text[:-1] + more
    glue = "" if _WIDE.match(text[-1:]) and _WIDE.match(more[:1]) else " "
    return f"{text}{glue}{more}"
