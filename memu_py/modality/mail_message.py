"""The parts of a mail: its headers as text, what it says, and what is attached to it.

Mail that is no better than most breaks some rule of its format; what cannot be understood is empty, or as it was sent.
"""

import email
import email.errors
import email.header
import email.policy
import email.utils
from email.message import Message
from typing import Any

from memu_py.modality.encoding import decode, storable
from memu_py.modality.raw import Raw

BROKEN = (ValueError, LookupError, TypeError, AttributeError, AssertionError, email.errors.MessageError)
"""What the library raises for a header that it cannot understand."""
MAX_PARTS = 1000
"""Nobody writes a message of more; one who nests them by thousands means harm."""
PLAIN, HTML = "text/plain", "text/html"
_PLAINNESS = (PLAIN, "multipart/related", "multipart/mixed", HTML)
MESSAGE = "message/rfc822"


class _AsWritten(email.policy.Compat32):
    """Gives headers as they were sent; bytes in them that are no ASCII are text in some encoding."""

    def header_fetch_parse(self, name: str, value: Any) -> Any:
        return decode(Raw(data=str(value).encode("utf-8", "surrogateescape"))).text


def read_message(data: bytes) -> Message:
    """Return a mail.

    Raises:
        RecursionError: it is nested beyond reason.
    """
    return email.message_from_bytes(data, policy=_AsWritten())


def field(message: Message, name: str) -> str:
    """Return a field of the head as text on one line; empty for none."""
    return decoded_words(_written(message, name))


def sender(message: Message) -> tuple[str, str]:
    """Return the name and the address of who sends a mail; each may be empty."""
    # Split before it is decoded: a name may hold a comma.
    name, address = email.utils.parseaddr(_written(message, "From"))
    return decoded_words(name), storable(address)


def decoded_words(text: str) -> str:
    """Return a header on one line, its encoded words decoded.

    >>> decoded_words("=?utf-8?B?5pCs5a62?= (2)")
    '搬家 (2)'
    """
    try:
        pieces = email.header.decode_header(text)
    except BROKEN:
        pieces = [(text, None)]
    return " ".join(storable("".join(_piece(*piece) for piece in pieces)).split())


def _piece(piece: bytes | str, charset: str | None) -> str:
    if isinstance(piece, str):
        return piece
    if charset is None:
        # How the library hands over what stands between encoded words.
        return piece.decode("raw-unicode-escape", "replace")
    return decode(Raw(data=piece, charset=charset)).text


def _written(message: Message, name: str) -> str:
    return str(message.get(name, ""))


def file_name(part: Message) -> str:
    """Return the name that an attached file has; empty for none."""
    try:
        return decoded_words(part.get_filename() or "")
    except BROKEN:
        return "file"


def content(part: Message) -> bytes:
    """Return the bytes of a part."""
    try:
        payload = part.get_payload(decode=True)
    except BROKEN:
        return b""
    return payload if isinstance(payload, bytes) else b""


def charset(part: Message) -> str | None:
    """Return how a part says that its text was made bytes."""
    try:
        return part.get_content_charset()
    except BROKEN:
        return None


def text(part: Message) -> str:
    """Return the text of a part."""
    return decode(Raw(data=content(part), charset=charset(part))).text


def parts(message: Message) -> tuple[list[Message], list[Message]]:
    """Return the texts of a mail, plain or HTML, and what is attached to it; of several forms the plainest."""
    bodies: list[Message] = []
    attached: list[Message] = []
    waiting = [message]
    for _ in range(MAX_PARTS):
        if not waiting:
            break
        part = waiting.pop(0)
        if part.get_content_maintype() == "multipart":
            waiting[:0] = _inner(part)
        elif part.get_content_type() in (PLAIN, HTML) and not _is_attached(part):
            bodies.append(part)
        else:
            attached.append(part)
    return bodies, attached


def inner_message(part: Message) -> Message | None:
    """Return the mail that is attached as a part."""
    if part.get_content_type() != MESSAGE:
        return None
    payload = part.get_payload()
    return payload[0] if isinstance(payload, list) and isinstance(payload[0], Message) else None


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    inner = [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []
    if part.get_content_subtype() == "alternative" and inner:
        return [min(inner, key=_plainness)]
    return inner


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(file_name(part))


def _plainness(part: Message) -> int:
    kind = part.get_content_type()
    if kind == PLAIN and not content(part).strip():
        # Some programs send an empty one beside the page that they mean.
        return len(_PLAINNESS) + 1
    return _PLAINNESS.index(kind) if kind in _PLAINNESS else len(_PLAINNESS)
