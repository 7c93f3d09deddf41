"""EML: who writes to whom and when, what they write, and what is attached."""

import dataclasses
import email
import email.policy
import email.utils
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage, Message

from memu_py.documents.formats import FORMATS, format_of
from memu_py.documents.mail_body import letter
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import MemuError
from memu_py.modality.blocks import Block
from memu_py.modality.encoding import decode
from memu_py.modality.raw import Raw

ATTACHMENT = "attachment"
"""Metadata: the name of what was attached, on what stands in it."""
MAX_DEPTH = 3
"""Mails attached to mails."""
MAX_PARTS = 1000
TEXT_TYPES = ("text/plain", "text/markdown")
KB = 1024


def read_mail(data: bytes, bounds: Bounds) -> Reading:
    """Read a mail. What its sender says has them as speaker, and its date.

    Documents that are attached are read too; what else is attached is named in a warning.
    """
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    reader = _Mail(bounds)
    blocks = tuple(reader.blocks(message))
    return Reading(blocks=blocks, title=_field(message, "subject") or None, warnings=tuple(reader.warnings))


@dataclasses.dataclass(slots=True)
class _Mail:
    """Reads one mail and those attached to it.

    Attributes:
        bounds: of its attachments.
        warnings: what was left out.
    """

    bounds: Bounds
    warnings: list[str] = dataclasses.field(default_factory=list)

    def blocks(self, message: EmailMessage, depth: int = 0) -> Iterator[Block]:
        """Yield a mail, then its attachments."""
        sender = _sender(message)
        said_at = _date(message)
        bodies, attached = _parts(message)
        yield Block(text=_heading(message, said_at), speaker=sender, said_at=said_at)
        for body in bodies:
            for block in self._body(body):
                is_context = block.kind == "context"
                yield block if is_context else block.evolve(speaker=sender, said_at=said_at)
        for part in attached:
            yield from self._attached(part, depth)

    def _body(self, body: EmailMessage) -> Iterator[Block]:
        if body.get_content_subtype() == "html":
            try:
                yield from read_as(FORMATS["html"], _bytes(body), self._within(body)).blocks
            except MemuError as error:
                self.warnings.append(str(error))
        else:
            flowed = body.get_param("format") == "flowed"
            yield from letter(_text(body), flowed=flowed)

    def _within(self, part: Message) -> Bounds:
        return self.bounds.evolve(charset=part.get_content_charset())

    def _attached(self, part: EmailMessage, depth: int) -> Iterator[Block]:
        name = _name(part)
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload(0) if part.is_multipart() else None
            if isinstance(inner, EmailMessage) and depth < MAX_DEPTH:
                yield Block(text=_field(inner, "subject") or name, kind="heading", level=1)
                yield from self.blocks(inner, depth + 1)
                return
        data = _bytes(part)
        try:
            found = self._document(part, data)
        except MemuError as error:
            self.warnings.append(f"the attachment {name} was not read: {error}")
            return
        if found is None:
            kind = part.get_content_type()
            self.warnings.append(f"the attachment {name} ({kind}, {-(-len(data) // KB)} kB) was not read")
            return
        self.warnings += [f"{name}: {one}" for one in found.warnings]
        yield Block(text=name, kind="heading", level=1)
        yield from (_below(one, name) for one in found.blocks)

    def _document(self, part: EmailMessage, data: bytes) -> Reading | None:
        raw = Raw(data=data, name=part.get_filename(), media_type=part.get_content_type())
        decoded = decode(raw.evolve(charset=part.get_content_charset()))
        form = format_of(raw, None if decoded.binary else decoded.text)
        if form is not None and form != "eml":
            return read_as(FORMATS[form], data, self._within(part))
        if part.get_content_type() in TEXT_TYPES and not decoded.binary:
            return Reading(blocks=tuple(letter(decoded.text)))
        return None


def _below(block: Block, name: str) -> Block:
    level = block.level + 1 if block.kind == "heading" else 0
    return block.evolve(level=level, metadata={**block.metadata, ATTACHMENT: name})


def _parts(message: EmailMessage) -> tuple[list[EmailMessage], list[EmailMessage]]:
    """Return what a mail says and what is attached to it; of several forms of the same the plainest."""
    bodies: list[EmailMessage] = []
    attached: list[EmailMessage] = []
    waiting = [message]
    for _ in range(MAX_PARTS):
        if not waiting:
            break
        part = waiting.pop(0)
        inner = (
            [one for one in part.iter_parts() if isinstance(one, EmailMessage)] if _holds_parts(part) else []
        )
        if part.get_content_type() == "multipart/alternative" and inner:
            waiting.insert(0, min(inner, key=_plainness))
        elif _holds_parts(part):
            waiting[:0] = inner
        elif part.is_attachment() or part.get_filename() or part.get_content_maintype() != "text":
            attached.append(part)
        elif part.get_content_subtype() in ("plain", "html"):
            bodies.append(part)
        else:
            attached.append(part)
    return bodies, attached


def _holds_parts(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "multipart"


def _plainness(part: EmailMessage) -> int:
    order = ("text/plain", "multipart/related", "multipart/mixed", "text/html")
    kind = part.get_content_type()
    return order.index(kind) if kind in order else len(order)


def _heading(message: EmailMessage, said_at: datetime | None) -> str:
    to = _field(message, "to")
    parts = [f"From {_field(message, 'from')}", f"to {to}" if to else ""]
    if copied := _field(message, "cc"):
        parts.append(f"with a copy to {copied}")
    if said_at is not None:
        parts.append(f"on {said_at.date().isoformat()}")
    subject = _field(message, "subject")
    return " ".join(filter(None, parts)) + (f": {subject}" if subject else "")


def _field(message: Message, name: str) -> str:
    """A field of the head, as text: some are so broken that the library cannot read them."""
    try:
        said = str(message[name] or "")
    except (ValueError, IndexError, AttributeError, TypeError, LookupError, AssertionError):
        said = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    return " ".join(said.split())


def _sender(message: Message) -> str | None:
    name, address = email.utils.parseaddr(_field(message, "from"))
    return name or address or None


def _date(message: Message) -> datetime | None:
    try:
        found = email.utils.parsedate_to_datetime(_field(message, "date"))
        # Without a zone it is in that of the sender, which nobody knows.
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _bytes(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    return decode(Raw(data=_bytes(part), charset=part.get_content_charset())).text


def _name(part: EmailMessage) -> str:
    return " ".join((part.get_filename() or "without a name").split())
