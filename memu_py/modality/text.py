"""Plain text: paragraphs, in groups of sentences."""

from memu_py.errors import InvalidInput
from memu_py.modality.encoding import Decoded, decode
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.segments import passage, prose
from memu_py.modality.title import title

TEXT = "text"
PLAIN_TYPE = "text/plain"


class TextParser:
    """Reads any text."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether the content is text at all."""
        return text is not None

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read text.

        Raises:
            InvalidInput: there is nothing but white space.
        """
        decoded = readable(raw)
        text = decoded.text
        found = prose(text, (0, len(text)), max_chars=options.group_chars)
        segments = tuple(passage(text, span, place, kind) for place, (span, kind) in enumerate(found))
        return Parsed(
            text=text,
            segments=segments,
            modality=TEXT,
            media_type=PLAIN_TYPE,
            title=title(name=raw.name, text=text),
            warnings=(decoded.warning,) if decoded.warning else (),
        )


def readable(raw: Raw) -> Decoded:
    """Return the text of a document.

    Raises:
        InvalidInput: there is nothing but white space.
    """
    decoded = decode(raw)
    if not decoded.text.strip():
        msg = "there is nothing to read but white space"
        raise InvalidInput(msg)
    return decoded
