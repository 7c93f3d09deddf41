"""How much of a page of a PDF is covered by pictures, and whether its text is shown."""

import contextlib
from collections.abc import Sequence
from typing import Any

import pypdf
from pypdf.errors import PyPdfError

from memu_py.documents.pdf_lines import Line

NEARLY = 0.7
"""A page of which so much is covered may be a scan."""
LARGE = 0.2
"""A smaller picture stands beside the text, and what it says is left out without a word."""
LITTLE = 200
"""Letters that stamps, running heads and captions on a scan have at most; a page of text has a thousand and more."""
INVISIBLE = 3

_ODD = (PyPdfError, TypeError, ValueError, LookupError, AttributeError, AssertionError, ArithmeticError)
"""What a damaged operation raises: the text of its page may be whole all the same."""


class Cover:
    """Takes what pypdf tells of the operations on a page.

    Attributes:
        share: of the page that is covered by pictures; one drawn over another counts again.
        hidden: some of the text is not shown, as that which programs lay over a scan.
    """

    def __init__(self, page: pypdf.PageObject) -> None:
        self.share = 0.0
        self.hidden = False
        self._area = 1.0
        self._objects: dict[str, Any] = {}
        with contextlib.suppress(*_ODD):
            self._area = abs(float(page.cropbox.width) * float(page.cropbox.height)) or 1.0
            self._objects = _objects(page)

    def visit(self, operator: bytes, operands: Any, cm: Sequence[float], _tm: Sequence[float]) -> None:
        """Take one operation, with the matrix that places it."""
        with contextlib.suppress(*_ODD):
            if operator == b"Do":
                self._draw(self._objects.get(str(operands[0])), cm)
            elif operator == b"INLINE IMAGE":
                self._add(cm, 1.0)
            elif operator == b"Tr" and operands[0] == INVISIBLE:
                self.hidden = True

    def _draw(self, drawn: Any, cm: Sequence[float]) -> None:
        if drawn is None:
            return
        if drawn.get("/Subtype") == "/Image":
            self._add(cm, 1.0)
        elif any(one.get("/Subtype") == "/Image" for one in _objects(drawn).values()):
            left, below, right, above = (float(side) for side in drawn["/BBox"])
            a, b, c, d = (float(one) for one in drawn.get("/Matrix", [1, 0, 0, 1])[:4])
            self._add(cm, abs((right - left) * (above - below) * (a * d - b * c)))

    def _add(self, cm: Sequence[float], size: float) -> None:
        self.share += min(1.0, abs(cm[0] * cm[3] - cm[1] * cm[2]) * size / self._area)


def is_scan(lines: Sequence[Line], cover: Cover) -> bool:
    """Tell whether what a page says is in its picture: it has no text, or little beside a picture that covers it."""
    letters = _letters(lines)
    return not letters or (cover.share >= NEARLY and letters < LITTLE)


def is_beside(cover: Cover) -> bool:
    """Tell whether a page with text has a large picture, whose own text is not that of the page."""
    return cover.share >= LARGE and not cover.hidden


def _letters(lines: Sequence[Line]) -> int:
    return sum(char.isalnum() for line in lines for char in line.text)


def _objects(holder: Any) -> dict[str, Any]:
    resources = holder.get("/Resources")
    found = resources.get_object().get("/XObject") if resources is not None else None
    return {str(name): one.get_object() for name, one in found.get_object().items()} if found else {}
