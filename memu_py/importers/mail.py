"""One message of a mailbox: its headers, and what it says apart from what it quotes."""

import dataclasses
import email
import email.errors
import email.header
import email.utils
import re
from email.message import Message
from html.parser import HTMLParser

from memu_py._core import bytes_hash, content_hash
from memu_py.modality.encoding import decode, storable
from memu_py.modality.raw import Raw
from memu_py.records.record import Record

_ID = re.compile(r"<([^<>\s]+)>")
_ADDRESS = re.compile(r"[^\s<>\"]+@[^\s<>\"]+")
_QUOTE = re.compile(r"[ \t]?>")
_ABOVE_QUOTE = re.compile(
    r"(?:On\b.{4,200}\bwrote|Am\b.{4,200}\bschrieb.{0,100}|Le\b.{4,200}\ba écrit|El\b.{4,200}\bescribió"
    r"|在?.{4,200}(?:写道|寫道))\s*[:：]\s*$"
)
_BELOW = re.compile(
    r"-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Forwarded message|原始邮件|原始郵件|转发的邮件)\s*-{2,}\s*$"
    r"|_{20,}\s*$|-- ?$",
    re.IGNORECASE,
)
"""A line behind which nothing is the author's: an answered message, or a signature."""
_BLOCKS = frozenset({"p", "div", "br", "tr", "li", "blockquote", "h1", "h2", "h3", "h4", "table"})
_UNSEEN = frozenset({"script", "style", "head", "title"})
MAX_PARTS = 1000
"""Nobody writes a message of more; one who nests them by thousands means harm."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Mail(Record):
    """One message.

    Attributes:
        own_id: its `Message-ID`, or a hash of its headers.
        refers: ids of those that it answers, the first of the thread before all.
        date: as written.
        sender: name, or address without one.
        address: of the sender.
        to: as written.
        subject: as written.
        said: what it says itself.
        quoted: what it repeats of others, and the signature.
        attached: names of files.
    """

    own_id: str
    refers: tuple[str, ...] = ()
    date: str = ""
    sender: str = ""
    address: str = ""
    to: str = ""
    subject: str = ""
    said: str = ""
    quoted: str = ""
    attached: tuple[str, ...] = ()


def read_mail(data: bytes) -> Mail:
    """Read a message, however much of it is as it should be; of one that is nested beyond reason only its hash."""
    try:
        return _read(email.message_from_bytes(data))
    except RecursionError:
        return Mail(own_id=bytes_hash(data))


def _read(parsed: Message) -> Mail:
    sender, date, subject = (header(parsed, name) for name in ("From", "Date", "Subject"))
    name, address = email.utils.parseaddr(sender)
    ids = _ID.findall(header(parsed, "Message-ID"))
    refers = [*_ID.findall(header(parsed, "References")), *_ID.findall(header(parsed, "In-Reply-To"))]
    text, attached = _body(parsed)
    said, quoted = parted(text)
    return Mail(
        own_id=ids[0] if ids else content_hash("\n".join([sender, date, subject, text])),
        refers=tuple(dict.fromkeys(refers)),
        date=date,
        sender=name or address or sender,
        address=address,
        to=header(parsed, "To"),
        subject=subject,
        said=said,
        quoted=quoted,
        attached=tuple(attached),
    )


def header(parsed: Message, name: str) -> str:
    """Return a header as text on one line, empty for none."""
    try:
        given = parsed.get(name, "")
        text = str(email.header.make_header(email.header.decode_header(given)))
    except (ValueError, LookupError, email.errors.MessageError):
        text = str(parsed.get(name, ""))
    return " ".join(storable(text).split())


def parted(text: str) -> tuple[str, str]:
    r"""Return what a text says itself, and what it quotes.

    >>> parted("Yes, on Monday.\n\nOn 8 May 2023, Bob wrote:\n> Shall we meet?")
    ('Yes, on Monday.', 'On 8 May 2023, Bob wrote:\n> Shall we meet?')
    """
    said: list[str] = []
    quoted: list[str] = []
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if _BELOW.match(line):
            quoted += lines[place:]
            break
        (quoted if _QUOTE.match(line) or _leads_to_quote(lines, place) else said).append(line)
    return "\n".join(said).strip(), "\n".join(quoted).strip()


def _leads_to_quote(lines: list[str], place: int) -> bool:
    """Whether a line says whose words come next, and they do."""
    if len(lines[place]) > 400 or not _ABOVE_QUOTE.match(lines[place]):
        return False
    following = next((line for line in lines[place + 1 :] if line.strip()), "")
    return _QUOTE.match(following) is not None


def _body(parsed: Message) -> tuple[str, list[str]]:
    """Return the text of a message and the names of what is attached to it."""
    plain: list[str] = []
    pages: list[str] = []
    attached: list[str] = []
    for place, part in enumerate(parsed.walk()):
        if place == MAX_PARTS:
            break
        kind, name = part.get_content_type(), _file_name(part)
        if name or kind.startswith(("image/", "audio/", "video/", "application/")):
            attached += [name or kind]
        elif kind == "text/plain":
            plain.append(_text(part))
        elif kind == "text/html":
            pages.append(_text(part))
    return "\n".join(plain) if any(one.strip() for one in plain) else "\n".join(
        map(shown_text, pages)
    ), attached


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
        return (
            " ".join(str(email.header.make_header(email.header.decode_header(name))).split()) if name else ""
        )
    except (ValueError, LookupError, TypeError, email.errors.MessageError):
        return "file"


def _text(part: Message) -> str:
    try:
        payload = part.get_payload(decode=True)
        charset = part.get_content_charset()
    except (ValueError, LookupError, TypeError):
        return ""
    return decode(Raw(data=payload, charset=charset)).text if isinstance(payload, bytes) else ""


class _Shown(HTMLParser):
    """Collects the text of a page, a block to a line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN and self._unseen:
            self._unseen -= 1
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data.replace("\n", " "))


def shown_text(page: str) -> str:
    r"""Return the text of an HTML page.

    >>> shown_text("<style>p {}</style><p>Dear <b>Ann</b>,</p><p>yes.</p>")
    'Dear Ann,\nyes.'
    """
    reader = _Shown()
    reader.feed(page)
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)
