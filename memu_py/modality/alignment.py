"""What is new in a resource that comes again: grown, sent again, cut to a window, or edited.

Segments belong together when their hashes are equal and they stand in the same order. Where both versions share an id, ids
decide instead, and where they share a time, so do times: yesterday's "good morning" is not today's.
What lies between two places that belong together was edited there, if it can be the same message: its role, speaker and
date do not say otherwise.

A conversation only grows: a window of its last messages, or of its first, removes nothing. A document is what it is now:
what it no longer holds is removed.
"""

import dataclasses
from collections.abc import Hashable, Iterator, Sequence

from memu_py.modality.matching import Pairs, gaps, matches, similar_pairs
from memu_py.records.batch import Move
from memu_py.records.record import Record
from memu_py.records.resource import Segment

SIMILAR = 0.5
"""Likeness of two texts that makes one an edit of the other, where their places alone do not."""

_TURNS = frozenset({"turn", "context"})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Pair(Record):
    """A segment before and after.

    Attributes:
        old: as it is stored.
        new: as it came now, with the ordinal that it has from now on.
    """

    old: Segment
    new: Segment


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Alignment(Record):
    """How two versions of a resource differ.

    Attributes:
        kept: what both have.
        changed: what stands at the same place with another text.
        added: what is new, with the ordinals that it gets.
        removed: what a document no longer holds; always empty for conversations.
        growing: the resource was treated as a conversation, and ordinals of old segments stay.
    """

    kept: tuple[Pair, ...] = ()
    changed: tuple[Pair, ...] = ()
    added: tuple[Segment, ...] = ()
    removed: tuple[Segment, ...] = ()
    growing: bool = False

    @property
    def unchanged(self) -> bool:
        """Whether there is nothing new, changed or removed."""
        return not (self.changed or self.added or self.removed)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The kept segments of a document that stand at another place now; a conversation's stay where they are."""
        if self.growing:
            return ()
        return tuple(
            Move(old=pair.old.ordinal, new=pair.new.ordinal, start=pair.new.start, end=pair.new.end)
            for pair in self.kept
            if _place(pair.old) != _place(pair.new)
        )


def align(old: Sequence[Segment], new: Sequence[Segment], *, growing: bool | None = None) -> Alignment:
    """Compare two versions of a resource.

    Args:
        old: the stored segments, in order.
        new: the segments of what came now, in order.
        growing: true treats it as a conversation: nothing is removed, changed segments keep their ordinals and new ones
            get those after the last. False treats it as a document, whose ordinals are those of `new`. None looks at `new`:
            turns make a conversation.
    """
    if growing is None:
        growing = bool(new) and all(segment.kind in _TURNS for segment in new)
    pairs = matches(*_keys(old, new))
    edits = [
        (left[a], right[b])
        for left, right in gaps(pairs, len(old), len(new))
        for a, b in _edits(old, new, left, right, growing=growing)
    ]
    kept = [pair for pair in pairs if old[pair[0]].hash == new[pair[1]].hash]
    changed = sorted([*edits, *(pair for pair in pairs if pair not in set(kept))])
    if growing:
        new = _appended(old, new, sorted([*kept, *changed]))
    return _alignment(old, new, kept, changed, growing=growing)


def _alignment(
    old: Sequence[Segment], new: Sequence[Segment], kept: Pairs, changed: Pairs, *, growing: bool
) -> Alignment:
    known = {a for a, _ in kept} | {a for a, _ in changed}
    seen = {b for _, b in kept} | {b for _, b in changed}
    gone = () if growing else tuple(segment for place, segment in enumerate(old) if place not in known)
    return Alignment(
        kept=tuple(Pair(old=old[a], new=new[b]) for a, b in kept),
        changed=tuple(Pair(old=old[a], new=new[b]) for a, b in changed),
        added=tuple(segment for place, segment in enumerate(new) if place not in seen),
        removed=gone,
        growing=growing,
    )


def _place(segment: Segment) -> tuple[int, int, int]:
    return segment.ordinal, segment.start, segment.end


def _keys(old: Sequence[Segment], new: Sequence[Segment]) -> tuple[list[Hashable], list[Hashable]]:
    """What must be equal for two segments to belong together."""
    ids = _shared([_id(segment) for segment in old], [_id(segment) for segment in new])
    times = _shared([_time(segment) for segment in old], [_time(segment) for segment in new])

    def key(segment: Segment) -> Hashable:
        if ids and (own := _id(segment)) is not None:
            return own
        return (segment.hash, segment.said_at) if times else segment.hash

    return [key(segment) for segment in old], [key(segment) for segment in new]


def _shared(old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
    return not {one for one in old if one is not None}.isdisjoint(new)


def _id(segment: Segment) -> Hashable:
    """A message's own id, with which of its segments this is."""
    own = segment.metadata.get("id")
    if own is None:
        return None
    return str(own), segment.kind, segment.metadata.get("part")


def _time(segment: Segment) -> Hashable:
    return None if segment.said_at is None else (segment.hash, segment.said_at)


def _edits(
    old: Sequence[Segment], new: Sequence[Segment], left: range, right: range, *, growing: bool
) -> Iterator[tuple[int, int]]:
    """Yield which of the segments between two matched places are edits, as places within both ranges."""
    before, after = [old[place] for place in left], [new[place] for place in right]
    if not before or not after:
        return
    in_place = growing and len(before) == len(after) and _closed(left, right, len(old), len(new))
    pairs = (
        [(place, place) for place in range(len(before))]
        if in_place
        else similar_pairs(
            [segment.text for segment in before], [segment.text for segment in after], least=SIMILAR
        )
    )
    yield from ((a, b) for a, b in pairs if _may_be_same(before[a], after[b]))


def _closed(left: range, right: range, old_length: int, new_length: int) -> bool:
    """Whether a gap has something that belongs together, or the very beginning or end of both, on both its sides."""
    opens = left.start == right.start == 0 or min(left.start, right.start) > 0
    both_end = left.stop == old_length and right.stop == new_length
    whole = left.start == right.start
    closes = (both_end and whole) or (left.stop < old_length and right.stop < new_length)
    alone = left.start == 0 and both_end
    return opens and closes and not alone


def _may_be_same(old: Segment, new: Segment) -> bool:
    """Whether nothing says that these are two messages: an edit keeps its author, its id and its date."""
    if (old.kind, old.role, old.speaker) != (new.kind, new.role, new.speaker):
        return False
    if old.said_at is not None and new.said_at is not None and old.said_at != new.said_at:
        return False
    ids = old.metadata.get("id"), new.metadata.get("id")
    return None in ids or ids[0] == ids[1]


def _appended(old: Sequence[Segment], new: Sequence[Segment], pairs: Pairs) -> list[Segment]:
    """Give the new version's segments the ordinals that they have in the grown conversation."""
    known = {b: old[a].ordinal for a, b in pairs}
    following = max((segment.ordinal for segment in old), default=-1) + 1
    numbered: list[Segment] = []
    for place, segment in enumerate(new):
        ordinal = known.get(place)
        if ordinal is None:
            ordinal, following = following, following + 1
        numbered.append(segment.evolve(ordinal=ordinal))
    return numbered
