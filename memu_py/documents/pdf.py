"""PDF: the text of each page, and pictures of pages that have none."""

import io
import itertools
import logging
from collections.abc import Iterator, Sequence

import pypdf
from pypdf.errors import PyPdfError

from memu_py.documents.pdf_lines import Line, PageText
from memu_py.documents.pdf_margins import without_margins
from memu_py.documents.pdf_scans import Scanner
from memu_py.documents.pdf_text import Measures, across_pages, measures, page_blocks
from memu_py.documents.reading import Bounds, Reading, Scan, own_title
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block

DAMAGED = "is it damaged, or was it cut short?"
REPAIRED = "the file is damaged, and was read as far as it could be repaired"
MAX_NAMED = 12


class _Complaints(logging.Handler):
    """Keeps count of what pypdf says of a file."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


def read_pdf(data: bytes, bounds: Bounds) -> Reading:
    """Read a PDF: each block has its page.

    Raises:
        InvalidInput: it is damaged beyond repair, or locked with a password.
    """
    complaints = _Complaints()
    logger = logging.getLogger("pypdf")
    logger.addHandler(complaints)
    logger.propagate = False
    try:
        document = _opened(data)
        count = len(document.pages)
        damaged = complaints.count > 0
        return _read(document, count, bounds, [REPAIRED] if damaged else [])
    finally:
        logger.removeHandler(complaints)
        logger.propagate = True


def _opened(data: bytes) -> pypdf.PdfReader:
    try:
        document = pypdf.PdfReader(io.BytesIO(data))
        if document.is_encrypted and not document.decrypt(""):
            msg = "it is locked with a password"
            raise InvalidInput(msg, hint="save it without one")
    except PyPdfError as error:
        raise InvalidInput(str(error)[:200], hint=DAMAGED) from error
    return document


def _read(document: pypdf.PdfReader, count: int, bounds: Bounds, warnings: list[str]) -> Reading:
    if count > bounds.max_pages:
        warnings.append(f"only the first {bounds.max_pages} of {count} pages are read (documents.max_pages)")
    pages: list[list[Line]] = []
    unread: list[int] = []
    for number in range(1, min(count, bounds.max_pages) + 1):
        lines = _lines(document, number)
        pages.append(lines or [])
        if lines is None:
            unread.append(number)
    if unread:
        warnings.append(f"damaged pages are left out: {_named(unread)}")
    usual = measures(pages)
    kept, margins = without_margins(pages, usual.headings)
    scans = list(_scans(document, kept, unread))
    return Reading(
        blocks=(*(Block(text=one, kind="context") for one in margins), *_blocks(kept, usual)),
        title=_title(document),
        warnings=tuple(warnings),
        scans=tuple(scans),
    )


def _named(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages[:MAX_NAMED])) + (" …" if len(pages) > MAX_NAMED else "")


def _lines(document: pypdf.PdfReader, number: int) -> list[Line] | None:
    """The lines of a page; None where it is damaged."""
    text = PageText()
    try:
        document.pages[number - 1].extract_text(visitor_text=text.visit)
    except (MemoryError, RecursionError):
        raise
    except Exception:
        # A damaged page breaks in any way; the others may be whole.
        return None
    return text.lines()


def _blocks(pages: Sequence[Sequence[Line]], usual: Measures) -> list[Block]:
    each = (page_blocks(lines, number, usual) for number, lines in enumerate(pages, start=1))
    return across_pages(list(itertools.chain.from_iterable(each)))


def _scans(
    document: pypdf.PdfReader, pages: Sequence[Sequence[Line]], unread: Sequence[int]
) -> Iterator[Scan]:
    """Yield pictures of the pages without a word."""
    scanner = Scanner()
    for number, lines in enumerate(pages, start=1):
        if number in unread or any(char.isalnum() for line in lines for char in line.text):
            continue
        yield from scanner.scans(document.pages[number - 1], number)


def _title(document: pypdf.PdfReader) -> str | None:
    try:
        return own_title(document.metadata.title) if document.metadata else None
    except (PyPdfError, ValueError, AttributeError, TypeError):
        return None
