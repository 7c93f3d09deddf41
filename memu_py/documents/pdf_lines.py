"""From what a PDF draws to the lines of a page."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

SAME_LINE = 0.3
"""What is drawn so much of its size higher or lower still stands in the same line."""

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# A bullet of a font without names for its signs comes out as a control character.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
BULLET = "•"


class Piece(NamedTuple):
    """Text that is drawn in one go.

    Attributes:
        text: it may hold line ends.
        x: of its beginning, in points from the left.
        y: of its base line, in points from below.
        size: height of its letters, in points.
    """

    text: str
    x: float
    y: float
    size: float


class Line(NamedTuple):
    """A line of a page.

    Attributes:
        cells: of a line of a table one for each; of any other line its text.
        xs: where each begins.
        y: of its base line.
        size: of most of its letters.
    """

    cells: tuple[str, ...]
    xs: tuple[float, ...]
    y: float
    size: float

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.cells)


class PageText:
    """Takes what pypdf tells a visitor."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def visit(self, text: str, cm: Sequence[float], tm: Sequence[float], _font: Any, size: float) -> None:
        """Take some text, with the matrices that place it."""
        if not text.strip(" "):
            return
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        height = math.hypot(tm[2] * cm[0] + tm[3] * cm[2], tm[2] * cm[1] + tm[3] * cm[3])
        self.pieces.append(Piece(text, x, y, abs(size) * height))

    def lines(self) -> list[Line]:
        """Return the lines, in the order in which they are drawn."""
        return list(_lines(self.pieces))


def _lines(pieces: Iterable[Piece]) -> Iterator[Line]:
    """Yield lines: a line end closes a cell, and a cell at the height of the one before it is in the same line."""
    cells: list[list[Piece]] = []
    for cell in _cells(pieces):
        if cells and abs(cell[0].y - cells[0][0].y) > SAME_LINE * cell[0].size:
            yield _line(cells)
            cells = []
        cells.append(cell)
    if cells:
        yield _line(cells)


def _cells(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    cell: list[Piece] = []
    for piece in pieces:
        *closed, rest = piece.text.split("\n")
        for part in closed:
            if part.strip():
                cell.append(piece._replace(text=part))
            if cell:
                yield cell
            cell = []
        if rest.strip() or (rest and cell):
            cell.append(piece._replace(text=rest))
    if cell:
        yield cell


def _line(cells: Sequence[Sequence[Piece]]) -> Line:
    sizes: Counter[float] = Counter()
    for piece in (piece for cell in cells for piece in cell):
        sizes[round(piece.size, 1)] += len(piece.text.strip())
    return Line(
        cells=tuple(_clean("".join(piece.text for piece in cell)) for cell in cells),
        xs=tuple(cell[0].x for cell in cells),
        y=cells[0][0].y,
        size=max(sizes, key=lambda size: sizes[size]),
    )


def _clean(text: str) -> str:
    text = _CONTROL.sub(BULLET, text.translate(_LIGATURES).replace("\u00ad\n", ""))
    return " ".join(text.split())
