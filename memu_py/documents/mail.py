"""EML: who writes to whom and when, what they write, and what is attached."""

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import Message

from memu_py.documents.figures import Room
from memu_py.documents.formats import FORMATS, format_of
from memu_py.documents.mail_body import letter
from memu_py.documents.reader import read_as
from memu_py.documents.reading import ATTACHMENT, SCAN, Bounds, Reading, Scan
from memu_py.errors import MemuError
from memu_py.modality.blocks import Block
from memu_py.modality.encoding import decode
from memu_py.modality.mail_message import (
    charset,
    content,
    field,
    file_name,
    inner_message,
    parts,
    read_message,
    sender,
    text,
)
from memu_py.modality.moment import moment
from memu_py.modality.raw import Raw

MAX_DEPTH = 3
"""Mails attached to mails."""
TEXT_TYPES = ("text/plain", "text/markdown")
KB = 1024


def read_mail(data: bytes, bounds: Bounds) -> Reading:
    """Read a mail. What its sender says has them as speaker, and its date.

    Documents that are attached are read too; what else is attached is named in a warning.
    """
    message = read_message(data)
    reader = _Mail(bounds)
    blocks = tuple(reader.blocks(message))
    return Reading(
        blocks=blocks,
        title=field(message, "subject") or None,
        warnings=tuple(reader.warnings),
        scans=tuple(reader.scans),
    )


@dataclasses.dataclass(slots=True)
class _Mail:
    """Reads one mail and those attached to it.

    Attributes:
        bounds: of its attachments.
        warnings: what was left out.
        scans: pictures in what is attached.
        room: for more of them.
    """

    bounds: Bounds
    warnings: list[str] = dataclasses.field(default_factory=list)
    scans: list[Scan] = dataclasses.field(default_factory=list)
    room: Room = dataclasses.field(default_factory=Room)

    def blocks(self, message: Message, depth: int = 0) -> Iterator[Block]:
        """Yield a mail, then its attachments."""
        speaker = _speaker(message)
        said_at = _date(message)
        bodies, attached = parts(message)
        yield Block(text=_heading(message, said_at), speaker=speaker, said_at=said_at)
        for body in bodies:
            for block in self._body(body):
                is_context = block.kind == "context"
                yield block if is_context else block.evolve(speaker=speaker, said_at=said_at)
        for part in attached:
            yield from self._attached(part, depth)

    def _body(self, body: Message) -> Iterator[Block]:
        if body.get_content_subtype() == "html":
            try:
                yield from read_as(FORMATS["html"], content(body), self._within(body)).blocks
            except MemuError as error:
                self.warnings.append(str(error))
        else:
            flowed = body.get_param("format") == "flowed"
            yield from letter(text(body), flowed=flowed)

    def _within(self, part: Message) -> Bounds:
        return self.bounds.evolve(charset=charset(part))

    def _attached(self, part: Message, depth: int) -> Iterator[Block]:
        name = _name(part)
        inner = inner_message(part)
        if inner is not None and depth < MAX_DEPTH:
            yield Block(text=field(inner, "subject") or name, kind="heading", level=1)
            yield from self.blocks(inner, depth + 1)
            return
        data = content(part)
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
        before = len(self.scans)
        self.scans += (self._scan(one, name) for one in found.scans)
        yield from (_below(one, name, before) for one in found.blocks)

    def _scan(self, scan: Scan, name: str) -> Scan:
        fits = scan.image is not None and self.room.takes(scan.image)
        return scan.evolve(within=name, image=scan.image if fits else None)

    def _document(self, part: Message, data: bytes) -> Reading | None:
        raw = Raw(data=data, name=file_name(part) or None, media_type=part.get_content_type())
        decoded = decode(raw.evolve(charset=charset(part)))
        form = format_of(raw, None if decoded.binary else decoded.text)
        if form is not None and form != "eml":
            return read_as(FORMATS[form], data, self._within(part))
        if part.get_content_type() in TEXT_TYPES and not decoded.binary:
            return Reading(blocks=tuple(letter(decoded.text)))
        return None


def _below(block: Block, name: str, scans: int) -> Block:
    """Return a block of an attachment as one of the mail, which has so many pictures before it."""
    level = block.level + 1 if block.kind == "heading" else 0
    number = {SCAN: block.metadata[SCAN] + scans} if SCAN in block.metadata else {}
    return block.evolve(level=level, metadata={**block.metadata, **number, ATTACHMENT: name})


def _heading(message: Message, said_at: datetime | None) -> str:
    to = field(message, "to")
    said = [f"From {field(message, 'from')}", f"to {to}" if to else ""]
    if copied := field(message, "cc"):
        said.append(f"with a copy to {copied}")
    if said_at is not None:
        said.append(f"on {said_at.date().isoformat()}")
    subject = field(message, "subject")
    return " ".join(filter(None, said)) + (f": {subject}" if subject else "")


def _speaker(message: Message) -> str | None:
    name, address = sender(message)
    return name or address or None


def _date(message: Message) -> datetime | None:
    # Without a zone it is in that of the sender, which nobody knows.
    return moment(field(message, "date"), UTC)


def _name(part: Message) -> str:
    return file_name(part) or "without a name"
