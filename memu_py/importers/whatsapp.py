"""WhatsApp: the text of an exported chat, whose dates are in the form of the telephone's language.

`[08.05.23, 13:56:01] Ann: …` on iOS; `5/8/23, 1:56 PM - Ann: …`, `2023/5/8 下午1:56 - 小美: …` on Android.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from memu_py.importers.archive import HEAD_BYTES, Archive
from memu_py.importers.importer import Conversation, Entry, message
from memu_py.importers.whatsapp_dates import DATE, UNCLEAR, DateOrder, Stamp, stamp
from memu_py.modality.encoding import Decoded, decode
from memu_py.modality.raw import Raw

MARKS = "\u200e\u200f\u202a\u202b\u202c\ufeff"
"""Marks of direction, which stand before what the program itself says."""
SAMPLE_LINES = 40
MAX_NAME_CHARS = 100
MAX_TITLE_NAMES = 8

_LINE = re.compile(
    rf"[{MARKS}]*(?P<open>\[)?{DATE}(?P<close>\][ \u00a0]|[ \u00a0][-–—][ \u00a0])(?P<rest>.*)", re.DOTALL
)
_SPEAKER = re.compile(
    rf"[{MARKS}~\u202f]*\s*(?P<name>[^:\n\"“”<>]{{1,{MAX_NAME_CHARS}}}?)[{MARKS}]*:(?:[ ]|$|(?=\n))(?P<said>.*)",
    re.DOTALL,
)
_ATTACHED = re.compile(
    rf"<[^<>:：]{{2,24}}[:：]\s*(?P<ios>[^<>\n]+\.\w{{2,5}})>"
    rf"|^[{MARKS}]*(?P<android>[\w. +-]+\.\w{{2,5}}) \([^()\n]+\)$",
    re.MULTILINE,
)
_OMITTED = re.compile(rf"^[{MARKS}]*<[^<>\n]{{3,40}}>$")
_EDITED = re.compile(rf"[{MARKS}]<[^<>\n]{{3,60}}>$")
_TITLES = (
    re.compile(r"whatsapp[ -]chat(?: with| mit| - |[ -])\s*(?P<title>.+)", re.IGNORECASE),
    re.compile(r"与[“\"]?(?P<title>.+?)[”\"]?的\s?whatsapp\s?(?:聊天|对话).*", re.IGNORECASE),
    re.compile(r".*whatsapp.*? (?:con|avec|com|met|with|mit) (?P<title>.+)", re.IGNORECASE),
)
_COPY = re.compile(r"\s*\(\d+\)$")
_NAMELESS = re.compile(r"_?chat", re.IGNORECASE)


class WhatsAppImporter:
    """Reads each chat. What nobody says is context, and so is what stands for a picture."""

    def claims(self, archive: Archive) -> Collection[str]:
        """See `Importer.claims`."""
        return [
            name for name in archive.beginning(".txt", re.compile(rb"\d")) if _is_chat(archive.head(name))
        ]

    def conversations(self, archive: Archive) -> Iterator[Conversation]:
        """See `Importer.conversations`."""
        for name in self.claims(archive):
            decoded = decode(Raw(data=archive.read(name)))
            yield _conversation(decoded, _title(archive, name))


def _conversation(decoded: Decoded, title: str) -> Conversation:
    found = list(_found(decoded.text))
    order = DateOrder([one.stamp for one in found])
    messages = tuple(entry for one in found if (entry := _message(one, order)) is not None)
    if not title:
        title = ", ".join(sorted({one["name"] for one in messages if "name" in one})[:MAX_TITLE_NAMES])
    warnings = (decoded.warning, UNCLEAR if order.is_unclear else None)
    return Conversation(
        url=f"whatsapp:{title}",
        title=title,
        messages=messages,
        warnings=tuple(warning for warning in warnings if warning),
    )


class _Found(NamedTuple):
    stamp: Stamp
    text: str


def _is_chat(head: bytes) -> bool:
    """Tell whether the first line that is not empty begins a message, and whether some message has a speaker."""
    if len(head) == HEAD_BYTES:
        # Cut between lines: half a character would make it look like another encoding.
        head = head[: head.rfind(b"\n") + 1] or head
    lines = [line for line in decode(Raw(data=head)).text.splitlines() if line.strip(MARKS + " ")]
    matches = [_matched(line) for line in lines[:SAMPLE_LINES]]
    return bool(matches and matches[0]) and any(one and _SPEAKER.match(one["rest"]) for one in matches)


def _matched(line: str) -> re.Match[str] | None:
    """Match the beginning of a message. In brackets there are always seconds, else somebody wrote a transcript."""
    match = _LINE.match(line)
    if match is None or (match["open"] is None) != (match["close"][0] != "]"):
        return None
    return None if match["open"] and match["second"] is None else match


def _found(text: str) -> Iterator[_Found]:
    """Yield the messages; a line that begins none belongs to the one above."""
    current: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        match = _matched(line)
        if match is None:
            lines.append(line)
            continue
        if current is not None:
            yield _Found(stamp(current), "\n".join(lines))
        current, lines = match, [match["rest"]]
    if current is not None:
        yield _Found(stamp(current), "\n".join(lines))


def _message(found: _Found, order: DateOrder) -> Entry | None:
    spoken = _SPEAKER.match(found.text)
    at = order.read(found.stamp)
    dated = {"at": at.isoformat()} if at else {"time": found.stamp.words}
    if spoken is None:
        return message("system", found.text.strip(MARKS + " "), **dated)
    name, said = spoken["name"].strip(), spoken["said"]
    attached = [one["ios"] or one["android"] for one in _ATTACHED.finditer(said)]
    if attached:
        said = _ATTACHED.sub("", said)
    elif _OMITTED.match(said) or said.startswith(tuple(MARKS)):
        # The program says it: that a picture is left out, that a message was deleted.
        attached, said = [said.strip(MARKS + "<> ")], ""
    words = _EDITED.sub("", said).strip(MARKS + " \n")
    return message("user", words, name=name, attached=[one for one in attached if one], **dated)


def _title(archive: Archive, name: str) -> str:
    """Return whom the chat is with, told by the name of the file or of the folder or zip around it."""
    around = [*reversed(name.split("/")), re.split(r"[\\/]", archive.label)[-1]]
    for place, one in enumerate(around):
        stem = _COPY.sub("", re.sub(r"\.(txt|zip)$", "", one, flags=re.IGNORECASE)).strip()
        for form in _TITLES:
            if match := form.fullmatch(stem):
                return match["title"].strip()
        if place == 0 and not _NAMELESS.fullmatch(stem):
            return stem
    return ""
