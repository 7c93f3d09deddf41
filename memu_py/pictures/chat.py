"""A screenshot of a chat as its turns.

What stands at the right is the owner's own, what stands at the left somebody else's: whoever is named above it, or at
the top. Or, in apps with one side, a name and a time stand above each turn. Whatever is not clearly one of both is no
chat: a document that is taken for one is worse than a chat that is read as a document.
"""

import collections
import dataclasses
import itertools
import re
import statistics
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from memu_py.modality.transcript import MAX_NAME_WORDS, NOT_NAMES
from memu_py.pictures.bubbles import EDGE, SIZE_STEP, Bubble, bubbles, is_two_sided
from memu_py.pictures.chat_times import ChatClock, ending, is_time
from memu_py.pictures.layout import Row, around, rows, running
from memu_py.pictures.ocr import Box, Line
from memu_py.records.record import Record

OTHER = "other"
"""Who speaks at the left of a chat that names nobody."""

HEAD_SHARE = 0.11
HEAD_WIDTHS = 0.25
"""The bar at the top takes no more of a picture's height, nor is it higher than this share of its width."""
NAME_CHARS = 24
NAME_SIZE = 0.87
"""Names above bubbles are written smaller than what is said."""
SET_IN = 0.4
"""The text in a bubble stands so far right of a name above it, in heights of a line."""
NAME_GAP = 2.2
"""They stand no farther above it, in heights of a line."""
MIN_HEADERS = 2
HEADED_SHARE = 0.8
TIME_GAP = 0.6
"""The time in a bubble stands no farther below its text, in heights of a line."""
ENDED_SHARE = 0.6
"""Where so many bubbles end with a time, it is their own, and not what was said."""
MIN_ENDED = 2

_COUNT = re.compile(r"\s*[(（]\d+[)）]\s*\Z")
_ARROW = re.compile(r"\A[<＜‹〈←\s]+\d*\s*")
_SENTENCE = re.compile(r"[.!?。！？，,;；:：]\Z|[。！？]")
_NO_NAME = re.compile(r"[\d\s%:：.\-/+|]*\Z|.*(?:4G|5G|LTE|Wi-?Fi).*\Z", re.IGNORECASE)
_PRESENCE = re.compile(
    r"(?:online|offline|typing.*|last seen.*|active.*|在线|离线|对方正在输入.*)\Z", re.IGNORECASE
)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Turn(Record):
    """What somebody says in a chat.

    Attributes:
        text: what is said.
        box: where it stands.
        own: whether the owner of the picture says it.
        speaker: who says it; None for the owner.
        said_at: when, where a whole date is known.
        time: the time as it is shown, where the date is not known.
        system: whether the app says it, and nobody.
    """

    text: str
    box: Box
    own: bool = False
    speaker: str | None = None
    said_at: datetime | None = None
    time: str | None = None
    system: bool = False


def chat_turns(
    lines: Sequence[Line], *, width: int, height: int, taken_at: datetime | None, zone: tzinfo
) -> tuple[Turn, ...]:
    """Return the turns of a screenshot of a chat, from top to bottom; none for any other picture.

    Args:
        lines: that were read.
        width: of the picture, in pixels.
        height: of the picture, in pixels.
        taken_at: when the picture was taken, where that is known: "yesterday" counts from it.
        zone: of the times.
    """
    clock = ChatClock(taken_at=taken_at, zone=zone)
    found = bubbles(lines, width=width)
    head, body = _parted(found, width, height)
    parts = list(_named(body))
    if is_two_sided([one for one, is_name in parts if not is_name], width=width):
        return tuple(_two_sided(parts, _title(head, width), clock))
    return tuple(_headed(lines, width, clock))


# Two sides


def _parted(found: Sequence[Bubble], width: int, height: int) -> tuple[list[Bubble], list[Bubble]]:
    """Part the bar at the top, with the status of the phone and the title, from the bubbles."""
    bottom = min(HEAD_SHARE * height, HEAD_WIDTHS * width)
    below = [one.box[0] for one in found if one.box[1] > bottom and one.side == "left" and not one.is_time]
    edge = statistics.mode(below) if below else 0
    count = 0
    for one in found:
        aligned = one.side == "left" and abs(one.box[0] - edge) <= EDGE * width
        centred = one.is_time and one.side == "middle"
        if one.box[3] > bottom or aligned or centred:
            break
        count += 1
    return list(found[:count]), list(found[count:])


def _title(head: Sequence[Bubble], width: int) -> str | None:
    """Return the name at the top: the largest short line that is no status."""
    named = [
        (line.height, -abs(line.box[0] + line.box[2] - width), name)
        for one in head
        for line in one.lines
        if (name := _cleaned(line.text)) and _could_be_name(name) and not is_time(line.text)
    ]
    return max(named)[2] if named else None


def _cleaned(text: str) -> str:
    return _COUNT.sub("", _ARROW.sub("", text)).strip()


def _could_be_name(text: str) -> bool:
    if len(text) > NAME_CHARS or _SENTENCE.search(text) or _NO_NAME.match(text) or _PRESENCE.match(text):
        return False
    return any(char.isalpha() for char in text)


def _two_sided(parts: Sequence[tuple[Bubble, bool]], title: str | None, clock: ChatClock) -> Iterator[Turn]:
    said = [one for one, is_name in parts if not is_name and not one.is_time and one.side != "middle"]
    timed, widest = _are_timed(said), max(one.width for one in said)
    when: When = (None, None)
    speaker = OTHER if any(is_name for _, is_name in parts) else title or OTHER
    inside: Bubble | None = None
    for place, (one, is_name) in enumerate(parts):
        if one.is_time:
            when = when if one is inside else _when(one.lines[0].text, clock)
        elif is_name:
            speaker = _cleaned(one.lines[0].text)
        elif one.side == "middle":
            yield Turn(text=one.text(widest), box=one.box, system=True)
        else:
            text, words = _said(one.text(widest), timed=timed)
            inside = _time_in(one, parts[place + 1][0] if place + 1 < len(parts) else None)
            words = words or (inside.lines[0].text if inside else None)
            said_at, time = _when(words, clock) if words else when
            who = None if one.side == "right" else speaker
            yield Turn(text=text, box=one.box, own=who is None, speaker=who, said_at=said_at, time=time)


When = tuple[datetime | None, str | None]
"""A moment, or the words for one whose day is not known."""


def _when(words: str, clock: ChatClock) -> When:
    moment = clock.read(words)
    return moment, None if moment else words.strip()


def _time_in(one: Bubble, below: Bubble | None) -> Bubble | None:
    """Return the time that stands within a bubble, below what is said; None without one."""
    if below is None or not below.is_time or below.height >= one.height:
        return None
    return below if below.box[1] - one.box[3] <= TIME_GAP * one.height else None


def _are_timed(said: Sequence[Bubble]) -> bool:
    """Whether bubbles end with their times."""
    ended = sum(ending(one.lines[-1].text) is not None for one in said)
    return ended >= MIN_ENDED and ended >= ENDED_SHARE * len(said)


def _said(text: str, *, timed: bool) -> tuple[str, str | None]:
    found = ending(text) if timed else None
    return found or (text, None)


def _named(body: Sequence[Bubble]) -> Iterator[tuple[Bubble, bool]]:
    """Yield bubbles, and with each whether it is the name above the next one; often both were taken together."""
    starts = collections.Counter(_cleaned(one.lines[0].text) for one in body if one.side == "left")
    for one, below in itertools.zip_longest(body, body[1:]):
        first, rest = one.lines[0], one.lines[1:]
        again = starts[_cleaned(first.text)] > 1
        if one.side != "left" or one.is_time:
            yield one, False
        elif rest and _is_name(first, rest[0], again=again):
            yield one.evolve(lines=(first,)), True
            yield one.evolve(lines=rest), False
        else:
            alone = not rest and below is not None and below.side == "left" and not below.is_time
            yield one, alone and _is_name(first, below.lines[0], again=False)


def _is_name(line: Line, below: Line, *, again: bool) -> bool:
    """Whether a line is the name above a text: written smaller, farther out, or the same again and again."""
    if not _could_be_name(_cleaned(line.text)) or below.box[1] - line.box[3] > NAME_GAP * below.height:
        return False
    farther_out = below.box[0] - line.box[0] > SET_IN * line.height
    no_larger = line.height <= SIZE_STEP * below.height
    return line.height <= NAME_SIZE * below.height or (no_larger and (farther_out or again))


# A name and a time above each turn


def _headed(lines: Sequence[Line], width: int, clock: ChatClock) -> Iterator[Turn]:
    found = rows(lines)
    headers = {place: header for place, row in enumerate(found) if (header := _header(row))}
    if not _are_headers(headers, found, width):
        return
    places = sorted(headers)
    for place, after in zip(places, [*places[1:], len(found)], strict=True):
        name, words = headers[place]
        said_at, time = _when(words, clock)
        under = found[place + 1 : after]
        if under:
            inner = [line for row in under for line in row.lines]
            yield Turn(text=running(under), box=around(inner), speaker=name, said_at=said_at, time=time)


def _header(row: Row) -> tuple[str, str] | None:
    """Return the name and the time that a row consists of; None for any other row."""
    texts = [line.text for line in row.lines]
    if len(texts) == 2 and is_time(texts[1]):
        name, words = texts[0], texts[1]
    elif len(texts) == 1 and (parts := ending(texts[0])) is not None:
        name, words = parts
    else:
        return None
    name = _cleaned(name)
    known = _could_be_name(name) and not is_time(name) and len(name.split()) <= MAX_NAME_WORDS
    return (name, words) if known and name.casefold() not in NOT_NAMES else None


def _are_headers(headers: dict[int, tuple[str, str]], found: Sequence[Row], width: int) -> bool:
    """Whether names come back above texts of their own, and begin at one edge: an agenda has as many times."""
    if len(headers) <= MIN_HEADERS or len({name for name, _ in headers.values()}) == len(headers):
        return False
    if min(headers) > 2:
        return False
    headed = sum(place + 1 < len(found) and place + 1 not in headers for place in headers)
    edges = [found[place].box[0] for place in headers]
    return headed >= HEADED_SHARE * len(headers) and max(edges) - min(edges) <= EDGE * width
