"""From bytes to text.

In order: a byte order mark; UTF-8; GB18030, if what it gives looks Chinese; Windows-1252; Latin-1, which reads
anything. The last three are guesses and come with a warning.
"""

import codecs
import re
from typing import NamedTuple

from memu_py.modality.raw import Raw

GUESSES = (
    ("utf-8", "surrogatepass", None),
    ("gb18030", "strict", "not UTF-8; read as GB 18030"),
)
REPLACEMENT = "\ufffd"

MAX_CONTROL_SHARE = 0.02
"""Bytes of which more turn into control characters are no text."""
MIN_COMMON_SHARE = 0.5
"""GB18030 is believed when so many of the characters beyond ASCII are common Chinese ones."""
SAMPLE_CHARS = 4096

# The mark of UTF-32 LE begins with that of UTF-16 LE: longer ones first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_CONTROL = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")


class Decoded(NamedTuple):
    """Text made of bytes.

    Attributes:
        text: without a byte order mark; NUL and lone surrogates are U+FFFD.
        charset: how it was read.
        warning: set when that was a guess.
        sure: whoever made the bytes said how, and it fits.
        binary: the bytes are hardly text.
    """

    text: str
    charset: str
    warning: str | None = None
    sure: bool = False
    binary: bool = False


def storable(text: str) -> str:
    """Return the text with each NUL and lone surrogate replaced by U+FFFD, which keeps all offsets."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def decode(raw: Raw) -> Decoded:
    """Return the text of some bytes; never fails."""
    known = _known(raw)
    if known is not None:
        return Decoded(text=storable(known), charset=raw.charset or "", sure=True)
    text, charset, guessed = _marked(raw.data) or _guessed(raw.data)
    warning = f"the encoding is not UTF-8; read as {charset}" if guessed else None
    return Decoded(text=storable(text), charset=charset, warning=warning, binary=_is_binary(text))


def _known(raw: Raw) -> str | None:
    if raw.charset is None:
        return None
    try:
        return raw.data.decode(raw.charset, _policy(raw.charset))
    except (LookupError, ValueError):
        return None


def _policy(charset: str) -> str:
    """Text that a program hands over may hold halves of surrogate pairs."""
    return "surrogatepass" if codecs.lookup(charset).name.startswith("utf-") else "strict"


def _marked(data: bytes) -> tuple[str, str, bool] | None:
    for mark, charset in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(charset, "surrogatepass"), charset, False
            except UnicodeDecodeError:
                continue
    return None


def _guessed(data: bytes) -> tuple[str, str, bool]:
    try:
        return data.decode("utf-8", "surrogatepass"), "utf-8", False
    except UnicodeDecodeError:
        pass
    for charset in ("gb18030", "cp1252"):
        try:
            text = data.decode(charset)
        except UnicodeDecodeError:
            continue
        if charset != "gb18030" or _looks_chinese(text):
            return text, charset, True
    return data.decode("latin-1"), "latin-1", True


def _looks_chinese(text: str) -> bool:
    """Whether most characters beyond ASCII are of GB 2312: in misread Latin text they are rare ones."""
    beyond = "".join(char for char in text[: SAMPLE_CHARS * 4] if not char.isascii())[:SAMPLE_CHARS]
    common = len(beyond.encode("gb2312", "ignore")) / 2
    return common >= MIN_COMMON_SHARE * len(beyond)


def _is_binary(text: str) -> bool:
    sample = text[:SAMPLE_CHARS]
    return len(_CONTROL.findall(sample)) > MAX_CONTROL_SHARE * len(sample)
