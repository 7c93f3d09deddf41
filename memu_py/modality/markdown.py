"""Markdown: sections, paragraphs, lists; code and tables in one piece each.

Blocks are found by markdown-it (CommonMark and tables), which knows the lines they stand in; the segments are cut
from the original, mark-up included, so that offsets are exact.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.segments import SAMPLE_CHARS, Span, passage, prose, trimmed
from memu_py.modality.text import readable
from memu_py.modality.title import title
from memu_py.records.resource import Segment, SegmentKind

MARKDOWN = "markdown"
MARKDOWN_TYPE = "text/markdown"
SECTION = "section"
"""Metadata: the headings above a segment, outermost first."""
BLOCK = "block"
"""Metadata: what a segment is, when it is no paragraph: code, table, list, front matter."""
STATEMENT_CHARS = 40
"""Points of a list that are this long on average say something each; shorter ones belong together."""
MIN_SIGNS = 2
"""Kinds of weaker signs, such as a list or a link, that make a text Markdown where there is no heading."""

_GRAMMAR = MarkdownIt("commonmark").enable("table")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n]|\Z)")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_FRONT_TITLE = re.compile(r"^title:[ \t]*(\S.*?)[ \t]*\r?$", re.MULTILINE)
_FRONT_KEY = re.compile(r"^[A-Za-z][\w-]*:", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_WEAK_SIGNS = (
    re.compile(r"^ {0,3}[-*+][ \t]+\S.*\r?\n(?:.*\n)?? {0,3}[-*+][ \t]+\S", re.MULTILINE),
    re.compile(r"^ {0,3}1[.)][ \t]+\S.*\r?\n(?:.*\n)?? {0,3}2[.)][ \t]+\S", re.MULTILINE),
    re.compile(r"^ {0,3}>[ \t]?\S", re.MULTILINE),
    re.compile(r"!?\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"(?<![\w*])\*\*[^*\s][^*\n]{0,200}\*\*(?!\*)"),
    re.compile(r"(?<!`)`[^`\n]{1,200}`(?!`)"),
    re.compile(r"^ {0,3}(?:={3,}|-{3,})[ \t]*\r?$", re.MULTILINE),
)
_TABLE = re.compile(r"^ {0,3}\|?[ \t]*:?-{2,}:?[ \t]*\|[ \t:|-]*\r?$", re.MULTILINE)
_COMMENT = re.compile(r"\s*<!--[\s\S]*-->\s*\Z")
_MARKS = re.compile(r"[*_`]+|\[([^\]]{0,200})\]\([^)]{0,500}\)")


class _Block(NamedTuple):
    """One block at the top of the document, or one point of a list."""

    kind: str
    first: int
    last: int
    level: int = 0
    words: str = ""
    points: tuple[tuple[int, int], ...] = ()


class _Piece(NamedTuple):
    span: Span
    kind: SegmentKind
    metadata: Mapping[str, Any]


class MarkdownParser:
    """Reads Markdown."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether a text has the marks of Markdown: a heading, a table, a code block, or two lesser ones."""
        return text is not None and looks_like_markdown(text)

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read Markdown.

        Raises:
            InvalidInput: there is nothing but white space.
        """
        decoded = readable(raw)
        text = decoded.text
        reader = _Reader(text, options.group_chars)
        segments = tuple(_segments(text, reader.pieces()))
        return Parsed(
            text=text,
            segments=segments,
            modality=MARKDOWN,
            media_type=MARKDOWN_TYPE,
            title=title(heading=reader.heading, name=raw.name, text=text),
            warnings=(decoded.warning,) if decoded.warning else (),
        )


def looks_like_markdown(text: str) -> bool:
    """Tell whether a text has the marks of Markdown."""
    text = text[:SAMPLE_CHARS]
    if _front_matter(text) or _TABLE.search(text) or len(_FENCE.findall(text)) > 1:
        return True
    if _HEADING.search(text) and "\n" in text.strip():
        return True
    return sum(sign.search(text) is not None for sign in _WEAK_SIGNS) >= MIN_SIGNS


def _front_matter(text: str) -> Span | None:
    match = _FRONT_MATTER.match(text)
    return match.span() if match and _FRONT_KEY.search(match.group()) else None


def _segments(text: str, pieces: Iterable[_Piece]) -> Iterator[Segment]:
    ordinal = 0
    for piece in pieces:
        start, end = trimmed(text, piece.span)
        if start < end:
            yield passage(text, (start, end), ordinal, piece.kind, piece.metadata)
            ordinal += 1


class _Reader:
    """Cuts one document."""

    def __init__(self, text: str, group_chars: int) -> None:
        self._text = text
        self._group_chars = group_chars
        front = _front_matter(text)
        self._front = front
        self._body = front[1] if front else 0
        # Where each line of the body begins, and the end of the last.
        self._lines = [*(match.start() for match in _LINE.finditer(text, self._body)), len(text)]
        self._blocks = _blocks(text[self._body :])
        self.heading = self._title()

    def pieces(self) -> Iterator[_Piece]:
        """Yield what becomes segments, in order."""
        if self._front:
            yield _Piece(self._front, "context", {BLOCK: "front matter"})
        path: list[tuple[int, str]] = []
        for place, block in enumerate(self._blocks):
            if block.kind == "heading":
                path = [*(one for one in path if one[0] < block.level), (block.level, block.words)]
                if self._is_bare(place):
                    yield _Piece(self._span(block.first, block.last), "paragraph", _section(path[:-1]))
            else:
                yield from self._of_block(block, _section(path))

    def _is_bare(self, place: int) -> bool:
        """Whether a heading has nothing below it: then it is a statement of its own."""
        following = self._blocks[place + 1] if place + 1 < len(self._blocks) else None
        if following is None:
            return True
        return following.kind == "heading" and following.level <= self._blocks[place].level

    def _title(self) -> str | None:
        if self._front:
            found = _FRONT_TITLE.search(self._text, *self._front)
            if found:
                return found.group(1).strip("\"'")
        return next((block.words for block in self._blocks if block.kind == "heading"), None)

    def _span(self, first: int, last: int) -> Span:
        """The characters of some lines, `last` excluded."""
        end = len(self._lines) - 1
        return self._lines[min(first, end)], self._lines[min(last, end)]

    def _of_block(self, block: _Block, section: Mapping[str, Any]) -> Iterator[_Piece]:
        span = self._span(block.first, block.last)
        if block.kind in ("code", "table"):
            more = {"language": block.words} if block.words else {}
            yield _Piece(span, "paragraph", {**section, BLOCK: block.kind, **more})
        elif block.kind == "list":
            for group in self._points(block.points):
                yield from self._prose(group, {**section, BLOCK: "list"})
        elif block.kind != "html" or not _COMMENT.match(self._text[slice(*span)]):
            yield from self._prose(span, section)

    def _prose(self, span: Span, metadata: Mapping[str, Any]) -> Iterator[_Piece]:
        start, end = trimmed(self._text, span)
        if end - start <= self._group_chars:
            yield _Piece((start, end), "paragraph", metadata)
            return
        for part, kind in prose(self._text, (start, end), max_chars=self._group_chars):
            yield _Piece(part, kind, metadata)

    def _points(self, points: Sequence[tuple[int, int]]) -> Iterator[Span]:
        """Pack the points of a list into groups, each point whole with what is nested in it; long ones stand alone."""
        spans = [trimmed(self._text, self._span(first, last)) for first, last in points]
        alone = sum(end - start for start, end in spans) >= STATEMENT_CHARS * len(spans)
        group: Span | None = None
        for start, end in spans:
            if group and (alone or end - group[0] > self._group_chars):
                yield group
                group = None
            group = (group[0] if group else start, end)
        if group:
            yield group


def _section(path: Sequence[tuple[int, str]]) -> dict[str, Any]:
    return {SECTION: [words for _, words in path]} if path else {}


_KINDS = {
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "html_block": "html",
    "paragraph_open": "paragraph",
    "blockquote_open": "paragraph",
}


def _blocks(text: str) -> list[_Block]:
    # Only blocks are wanted: parsing what is inside them would cost most of the time.
    tokens: list[Token] = []
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    _GRAMMAR.block.parse(source, _GRAMMAR, {}, tokens)
    return list(_top_blocks(tokens))


def _top_blocks(tokens: Sequence[Token]) -> Iterator[_Block]:
    for place, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if token.level or kind is None or token.map is None:
            continue
        first, last = token.map
        if kind == "heading":
            words = " ".join(_MARKS.sub(r"\1", tokens[place + 1].content).split())
            yield _Block(kind, first, last, level=int(token.tag[1:]), words=words)
        elif kind == "list":
            yield _Block(kind, first, last, points=_points_of(tokens, place))
        else:
            yield _Block(kind, first, last, words=token.info.strip())


def _points_of(tokens: Sequence[Token], opening: int) -> tuple[tuple[int, int], ...]:
    following = (tokens[place] for place in range(opening + 1, len(tokens)))
    inside = itertools.takewhile(lambda token: token.level > 0, following)
    points = (token.map for token in inside if token.type == "list_item_open" and token.level == 1)
    return tuple((one[0], one[1]) for one in points if one is not None)
