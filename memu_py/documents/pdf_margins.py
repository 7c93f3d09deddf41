"""Running heads, feet and page numbers: what stands at the edges of page after page."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from memu_py.documents.pdf_lines import Line

EDGE_LINES = 2
"""Lines at the top of a page, and at its foot, that may belong to no text."""
MIN_PAGES = 3
MIN_SHARE = 0.4
"""Share of the pages between the first and the last with a running head that bear it: left ones may have another."""

_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|pagina|página|p\.|第)\s*)?\d{1,4}(?:\s*(?:of|/|von|de|共)\s*\d{1,4}|\s*页)*\s*页?\W*",
    re.I,
)
_OUTER_NUMBER = re.compile(r"^\d{1,4}(?=\s)|(?<=\s)\d{1,4}$")
_ROMAN = re.compile(r"[ivxlc]{1,6}")


def without_margins(
    pages: Sequence[Sequence[Line]], headings: Collection[float] = ()
) -> tuple[list[list[Line]], list[str]]:
    """Return the lines of each page without what repeats at its edges, and what was left out, each once.

    Args:
        pages: the lines of each.
        headings: sizes of letters in which no running head is written.
    """
    kept: list[list[Line]] = []
    dropped: dict[str, str] = {}
    edges = [{one for one in _edges(lines) if lines[one].size not in headings} for lines in pages]
    repeated = _repeated(pages, edges)
    for number, (lines, places) in enumerate(zip(pages, edges, strict=True), start=1):
        numbers = {place for place in places if _is_number(lines[place], len(pages))}
        running = {place for place in places if _sign(lines[place], number) in repeated}
        for place in sorted(running - numbers):
            dropped.setdefault(_sign(lines[place], number), lines[place].text)
        kept.append([line for place, line in enumerate(lines) if place not in running | numbers])
    return kept, list(dropped.values())


def _repeated(pages: Sequence[Sequence[Line]], edges: Sequence[set[int]]) -> set[str]:
    """What stands at the edges of several pages near each other, most of which have something else too."""
    found: dict[str, list[int]] = {}
    alone: Counter[str] = Counter()
    for number, (lines, places) in enumerate(zip(pages, edges, strict=True), start=1):
        for sign in {_sign(lines[place], number) for place in places}:
            found.setdefault(sign, []).append(number)
            alone[sign] += len(lines) == 1
    return {sign for sign, on in found.items() if _is_running(on) and 2 * alone[sign] <= len(on)}


def _is_running(pages: Sequence[int]) -> bool:
    return len(pages) >= MIN_PAGES and len(pages) >= MIN_SHARE * (pages[-1] - pages[0] + 1)


def _edges(lines: Sequence[Line]) -> set[int]:
    """Places of the lines nearest to the upper and the lower edge, wherever in the order they are drawn."""
    heights = sorted({round(line.y) for line in lines})
    outer = {*heights[:EDGE_LINES], *heights[-EDGE_LINES:]}
    return set(_near(lines, outer))


def _near(lines: Sequence[Line], heights: set[int]) -> Iterator[int]:
    return (place for place, line in enumerate(lines) if round(line.y) in heights)


def _sign(line: Line, page: int) -> str:
    """What a line has in common with those of other pages: how far its number is from that of the page."""
    text = re.sub(rf"\b{page}\b", "#", line.text.casefold())
    sign = _OUTER_NUMBER.sub(lambda found: f"#{int(found[0]) - page:+d}", text)
    # The head of a table that goes on has several cells too, and no number.
    return sign if len(line.cells) == 1 or "#" in sign else f"{sign} on {page}"


def _is_number(line: Line, pages: int) -> bool:
    text = line.text
    return pages > 1 and (_NUMBER.fullmatch(text) is not None or _ROMAN.fullmatch(text) is not None)
