"""From the lines of a PDF to its headings, paragraphs, lists and tables."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memu_py.documents.lists import as_lists
from memu_py.documents.pdf_lines import BULLET, Line
from memu_py.documents.tables import row, table_blocks
from memu_py.language.budget import FIRST_WIDE
from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator

HEADING_SIZE = 1.12
"""Letters so much larger than most are a heading …"""
MAX_HEADING_CHARS = 160
"""… if there are no more of them …"""
MAX_HEADING_SHARE = 0.3
"""… and no more than this share of the document is written so."""
MAX_LEVEL = 6
WIDE_GAP = 1.25
"""A gap so much larger than the usual one between lines parts paragraphs."""
HEADING_GAP = 1.45
"""Lines of one heading are no farther apart, in sizes of their letters."""
SHORT_LINE = 0.8
"""A line that ends with a full stop and is so much shorter than the longest of its page ends a paragraph."""
ALIGNED = 2.0
"""Cells of a column begin within so many points."""
MIN_TABLE_LINES = 2
MIN_BROKEN_CHARS = 16
"""What is shorter, at the end of a page, is a label rather than the beginning of a sentence."""

_MARK = re.compile(
    r"(?:[•‣▪■●◦○–—*·\uf0b7-]|\(?\d{1,2}[.)]|\(?[a-z][.)]|[一二三四五六七八九十]{1,3}、)\s+(?=\S)"
)
_ALONE = re.compile(r"(?:[•‣▪■●◦○–*·\uf0b7]|\d{1,2}[.)])")
_ENDS = re.compile(r"[.!?…:;。！？：；][\"'”’»)\]】》]*$")
_HYPHEN = re.compile(r"(\w*[^\W\d_])[-\u00ad\u2010]$")
_WORD_START = re.compile(r"[^\W\d_]+")
_HYPHENED = re.compile(r"\w+-\w+")
_STOP = re.compile(r"[.!?](?=\s)|[。！？]")


class Measures(NamedTuple):
    """What is usual in a document.

    Attributes:
        body: size of most letters.
        headings: sizes of headings, the largest first.
        hyphened: words that are written with a hyphen within a line, in small letters.
    """

    body: float
    headings: tuple[float, ...]
    hyphened: frozenset[str]


def measures(pages: Sequence[Sequence[Line]]) -> Measures:
    """Return what is usual in a document."""
    sizes: Counter[float] = Counter()
    for line in itertools.chain.from_iterable(pages):
        sizes[line.size] += len(line.text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    most = MAX_HEADING_SHARE * sizes.total()
    larger = sorted(
        (size for size in sizes if size >= HEADING_SIZE * body and sizes[size] <= most), reverse=True
    )
    words = {
        word.lower() for line in itertools.chain.from_iterable(pages) for word in _HYPHENED.findall(line.text)
    }
    return Measures(body, tuple(larger), frozenset(words))


def page_blocks(lines: Sequence[Line], page: int, usual: Measures) -> list[Block]:
    """Return the blocks of a page.

    Args:
        lines: without running heads and page numbers.
        page: from 1.
        usual: in the document.
    """
    place = Locator(page=page)
    blocks: list[Block] = []
    for is_table, run in itertools.groupby(_with_tables(_marked(lines)), key=lambda pair: pair[1]):
        part = [line for line, _ in run]
        if is_table:
            rows = [row(number, line.cells) for number, line in enumerate(part, start=1)]
            blocks += [one.evolve(locator=place) for one in table_blocks(rows)]
        else:
            blocks += _prose(part, place, usual)
    return list(as_lists(blocks))


def _marked(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines, each bullet that was drawn alone in one with what it is the bullet of."""
    mark: Line | None = None
    for line in lines:
        if mark is not None:
            yield Line((f"{mark.text} {line.text}",), mark.xs[:1], line.y, line.size)
            mark = None
        elif _ALONE.fullmatch(line.text):
            mark = line
        elif len(line.cells) > 1 and _ALONE.fullmatch(line.cells[0]):
            yield Line((line.text,), line.xs[:1], line.y, line.size)
        else:
            yield line


def _with_tables(lines: Iterable[Line]) -> Iterator[tuple[Line, bool]]:
    """Yield lines, each with whether it is one of a table: of several that have their cells below each other."""
    for run in _aligned(lines):
        is_table = len(run[0].cells) > 1 and len(run) >= MIN_TABLE_LINES
        yield from ((line, is_table) for line in run)


def _aligned(lines: Iterable[Line]) -> Iterator[list[Line]]:
    run: list[Line] = []
    for line in lines:
        if run and not _same_columns(run[0], line):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _same_columns(line: Line, other: Line) -> bool:
    if len(line.cells) < 2 or len(line.cells) != len(other.cells):
        return False
    return all(abs(one - two) <= ALIGNED for one, two in zip(line.xs, other.xs, strict=True))


def _prose(lines: Sequence[Line], place: Locator, usual: Measures) -> Iterator[Block]:
    gap = _usual_gap(lines, usual)
    longest = max((len(line.text) for line in lines), default=0)
    group: list[Line] = []
    for line in lines:
        if group and _parts(group[-1], line, gap, longest, usual):
            yield from _block(group, place, usual)
            group = []
        group.append(line)
    if group:
        yield from _block(group, place, usual)


def _usual_gap(lines: Sequence[Line], usual: Measures) -> float:
    """The gap between most lines of the usual size, in points; 0 where there are no two."""
    gaps = Counter(
        round(one.y - two.y, 1)
        for one, two in itertools.pairwise(lines)
        if one.size == two.size == usual.body and 0 < one.y - two.y < 3 * one.size
    )
    # Of two that are as frequent the narrower one parts lines, and the wider one paragraphs.
    return min(gaps, key=lambda one: (-gaps[one], one), default=0.0)


def _parts(above: Line, line: Line, gap: float, longest: int, usual: Measures) -> bool:
    """Whether a paragraph ends between two lines."""
    if above.size != line.size and max(above.size, line.size) >= HEADING_SIZE * min(above.size, line.size):
        return True
    if line.size in usual.headings:
        return above.y - line.y > HEADING_GAP * line.size
    step = above.y - line.y
    if _MARK.match(line.text) or step < 0 or (gap and step > WIDE_GAP * gap):
        return True
    return _ENDS.search(above.text) is not None and len(above.text) < SHORT_LINE * longest


def _block(lines: Sequence[Line], place: Locator, usual: Measures) -> Iterator[Block]:
    text = joined_lines([line.text for line in lines], usual.hyphened)
    size = lines[0].size
    if not text.strip(BULLET + " "):
        return
    if size in usual.headings and len(text) <= MAX_HEADING_CHARS:
        level = min(usual.headings.index(size) + 1, MAX_LEVEL)
        yield Block(text=text, kind="heading", level=level, locator=place)
    else:
        yield Block(text=text, kind="list" if _MARK.match(text) else "paragraph", locator=place)


def joined_lines(lines: Sequence[str], hyphened: frozenset[str] = frozenset()) -> str:
    """Return the lines of a paragraph as one: words that were parted are whole again, Chinese has no blanks.

    Args:
        lines: in order.
        hyphened: words that have a hyphen of their own, in small letters.

    >>> joined_lines(["a re-", "markable well-", "known rule"], frozenset({"well-known"}))
    'a remarkable well-known rule'
    """
    text = ""
    for line in lines:
        before, after = _HYPHEN.search(text), _WORD_START.match(line)
        if before and after and after[0][0].islower():
            whole = f"{before[1]}-{after[0]}".lower()
            text = (text if whole in hyphened else text[:-1]) + line
        elif text and not (text[-1] >= FIRST_WIDE and line[:1] >= FIRST_WIDE):
            text += f" {line}"
        else:
            text += line
    return text


def across_pages(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of all pages; the end of a sentence that goes on over the page stands with its beginning."""
    found: list[Block] = []
    for block in blocks:
        if found and _goes_on(found[-1], block):
            stop = _STOP.search(block.text)
            end = stop.end() if stop else len(block.text)
            text = joined_lines([found[-1].text, block.text[:end]])
            found[-1] = found[-1].evolve(text=text)
            block = block.evolve(text=block.text[end:].strip())
        if block.text:
            found.append(block)
    return found


def _goes_on(above: Block, block: Block) -> bool:
    if (above.kind, block.kind) != ("paragraph", "paragraph") or above.locator == block.locator:
        return False
    last, first = above.text[-1], block.text[0]
    if len(above.text) < MIN_BROKEN_CHARS:
        return False
    return not _ENDS.search(above.text) and (first.islower() or (last >= FIRST_WIDE and first >= FIRST_WIDE))
