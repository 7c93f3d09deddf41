"""The contract of a parser, and what it returns.

A parser of a plug-in is registered as `registry.add("parser", "<modality>", parser)`.
"""

import dataclasses
from datetime import UTC, tzinfo
from typing import Any, Protocol

from memu_py.modality.raw import Raw
from memu_py.records.record import Record
from memu_py.records.resource import Segment

DEFAULT_GROUP_CHARS = 400
DEFAULT_TURN_CHARS = 1200


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ParseOptions(Record):
    """How to read.

    Attributes:
        zone: of times that carry none.
        group_chars: the most characters of a group of sentences or list points.
        turn_chars: a longer turn is split between sentences.
    """

    zone: tzinfo = UTC
    group_chars: int = DEFAULT_GROUP_CHARS
    turn_chars: int = DEFAULT_TURN_CHARS


DEFAULT_OPTIONS = ParseOptions()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Parsed(Record):
    """A resource as text.

    Attributes:
        text: of the whole resource, NUL and lone surrogates replaced by U+FFFD. For documents it is the decoded
            original, character for character; for messages a transcript made of them.
        segments: in order; `text[segment.start:segment.end] == segment.text` for each.
        modality: what it was read as.
        media_type: of the original, such as `text/markdown`.
        title: a line to show.
        warnings: what could not be read as it was probably meant.
        messages: the entries of a conversation given as messages, in order.
        owners: for each segment the place of its entry in `messages`; empty for other modalities.
    """

    text: str
    segments: tuple[Segment, ...]
    modality: str
    media_type: str
    title: str = ""
    warnings: tuple[str, ...] = ()
    messages: tuple[Any, ...] = ()
    owners: tuple[int, ...] = ()


class Parser(Protocol):
    """Reads one modality. Synchronous and pure; it may take long, so call it in a thread.

    What needs a model or other tools is read by a `memu_py.modality.media.MediaParser`.
    """

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell from the content whether this is what the parser reads.

        Args:
            raw: what came in.
            text: its decoded text; None when the bytes are no text.
        """
        ...

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read it.

        Raises:
            InvalidInput: it is not well-formed, or holds nothing.
            UnsupportedModality: it is something else.
        """
        ...
