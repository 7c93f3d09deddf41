"""HTML: headings, paragraphs, lists, tables and code, without what a reader of the page does not see."""

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import NavigableString, PreformattedString

from memu_py.documents.lists import as_lists
from memu_py.documents.reading import Bounds, Reading, own_title
from memu_py.documents.tables import row, table_blocks
from memu_py.documents.web_tables import is_data_table, table_rows
from memu_py.language.wordlist import words
from memu_py.modality.blocks import Block, BlockKind
from memu_py.modality.encoding import decode
from memu_py.modality.raw import Raw

SKIPPED = words(
    "script style noscript template svg math canvas nav iframe object embed head button select input textarea "
    "dialog audio video picture"
)
PARTS = words(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu ol p pre section summary table tbody td tfoot th thead tr "
    "ul caption"
)
"""Elements that begin a line of their own."""
SCOPES = frozenset({"article", "main", "section", "blockquote"})
"""A head or foot in one of them belongs to it, and is no head or foot of the page."""
DECLARED_BYTES = 4096

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HEADING = re.compile(r"h[1-6]")
_GB = frozenset({"gb2312", "gbk", "gb_2312-80", "x-gbk"})
"""Read as GB 18030, which holds them: pages often hold more than they say."""


def read_html(data: bytes, bounds: Bounds) -> Reading:
    """Read a web page; nothing is fetched."""
    text, warning = page_text(data, bounds.charset)
    soup = BeautifulSoup(text, "lxml")
    page = _Page(bounds.max_rows)
    blocks = tuple(as_lists(page.blocks(soup)))
    warnings = (*([warning] if warning else []), *page.warnings)
    return Reading(blocks=blocks, title=_title(soup), warnings=warnings)


def page_text(data: bytes, charset: str | None = None) -> tuple[str, str | None]:
    """Return the text of a page as it was made: by what is known, its byte order mark, or what it says of itself.

    Returns:
        The text, and a warning where the encoding is a guess.
    """
    said = charset or EncodingDetector.find_declared_encoding(data[:DECLARED_BYTES], is_html=True)
    marked = data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    if said and said.lower() in _GB:
        said = "gb18030"
    # A page whose bytes could be read as UTF-16 could not say so in ASCII.
    wrong = not charset and said is not None and said.lower().startswith("utf-16")
    found = decode(Raw(data=data, charset=None if marked or wrong else said))
    return found.text, found.warning


def _title(soup: BeautifulSoup) -> str | None:
    return own_title(soup.title.get_text()) if soup.title is not None else None


@dataclasses.dataclass(slots=True)
class _Page:
    """Reads one page.

    Attributes:
        rows_left: rows of tables that are read yet.
        warnings: what was left out.
    """

    rows_left: int
    warnings: list[str] = dataclasses.field(default_factory=list)

    def blocks(self, element: Tag, *, kind: BlockKind = "paragraph", scope: bool = False) -> Iterator[Block]:
        """Yield the blocks in an element.

        Args:
            element: it holds other elements, text, or both.
            kind: what its text is, unless an element in it says so.
            scope: it is within a part of the page that has its own head and foot.
        """
        line: list[str] = []
        for child in element.children:
            if isinstance(child, Tag) and _is_part(child):
                yield from _flushed(line, kind)
                yield from self._part(child, kind, scope)
            elif isinstance(child, Tag):
                line.append(_words(child))
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                line.append(re.sub(r"\s+", " ", child))
        yield from _flushed(line, kind)

    def _part(self, part: Tag, kind: BlockKind, scope: bool) -> Iterator[Block]:
        name = part.name
        if _is_hidden(part):
            return
        if _HEADING.fullmatch(name):
            yield Block(text=" ".join(_words(part).split()), kind="heading", level=int(name[1]))
        elif name == "pre":
            yield Block(text=part.get_text().strip("\n"), kind="code")
        elif name == "table" and is_data_table(part):
            yield from self._table(part)
        elif name == "dl":
            yield from _terms(part)
        elif name == "li":
            yield from self._point(part, scope)
        else:
            margin = name in ("header", "footer") and not scope
            inner: BlockKind = "context" if margin else kind
            yield from self.blocks(part, kind=inner, scope=scope or name in SCOPES)

    def _point(self, point: Tag, scope: bool) -> Iterator[Block]:
        """Yield a point of a list, and what is nested in it."""
        for block in self.blocks(point, kind="list", scope=scope):
            yield block.evolve(text=block.text.replace("\n", " ")) if block.kind == "list" else block

    def _table(self, table: Tag) -> Iterator[Block]:
        head, rows = table_rows(table, _words)
        if len(rows) > self.rows_left:
            self.warnings.append(f"a table is read up to its row {self.rows_left} (documents.max_rows)")
            rows = rows[: self.rows_left]
        self.rows_left -= len(rows)
        if table.caption is not None:
            yield Block(text=_words(table.caption))
        filled = [row(number, cells) for number, cells in enumerate(filter(any, rows), start=1)]
        yield from table_blocks(filled, head=head)


def _flushed(line: list[str], kind: BlockKind) -> Iterator[Block]:
    """Yield what was collected as a block, and forget it."""
    text = "\n".join(" ".join(one.split()) for one in "".join(line).split("\n")).strip()
    line.clear()
    if text:
        yield Block(text=text, kind=kind)


def _is_part(tag: Tag) -> bool:
    """Whether an element stands apart, or holds one that does."""
    return tag.name in PARTS or tag.find(lambda one: one.name in PARTS) is not None


def _is_hidden(tag: Tag) -> bool:
    if tag.name in SKIPPED or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    return tag.get("role") == "navigation" or _HIDDEN_STYLE.search(str(tag.get("style") or "")) is not None


def _words(tag: Tag) -> str:
    """The text of an element within a line: a line break is kept, other white space is one blank."""
    if _is_hidden(tag):
        return ""
    if tag.name == "br":
        return "\n"
    return "".join(_word(child) for child in tag.children)


def _word(child: Any) -> str:
    if isinstance(child, Tag):
        return f" {_words(child)} " if child.name in PARTS else _words(child)
    return "" if isinstance(child, PreformattedString) else re.sub(r"\s+", " ", child)


def _terms(terms: Tag) -> Iterator[Block]:
    """Yield a list of terms, each with what it means."""
    term = ""
    for child in terms.find_all(["dt", "dd"]):
        words = " ".join(_words(child).split())
        if child.name == "dt":
            term = words
        elif words:
            yield Block(text=f"{term}: {words}" if term else words, kind="list")
