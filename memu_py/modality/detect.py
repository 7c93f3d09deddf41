"""What an input is, told by its content and not by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from memu_py.errors import InvalidInput, UnsupportedModality
from memu_py.modality.conversation import CONVERSATION, ConversationParser
from memu_py.modality.encoding import Decoded, decode
from memu_py.modality.markdown import MARKDOWN, MarkdownParser
from memu_py.modality.media import MediaParser
from memu_py.modality.parser import Parser
from memu_py.modality.raw import Raw
from memu_py.modality.signature import markup, signature
from memu_py.modality.text import TEXT, TextParser
from memu_py.modality.transcript import TRANSCRIPT, TranscriptParser
from memu_py.nearest import unknown

AnyParser = Parser | MediaParser

PARSERS: Mapping[str, Parser] = MappingProxyType(
    {
        CONVERSATION: ConversationParser(),
        TRANSCRIPT: TranscriptParser(),
        MARKDOWN: MarkdownParser(),
        TEXT: TextParser(),
    }
)
"""The parsers of texts by modality, in the order in which they are asked; what is no text is asked for before."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {TEXT: tuple(PARSERS), CONVERSATION: (CONVERSATION, TRANSCRIPT)}
)
"""Modalities that name several; the content decides among them."""

CONTROL_HINT = "pass text as UTF-8, or install a plug-in that reads this"
PACKED = "a ZIP archive"
PACKED_HINT = "`service.memorize_all(path, …)` or `memu memorize PATH` takes in what is in it"


def detect(raw: Raw, modality: str | None = None, *, parsers: Mapping[str, AnyParser] = PARSERS) -> str:
    """Return the modality of an input, a key of `parsers`.

    Args:
        raw: what came in.
        modality: what the caller says it is; `text` is any of conversation, transcript, Markdown and plain text,
            `conversation` may be a transcript, any other name is taken at its word. None lets the content tell.
        parsers: by modality, in the order in which they are asked.

    Raises:
        UnsupportedModality: nothing of this name is there, or nothing reads this content; says what it looks like.
        InvalidInput: there is no content.
    """
    if modality is not None and modality not in parsers:
        raise UnsupportedModality(unknown("modality", modality, parsers))
    if not raw.data.strip():
        msg = "there is no content"
        raise InvalidInput(msg)
    if modality is not None and modality not in FAMILIES:
        return modality
    decoded = decode(raw)
    looks_like = _foreign(raw, decoded)
    text = None if looks_like else decoded.text
    found = _first(raw, text, modality, parsers)
    if found is None:
        raise _unsupported(looks_like, modality, parsers)
    if modality is None and found == TEXT and not decoded.sure and (kind := markup(raw.data)):
        raise _unsupported(kind, modality, parsers)
    return found


def _foreign(raw: Raw, decoded: Decoded) -> str | None:
    """What the bytes look like when they are no text."""
    if decoded.sure or raw.messages is not None:
        return None
    return signature(raw.data) or ("binary data" if decoded.binary else None)


def _first(raw: Raw, text: str | None, modality: str | None, parsers: Mapping[str, AnyParser]) -> str | None:
    order = FAMILIES[modality] if modality else tuple(parsers)
    known = [name for name in order if name in parsers]
    found = next((name for name in known if parsers[name].accepts(raw, text)), None)
    # What is said to be a conversation and is none gets its parser's word on what is wrong.
    return modality if found is None and modality == CONVERSATION and text is not None else found


def _unsupported(
    looks_like: str | None, modality: str | None, parsers: Mapping[str, AnyParser]
) -> UnsupportedModality:
    supported = ", ".join(parsers)
    said = f"this is no {modality}: it looks like" if modality else "this looks like"
    msg = f"{said} {looks_like or 'nothing known'}, which nothing here reads; supported are {supported}"
    return UnsupportedModality(msg, hint=PACKED_HINT if looks_like == PACKED else CONTROL_HINT)
