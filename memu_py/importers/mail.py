"""One message of a mailbox: its headers, and what it says apart from what it quotes."""

import dataclasses
import re
from collections.abc import Iterable
from email.message import Message
from html.parser import HTMLParser

from memu_py._core import bytes_hash, content_hash
from memu_py.modality.letters import parted
from memu_py.modality.mail_message import (
    HTML,
    field,
    file_name,
    inner_message,
    parts,
    read_message,
    sender,
    text,
)
from memu_py.records.record import Record

_ID = re.compile(r"<([^<>\s]+)>")
_BLOCKS = frozenset({"p", "div", "br", "tr", "li", "blockquote", "h1", "h2", "h3", "h4", "table"})
_UNSEEN = frozenset({"script", "style", "head", "title"})


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
        quoted: what it repeats of others or passes on, and the signature.
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
        return _read(read_message(data))
    except RecursionError:
        return Mail(own_id=bytes_hash(data))


def _read(parsed: Message) -> Mail:
    written, date, subject = (field(parsed, name) for name in ("From", "Date", "Subject"))
    name, address = sender(parsed)
    ids = _ID.findall(field(parsed, "Message-ID"))
    refers = [*_ID.findall(field(parsed, "References")), *_ID.findall(field(parsed, "In-Reply-To"))]
    bodies, attached = parts(parsed)
    texts = [_shown(body) for body in bodies]
    passed_on = [inner for part in attached if (inner := inner_message(part)) is not None]
    said, quoted = zip(*map(parted, texts), strict=True) if texts else ((), ())
    return Mail(
        own_id=ids[0] if ids else content_hash("\n".join([written, date, subject, *texts])),
        refers=tuple(dict.fromkeys(refers)),
        date=date,
        sender=name or address or written,
        address=address,
        to=field(parsed, "To"),
        subject=subject,
        said=_joined(said),
        quoted=_joined([*quoted, *map(_whole, passed_on)]),
        attached=tuple(file_name(part) or part.get_content_type() for part in attached),
    )


def _shown(body: Message) -> str:
    return shown_text(text(body)) if body.get_content_type() == HTML else text(body)


def _whole(message: Message) -> str:
    """Return what somebody else wrote, and this mail passes on."""
    bodies, _ = parts(message)
    return _joined([f"{field(message, 'From')}: {field(message, 'Subject')}", *map(_shown, bodies)])


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(one for one in texts if one.strip()).strip()


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

    `documents.web` reads pages better, with what the extra `documents` installs; a mailbox is read without it.

    >>> shown_text("<style>p {}</style><p>Dear <b>Ann</b>,</p><p>yes.</p>")
    'Dear Ann,\nyes.'
    """
    reader = _Shown()
    reader.feed(page)
    lines = (" ".join(line.split()) for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line)
