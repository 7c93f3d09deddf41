"""Conversations as messages in JSON or JSON Lines, in the forms of the chat APIs."""

from collections.abc import Iterable, Sequence

from memu_py.errors import InvalidInput
from memu_py.modality.chat import read_entry
from memu_py.modality.encoding import decode
from memu_py.modality.messages import Entries, load_messages, looks_like_messages
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.segments import turns
from memu_py.modality.title import title
from memu_py.records.message import Message
from memu_py.records.resource import Segment

CONVERSATION = "conversation"
JSON_TYPE = "application/json"
LINES_TYPE = "application/x-ndjson"


class ConversationParser:
    """Reads messages. System text, tool calls and their results are context; everything else is a turn.

    The text of the resource is a transcript: each message in a line of its own behind its speaker, so that a
    conversation that grew has the text of the shorter one as its beginning.
    """

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the content is messages, or was meant to be."""
        return raw.messages is not None or (text is not None and looks_like_messages(text))

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read messages.

        Raises:
            InvalidInput: it is no JSON, holds no messages, or a message has no usable content; says which.
        """
        loaded, warnings = _load(raw)
        messages: list[Message] = []
        entry_of: list[int] = []
        for place, entry in enumerate(loaded.entries):
            read = read_entry(entry, place + 1, options.zone)
            messages += read.messages
            entry_of += [place] * len(read.messages)
            warnings += read.warnings
        if not messages:
            msg = "there is no message with any content"
            raise InvalidInput(msg)
        text, segments, owners = rendered(messages, entry_of, turn_chars=options.turn_chars)
        return Parsed(
            text=text,
            segments=segments,
            modality=CONVERSATION,
            media_type=LINES_TYPE if loaded.lines else JSON_TYPE,
            title=title(heading=loaded.title, name=raw.name, url=raw.url, text=_first_words(segments)),
            warnings=tuple(warnings),
            messages=loaded.entries,
            owners=owners,
        )


def _load(raw: Raw) -> tuple[Entries, list[str]]:
    if raw.messages is not None:
        return Entries(entries=raw.messages), []
    decoded = decode(raw)
    return load_messages(decoded.text), [decoded.warning] if decoded.warning else []


def rendered(
    messages: Sequence[Message], entry_of: Sequence[int], *, turn_chars: int
) -> tuple[str, tuple[Segment, ...], tuple[int, ...]]:
    """Return messages as a transcript, its segments, and for each of these where its message came from.

    Args:
        messages: in order.
        entry_of: where each came from, such as its place in a file.
        turn_chars: a longer turn is split between sentences.
    """
    lines: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for message in messages:
        label = f"{message.speaker or message.role}: "
        lines.append(f"{label}{message.text}\n")
        spans.append((length + len(label), length + len(label) + len(message.text)))
        length += len(lines[-1])
    text = "".join(lines)
    segments: list[Segment] = []
    owners: list[int] = []
    for message, span, owner in zip(messages, spans, entry_of, strict=True):
        made = list(turns(message, text, span, len(segments), turn_chars=turn_chars))
        segments += made
        owners += [owner] * len(made)
    return text, tuple(segments), tuple(owners)


def _first_words(segments: Iterable[Segment]) -> str:
    return next((segment.text for segment in segments if segment.kind == "turn"), "")
