"""From the blocks that a reader finds in a document to its text and segments."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, Self

from memu_py.modality.encoding import storable
from memu_py.modality.markdown import BLOCK, SECTION
from memu_py.modality.segments import Span, passage, prose
from memu_py.records.locator import LOCATOR, Locator
from memu_py.records.record import Record
from memu_py.records.resource import Segment, SegmentKind

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "notes", "context"]
BETWEEN = "\n\n"
"""What stands between two blocks in the text of a document."""
HEADER = "header"
"""Metadata: the head of a table, on those of its pieces that do not hold it."""

_LINES = re.compile(r"[^\n]+")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Block(Record):
    """One piece of a document.

    Attributes:
        text: as it is shown; a table has a line for each row, a list for each point.
        kind: what it is. `context` is kept in the text and makes no memory.
        level: of a heading, from 1. A heading without text ends the sections of its level, and opens none.
        locator: where it stands in the original.
        metadata: more about it, kept with its segments.
        speaker: who says it, where somebody does, as in a letter.
        said_at: when, UTC.
    """

    text: str
    kind: BlockKind = "paragraph"
    level: int = 0
    locator: Locator = dataclasses.field(default_factory=Locator)
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    speaker: str | None = None
    said_at: datetime | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as it crosses from one process to another."""
        return {
            "text": self.text,
            "kind": self.kind,
            "level": self.level,
            "locator": self.locator.to_dict(),
            "metadata": dict(self.metadata),
            "speaker": self.speaker,
            "said_at": self.said_at.isoformat() if self.said_at else None,
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        said_at = datetime.fromisoformat(kept["said_at"]) if kept["said_at"] else None
        return cls(**{**kept, "locator": Locator.from_dict(kept["locator"]), "said_at": said_at})


def joined(
    blocks: Iterable[Block], *, max_chars: int | Callable[[str], int]
) -> tuple[str, tuple[Segment, ...]]:
    """Return the text of a document and its segments, whose spans lie in it.

    A heading stands in the text and in the `section` of what follows; alone it makes a segment only where nothing
    follows it. A table or list is one segment while it is no longer than `max_chars`, else it is cut between lines.

    Args:
        blocks: in order; empty ones are left out.
        max_chars: characters of a segment at most, but for a single longer line of a table; a function tells it for
            the text of a block, as a limit in tokens is another number of characters in each script.
    """
    kept = [block for one in blocks if (block := _clean(one)).text or block.kind == "heading"]
    segments: list[Segment] = []
    path: list[tuple[int, str]] = []
    at = 0
    text = BETWEEN.join(block.text for block in kept if block.text)
    for place, block in enumerate(kept):
        above = path
        if block.kind == "heading":
            above = [one for one in path if one[0] < block.level]
            path = [*above, (block.level, block.text)] if block.text else above
        if block.text:
            span = (at, at + len(block.text))
            if block.kind != "heading" or _is_bare(kept, place):
                most = max_chars if isinstance(max_chars, int) else max_chars(block.text)
                segments += _passages(text, span, block, above, len(segments), most)
            at = span[1] + len(BETWEEN)
    return text, tuple(segments)


def _clean(block: Block) -> Block:
    return block.evolve(text=storable(block.text).strip())


def _is_bare(blocks: list[Block], place: int) -> bool:
    """Whether a heading has nothing below it: then it is a statement of its own."""
    following = blocks[place + 1] if place + 1 < len(blocks) else None
    if following is None:
        return True
    return following.kind == "heading" and following.level <= blocks[place].level


def _passages(
    text: str, span: Span, block: Block, path: list[tuple[int, str]], first: int, max_chars: int
) -> Iterator[Segment]:
    metadata: dict[str, Any] = dict(block.metadata)
    if path:
        metadata[SECTION] = [words for _, words in path]
    if block.kind not in ("paragraph", "heading", "context"):
        metadata[BLOCK] = block.kind
    if where := block.locator.to_dict():
        metadata[LOCATOR] = where
    for place, (piece, kind) in enumerate(_pieces(text, span, block, max_chars)):
        more = _row_metadata(text, span, piece, block, metadata) if block.kind == "table" else {}
        made = passage(text, piece, first + place, kind, {**metadata, **more}, speaker=block.speaker)
        yield made.evolve(said_at=block.said_at)


def _pieces(text: str, span: Span, block: Block, max_chars: int) -> Iterator[tuple[Span, SegmentKind]]:
    if block.kind == "context":
        yield span, "context"
    elif block.kind in ("table", "list", "code", "notes") and span[1] - span[0] <= max_chars:
        yield span, "paragraph"
    elif block.kind in ("table", "list", "code"):
        yield from ((piece, "paragraph") for piece in _line_groups(text, span, max_chars))
    else:
        yield from prose(text, span, max_chars=max_chars)


def _line_groups(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    """Yield runs of whole lines."""
    start: int | None = None
    end = span[0]
    for line in _LINES.finditer(text, *span):
        if start is not None and line.end() - start > max_chars:
            yield start, end
            start = None
        start = line.start() if start is None else start
        end = line.end()
    if start is not None:
        yield start, end


def _row_metadata(
    text: str, span: Span, piece: Span, block: Block, metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Return which rows a piece of a table holds, and the head that stands in another piece."""
    more: dict[str, Any] = {}
    rows = block.locator.rows
    before = text.count("\n", span[0], piece[0])
    if rows is not None:
        first = rows[0] + before
        last = min(rows[1], first + text.count("\n", *piece))
        more[LOCATOR] = {**metadata[LOCATOR], "rows": [first, last]}
    if before and HEADER in metadata:
        more[HEADER] = metadata[HEADER]
    return more
