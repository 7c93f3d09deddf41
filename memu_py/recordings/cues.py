"""Cues of subtitles: SRT and WebVTT as text, and what both write into their lines."""

import dataclasses
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from memu_py.modality.transcript import speaker_at
from memu_py.records.record import Record
from memu_py.records.transcript import Utterance

VTT = "WEBVTT"
ROLLING_SHARE = 0.25
"""In rolling captions so many of the cues begin with the last line of the one before."""
ROLLING_GAP_S = 0.5

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}(?:[ \t].*)?")
_BLANK = re.compile(r"[ \t]*")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,100}\}")
_DASH = re.compile(r"[-–—][ \t]*(?=\S)")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Cue(Record):
    """One cue.

    Attributes:
        start_s: second at which it is shown.
        end_s: second at which it goes.
        lines: as written, tags included; not empty.
    """

    start_s: float
    end_s: float
    lines: tuple[str, ...]


def looks_like_cues(text: str) -> bool:
    r"""Tell whether a text is SRT or WebVTT: by its head, or by the times of its first cue.

    >>> looks_like_cues("1\n00:00:01,000 --> 00:00:02,000\nHi"), looks_like_cues("1\nHi")
    (True, False)
    """
    lines = [line for line in text[:2000].splitlines() if line.strip()][:2]
    if lines and re.fullmatch(rf"{VTT}(?:[ \t].*)?", lines[0]):
        return True
    return any(_TIMES.fullmatch(line) for line in lines)


def cues(text: str) -> list[Cue]:
    """Return the cues of a text, in order of time; what is none is passed over."""
    found = sorted(_cues(text.splitlines()), key=lambda one: one.start_s)
    return _unrolled(found) if _is_rolling(found) else found


def _cues(lines: Sequence[str]) -> Iterator[Cue]:
    place = 0
    while place < len(lines):
        times = _TIMES.fullmatch(lines[place])
        if times is None:
            # A head, a number, a name, a note or a style.
            place += 1
            continue
        last = _end(lines, place + 1)
        kept = tuple(line.strip() for line in lines[place + 1 : last] if line.strip())
        start, end = _seconds(times.groups()[:4]), _seconds(times.groups()[4:])
        if kept:
            yield Cue(start_s=start, end_s=max(start, end), lines=kept)
        place = last


def _end(lines: Sequence[str], place: int) -> int:
    """Return where a cue ends: at a blank line, or at the times of the next one, whose number stands above them."""
    for at in range(place, len(lines)):
        if _is_blank(lines[at]):
            return at
        if _TIMES.fullmatch(lines[at]):
            return at - 1 if at > place and lines[at - 1].strip().isdecimal() else at
    return len(lines)


def _is_blank(line: str) -> bool:
    return _BLANK.fullmatch(line) is not None


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole + float(f"0.{fraction}")


def _is_rolling(found: Sequence[Cue]) -> bool:
    rolled = sum(bool(_repeated(before, after)) for before, after in itertools.pairwise(found))
    return rolled > ROLLING_SHARE * max(len(found) - 1, 1)


def _repeated(before: Cue, after: Cue) -> int:
    """Return how many of a cue's first lines are the last ones of the cue before."""
    if after.start_s - before.end_s > ROLLING_GAP_S:
        return 0
    old, new = plain_lines(before.lines), plain_lines(after.lines)
    longest = min(len(old), len(new))
    return next((count for count in range(longest, 0, -1) if old[-count:] == new[:count]), 0)


def _unrolled(found: Sequence[Cue]) -> list[Cue]:
    """Take out the lines that were shown before: automatic captions show each line twice."""
    kept: list[Cue] = []
    for place, one in enumerate(found):
        count = _repeated(found[place - 1], one) if place else 0
        lines = plain_lines(one.lines)[count:]
        if lines:
            kept.append(one.evolve(lines=tuple(lines)))
        elif kept:
            kept[-1] = kept[-1].evolve(end_s=max(kept[-1].end_s, one.end_s))
    return kept


def plain(line: str) -> str:
    r"""Return a line without tags, entities and repeated spaces.

    >>> plain("{\\an8}<i>Tom &amp; <c.red>Ann</c></i>  sing<00:00:01.500> ")
    'Tom & Ann sing'
    """
    return " ".join(html.unescape(_TAG.sub("", line)).replace("\u200b", "").split())


def plain_lines(lines: Iterable[str]) -> list[str]:
    """Return lines without tags; those that hold nothing else are left out."""
    return [words for line in lines if (words := plain(line))]


def utterances(found: Iterable[Cue]) -> Iterator[Utterance]:
    """Yield what is said in cues: one for each voice in each of them."""
    for cue in found:
        parts: list[Utterance] = []
        for speaker, words, begins in _voiced(cue.lines):
            if parts and not begins:
                parts[-1] = parts[-1].evolve(text=f"{parts[-1].text} {words}")
            else:
                parts.append(Utterance(text=words, start_s=cue.start_s, end_s=cue.end_s, speaker=speaker))
        yield from parts


def _voiced(lines: Sequence[str]) -> Iterator[tuple[str | None, str, bool]]:
    """Yield each line with who speaks, and whether somebody else begins there."""
    for line in lines:
        voices = list(_VOICE.finditer(line))
        if not voices:
            yield from _labelled(plain(line))
            continue
        yield from _labelled(plain(line[: voices[0].start()]))
        for voice, after in zip(voices, [*voices[1:], None], strict=True):
            words = plain(line[voice.end() : after.start() if after else len(line)])
            if words:
                yield plain(voice.group(1)) or None, words, True


def _labelled(words: str) -> Iterator[tuple[str | None, str, bool]]:
    dash = _DASH.match(words)
    rest = words[dash.end() :] if dash else words
    label = speaker_at(rest, 0, len(rest))
    if label is not None and rest[label.end :].strip():
        yield label.name, rest[label.end :].strip(), True
    elif rest:
        yield None, rest, dash is not None
