"""Mailboxes in the form mbox, as mail programs and Google Takeout give them: a conversation for each thread."""

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import IO

from memu_py.importers.archive import Archive
from memu_py.importers.importer import Conversation, Entry, message
from memu_py.importers.mail import Mail, read_mail
from memu_py.modality.moment import moment

_HEAD = re.compile(rb"\A(?:\xef\xbb\xbf)?From \S.*\r?\n(?:>?From .*\r?\n)?[A-Za-z][\w-]*:")
_FROM = b"From "
_QUOTED_FROM = re.compile(rb">+From ")
_REPLY = re.compile(
    r"^\s*(?:(?:re|aw|sv|fw|fwd|wg|tr|回复|答复|回覆|转发|轉寄)(?:\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE
)


class MboxImporter:
    """Reads each thread, its messages in the order of their dates. What a message quotes is context."""

    def claims(self, archive: Archive) -> Collection[str]:
        """See `Importer.claims`."""
        # One message alone, as a file, is a document.
        return [name for name in archive.beginning("", _HEAD) if not name.casefold().endswith(".eml")]

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """See `Importer.conversations`."""
        for name in self.claims(archive):
            with archive.open(name) as stream:
                mails = [read_mail(one) for one in split(stream)]
            for thread in threads(mails):
                yield _conversation(thread)


def split(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the messages of a mailbox; a line `From …` behind an empty one, or the first, begins each."""
    lines: list[bytes] = []
    after_empty, begun = True, False
    for line in stream:
        if after_empty and line.startswith(_FROM):
            if begun:
                yield b"".join(lines)
            lines, begun = [], True
        else:
            lines.append(line[1:] if _QUOTED_FROM.match(line) else line)
        after_empty = not line.strip()
    if begun:
        yield b"".join(lines)


def threads(mails: Iterable[Mail]) -> list[list[Mail]]:
    """Return messages by thread: those that refer to each other, and answers without references by their subject.

    Each thread is in the order of dates, and they are in the order of their beginnings.
    """
    found = sorted({mail.own_id: mail for mail in mails}.values(), key=_time)
    leaders: dict[str, str] = {}

    def leader(one: str) -> str:
        while leaders.setdefault(one, one) != one:
            leaders[one] = leaders[leaders[one]]
            one = leaders[one]
        return one

    for mail in found:
        for other in mail.refers:
            leaders[leader(other)] = leader(mail.own_id)
    subjects: dict[str, str] = {}
    for mail in found:
        subject = _REPLY.sub("", mail.subject, count=1).strip().casefold()
        is_answer = _REPLY.match(mail.subject) is not None
        if not mail.refers and subject and is_answer and subject in subjects:
            leaders[leader(mail.own_id)] = leader(subjects[subject])
        subjects.setdefault(subject, mail.own_id)
    grouped: dict[str, list[Mail]] = {}
    for mail in found:
        grouped.setdefault(leader(mail.own_id), []).append(mail)
    return list(grouped.values())


def _time(mail: Mail) -> tuple[bool, datetime]:
    time = moment(mail.date, UTC)
    return time is None, time or datetime.min.replace(tzinfo=UTC)


def _conversation(thread: list[Mail]) -> Conversation:
    first = thread[0]
    said = (entry for mail in thread for entry in _messages(mail))
    return Conversation(
        url=f"mbox:{first.refers[0] if first.refers else first.own_id}",
        title=_REPLY.sub("", first.subject, count=1).strip(),
        messages=tuple(entry for entry in said if entry is not None),
    )


def _messages(mail: Mail) -> Iterator[Entry | None]:
    """Yield what a message quotes, and what it says."""
    yield message("system", mail.quoted, at=mail.date or None, own_id=mail.own_id)
    yield message(
        "user",
        mail.said,
        name=mail.sender,
        at=mail.date or None,
        own_id=mail.own_id,
        attached=mail.attached,
        address=mail.address or None,
        to=mail.to or None,
        subject=mail.subject or None,
    )
