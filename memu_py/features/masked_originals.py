"""Originals without the sensitive data in them: texts before they are read, all else by what was read in it."""

import bisect
import dataclasses
import itertools
import json
from collections.abc import Sequence
from typing import NamedTuple

from memu_py.features.privacy import Masker
from memu_py.modality.encoding import decode
from memu_py.modality.messages import dump_messages
from memu_py.modality.parser import Parsed
from memu_py.modality.raw import Raw
from memu_py.modality.segments import segment_hash
from memu_py.modality.signature import signature
from memu_py.records.resource import Resource, Segment
from memu_py.records.sensitive import Finding

MASKED_TYPE = "text/plain; masked=true"
"""Media type of what is kept in place of an original that could not be masked itself."""


def is_text(raw: Raw) -> bool:
    """Tell whether an original is text, which can be masked as it is."""
    decoded = decode(raw)
    return raw.messages is not None or decoded.sure or not (decoded.binary or signature(raw.data))


def masked_raw(raw: Raw, masker: Masker) -> Raw:
    """Return an original as it may be stored, where it is text; all else comes back as it is.

    JSON stays JSON. A text in which something was found is UTF-8 from then on.
    """
    if not masker.active:
        return raw
    told = raw.evolve(name=masker.optional(raw.name), metadata=masker.data(raw.metadata))
    if told.messages is not None:
        entries = masker.data(told.messages)
        return (
            told.evolve(messages=entries, data=dump_messages(entries)) if entries != told.messages else told
        )
    if not is_text(told):
        return told
    text = decode(told).text
    safe = _masked_text(text, masker)
    return told if safe == text else told.evolve(data=safe.encode("utf-8", "surrogatepass"), charset="utf-8")


def _masked_text(text: str, masker: Masker) -> str:
    if not masker.find(text):
        return text
    if text.lstrip()[:1] in ("[", "{"):
        found = _masked_json(text, masker)
        if found is not None:
            return found
        lines = text.split("\n")
        read = [_masked_json(line, masker) if line.strip() else line for line in lines]
        if all(line is not None for line in read):
            return "\n".join(line or "" for line in read)
    return masker.text(text)


def _masked_json(text: str, masker: Masker) -> str | None:
    """Return JSON with the texts in it masked; None for what is no JSON."""
    try:
        return json.dumps(masker.data(json.loads(text)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


class Masked(NamedTuple):
    """What was read, without the sensitive data in it.

    Attributes:
        parsed: the text and its segments.
        found: whether anything was taken out.
    """

    parsed: Parsed
    found: bool


def masked_parsed(parsed: Parsed, masker: Masker) -> Masked:
    """Return what was read in an original as it may be stored.

    Segments keep their places in the text; one of which nothing is left goes. Entries of messages, which were masked
    before they were read, are left alone.
    """
    if not masker.active or parsed.messages:
        return Masked(parsed, found=False)
    safe = parsed.evolve(title=masker.text(parsed.title))
    segments = tuple(_told(segment, masker) for segment in parsed.segments)
    cuts = masker.find(parsed.text)
    if not cuts:
        return Masked(safe.evolve(segments=segments), found=segments != parsed.segments)
    shift = _Shift(parsed.text, cuts, masker)
    moved = (_moved(segment, shift) for segment in segments)
    left = (segment for segment in moved if segment.text.strip())
    numbered = tuple(segment.evolve(ordinal=place) for place, segment in enumerate(left))
    return Masked(safe.evolve(text=shift.text, segments=numbered), found=True)


def _told(segment: Segment, masker: Masker) -> Segment:
    speaker, metadata = masker.optional(segment.speaker), masker.data(segment.metadata)
    if (speaker, metadata) == (segment.speaker, segment.metadata):
        return segment
    hashed = segment_hash(segment.text, role=segment.role, speaker=speaker)
    return segment.evolve(speaker=speaker, metadata=metadata, hash=hashed)


class _Shift:
    """A text with pieces replaced, and where its places have gone."""

    def __init__(self, text: str, cuts: Sequence[Finding], masker: Masker) -> None:
        given = [masker.in_place_of(text, one) for one in cuts]
        ends = [0, *(one.end for one in cuts)]
        kept = [text[end : one.start] for end, one in zip(ends, cuts, strict=False)]
        self.text = "".join(itertools.chain(*zip(kept, given, strict=True))) + text[ends[-1] :]
        self._cuts = cuts
        self._starts = [one.start for one in cuts]
        grown = (len(new) - (one.end - one.start) for new, one in zip(given, cuts, strict=True))
        self._grown = [0, *itertools.accumulate(grown)]

    def to(self, place: int) -> int:
        """Return where a place has gone; one inside a piece goes to the end of what replaced it."""
        after = bisect.bisect_left(self._starts, place)
        if after and place < self._cuts[after - 1].end:
            place = self._cuts[after - 1].end
        return place + self._grown[after]


def _moved(segment: Segment, shift: _Shift) -> Segment:
    start, end = shift.to(segment.start), shift.to(segment.end)
    text = shift.text[start:end]
    if text == segment.text:
        return segment.evolve(start=start, end=end)
    hashed = segment_hash(text, role=segment.role, speaker=segment.speaker)
    return segment.evolve(start=start, end=end, text=text, hash=hashed)


def is_masked(resource: Resource) -> bool:
    """Tell whether a text is kept in place of a resource's original."""
    return resource.media_type == MASKED_TYPE


def read_again(data: bytes, resource: Resource, segments: Sequence[Segment]) -> Parsed:
    """Return what was read in an original that is not kept, from what is.

    Args:
        data: the text that is kept in its place.
        resource: as it is stored.
        segments: its own, as stored.
    """
    fresh = tuple(dataclasses.replace(one, outcome="pending", reason=None) for one in segments)
    return Parsed(
        text=data.decode("utf-8", "surrogatepass"),
        segments=fresh,
        modality=resource.modality,
        media_type=MASKED_TYPE,
        title=resource.title,
    )


def kept_text(parsed: Parsed) -> bytes:
    """Return the text that is kept in place of an original."""
    return parsed.text.encode("utf-8", "surrogatepass")
