"""How segments are made: their spans, kinds and hashes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memu_py._core import content_hash, normalize_text
from memu_py.language.sentences import groups
from memu_py.records.message import Message
from memu_py.records.resource import Segment, SegmentKind

Span = tuple[int, int]

SAMPLE_CHARS = 65_536
"""What a text is can be told from its beginning."""

_LINE = re.compile(r"\r\n|[\n\r]")


def segment_hash(text: str, *, role: str | None = None, speaker: str | None = None) -> str:
    """Return what identifies a segment: BLAKE3 over role, speaker and normalised text, hex.

    >>> segment_hash("I like tea.", role="user") == segment_hash("i  like tea", role="user")
    True
    >>> segment_hash("I like tea.", role="user") == segment_hash("I like tea.", role="assistant")
    False
    """
    parts = [role, normalize_text(speaker) if speaker else None, normalize_text(text)]
    return content_hash(json.dumps(parts, ensure_ascii=False))


def turns(message: Message, text: str, span: Span, first: int, *, turn_chars: int) -> Iterator[Segment]:
    """Make the segments of one message: one, or several of a turn that is too long for one.

    Args:
        message: who says it, and when.
        text: of the resource.
        span: of what is said in it.
        first: ordinal of the first segment.
        turn_chars: a longer turn is split between sentences; context never is.
    """
    spans = [span]
    if span[1] - span[0] > turn_chars and not message.context:
        spans = list(spans_within(text, span, max_chars=turn_chars)) or spans
    for place, (start, end) in enumerate(spans):
        part = {"part": place + 1, "parts": len(spans)} if len(spans) > 1 else {}
        yield Segment(
            ordinal=first + place,
            kind="context" if message.context else "turn",
            text=text[start:end],
            start=start,
            end=end,
            hash=segment_hash(text[start:end], role=message.role, speaker=message.speaker),
            speaker=message.speaker,
            role=message.role,
            said_at=message.said_at,
            metadata={**message.metadata, **part},
        )


def passage(
    text: str,
    span: Span,
    ordinal: int,
    kind: SegmentKind,
    metadata: Mapping[str, Any] | None = None,
    *,
    speaker: str | None = None,
) -> Segment:
    """Make a segment of a document."""
    start, end = span
    return Segment(
        ordinal=ordinal,
        kind=kind,
        text=text[start:end],
        start=start,
        end=end,
        hash=segment_hash(text[start:end], speaker=speaker),
        speaker=speaker,
        metadata=metadata or {},
    )


def spans_within(text: str, span: Span, *, max_chars: int) -> Iterator[Span]:
    """Yield the groups of sentences within a span, in places of the whole text."""
    start, end = span
    for left, right in groups(text[start:end], max_chars=max_chars):
        yield start + left, start + right


def prose(text: str, span: Span, *, max_chars: int) -> Iterator[tuple[Span, SegmentKind]]:
    """Yield the groups of sentences within a span, each with whether it is a whole paragraph or a part of one."""
    spans = list(spans_within(text, span, max_chars=max_chars))
    for place, one in enumerate(spans):
        opens = place == 0 or blank_line(text[spans[place - 1][1] : one[0]])
        closes = place + 1 == len(spans) or blank_line(text[one[1] : spans[place + 1][0]])
        yield one, "paragraph" if opens and closes else "sentences"


def blank_line(between: str) -> bool:
    """Tell whether white space holds a blank line."""
    return len(_LINE.findall(between)) > 1


def trimmed(text: str, span: Span) -> Span:
    """Return a span without the white space at its ends; an empty one lies at its start."""
    start, end = span
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return start + left, max(start + left, start + len(piece.rstrip()))
