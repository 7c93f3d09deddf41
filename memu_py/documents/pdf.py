"""PDF: the text of each page, and pictures of pages that have none, or hardly any."""

import io
import itertools
import logging
from collections.abc import Mapping, Sequence

import pypdf
from pypdf.errors import PyPdfError

from memu_py.documents.pdf_cover import Cover, is_beside, is_scan
from memu_py.documents.pdf_lines import Line, PageText
from memu_py.documents.pdf_margins import without_margins
from memu_py.documents.pdf_scans import Scanner, large_pictures
from memu_py.documents.pdf_text import Measures, across_pages, measures, page_blocks
from memu_py.documents.reading import Bounds, Reading, Scan, named_in_part, own_title, spot
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block

DAMAGED = "is it damaged, or was it cut short?"
REPAIRED = "the file is damaged, and was read as far as it could be repaired"


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
    covers: dict[int, Cover] = {}
    for number in range(1, min(count, bounds.max_pages) + 1):
        lines, cover = _lines(document, number)
        pages.append(lines)
        if cover is not None:
            covers[number] = cover
    unread = [number for number in range(1, len(pages) + 1) if number not in covers]
    if unread:
        warnings.append(f"damaged pages are left out: {named_in_part(unread)}")
    usual = measures(pages)
    kept, margins = without_margins(pages, usual.headings)
    scans = _scans(document, kept, covers, warnings)
    return Reading(
        blocks=(
            *(Block(text=one, kind="context") for one in margins),
            *_spotted(_blocks(kept, usual), scans),
        ),
        title=_title(document),
        warnings=tuple(warnings),
        scans=tuple(scans),
    )


def _lines(document: pypdf.PdfReader, number: int) -> tuple[list[Line], Cover | None]:
    """The lines of a page, and how much of it pictures cover; None for that where the page is damaged."""
    text = PageText()
    try:
        page = document.pages[number - 1]
        cover = Cover(page)
        page.extract_text(visitor_text=text.visit, visitor_operand_before=cover.visit)
    except (MemoryError, RecursionError):
        raise
    except Exception:
        # A damaged page breaks in any way; the others may be whole.
        return [], None
    return text.lines(), cover


def _blocks(pages: Sequence[Sequence[Line]], usual: Measures) -> list[Block]:
    each = (page_blocks(lines, number, usual) for number, lines in enumerate(pages, start=1))
    return across_pages(list(itertools.chain.from_iterable(each)))


def _scans(
    document: pypdf.PdfReader,
    pages: Sequence[Sequence[Line]],
    covers: Mapping[int, Cover],
    warnings: list[str],
) -> list[Scan]:
    """Return pictures of the pages that are scans, and warn of large ones beside the text of others."""
    scanner = Scanner()
    scans: list[Scan] = []
    beside: list[int] = []
    for number, cover in covers.items():
        page = document.pages[number - 1]
        if is_scan(pages[number - 1], cover):
            scans += scanner.scans(page, number)
        elif is_beside(cover) and large_pictures(page):
            beside.append(number)
    if beside:
        warnings.append(
            f"what large pictures beside the text say is not read, on pages: {named_in_part(beside)}"
        )
    return scans


def _spotted(blocks: Sequence[Block], scans: Sequence[Scan]) -> list[Block]:
    """Return blocks with those in whose place scans are read, each after what else stands on its page."""
    spots = [spot(number, one.place) for number, one in enumerate(scans)]
    return sorted([*blocks, *spots], key=lambda one: one.locator.page or 0)


def _title(document: pypdf.PdfReader) -> str | None:
    try:
        return own_title(document.metadata.title) if document.metadata else None
    except (PyPdfError, ValueError, AttributeError, TypeError):
        return None
