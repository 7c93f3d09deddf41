"""What is new in a resource that comes again: grown, sent again, cut to a window, or edited.

Segments belong together when their hashes are equal and they stand in the same order. Where both versions share an
id, ids decide instead, and where they share a time, so do times: yesterday's "good morning" is not today's.
What lies between two places that belong together was edited there, if it can be the same message: its role, speaker
and date do not say otherwise.

A conversation only grows: a window of its last messages, or of its first, removes nothing, and neither does one that
leaves messages out. A document is what it is now: what it no longer holds is removed.
"""

import dataclasses
from collections.abc import Hashable, Sequence

from memu_py.modality.matching import Pairs, gaps, matches, similar_pairs
from memu_py.records.record import Record
from memu_py.records.resource import Segment

SIMILAR = 0.5
"""Likeness of two texts that makes one an edit of the other, where their places alone do not."""
MIN_SHARED = 2
"""So many messages must be the same before the place alone makes another text an edit: one may be a usual greeting."""
MIN_AGREEMENT = 0.5
"""Ids that only count the messages of a window are believed when so many of the shared ones have the same text."""

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
    """

    kept: tuple[Pair, ...] = ()
    changed: tuple[Pair, ...] = ()
    added: tuple[Segment, ...] = ()
    removed: tuple[Segment, ...] = ()


def align(old: Sequence[Segment], new: Sequence[Segment], *, growing: bool | None = None) -> Alignment:
    """Compare two versions of a resource.

    Args:
        old: the stored segments, in order.
        new: the segments of what came now, in order.
        growing: true treats it as a conversation: nothing is removed, changed segments keep their ordinals and new
            ones get those after the last. False treats it as a document, whose ordinals are those of `new`. None
            looks at `new`: turns make a conversation.
    """
    if growing is None:
        growing = bool(new) and all(segment.kind in _TURNS for segment in new)
    pairs = matches(*_keys(old, new))
    for left, right in gaps(pairs, len(old), len(new)):
        pairs = pairs + _edits(
            old, new, left, right, in_place=growing and _is_in_place(left, right, old, pairs)
        )
    pairs.sort()
    if growing:
        new = _appended(old, new, pairs)
    before, after = {a for a, _ in pairs}, {b for _, b in pairs}
    both = [Pair(old=old[a], new=new[b]) for a, b in pairs]
    gone = (segment for place, segment in enumerate(old) if place not in before)
    return Alignment(
        kept=tuple(pair for pair in both if pair.old.hash == pair.new.hash),
        changed=tuple(pair for pair in both if pair.old.hash != pair.new.hash),
        added=tuple(segment for place, segment in enumerate(new) if place not in after),
        removed=() if growing else tuple(gone),
    )


def _keys(old: Sequence[Segment], new: Sequence[Segment]) -> tuple[list[Hashable], list[Hashable]]:
    """What must be equal for two segments to belong together."""
    ids = _ids_are_kept(old, new)
    times = _times_are_kept(old, new)

    def key(segment: Segment) -> Hashable:
        if ids and (own := _id(segment)) is not None:
            return own
        return (segment.hash, segment.said_at) if times else segment.hash

    return [key(segment) for segment in old], [key(segment) for segment in new]


def _id(segment: Segment) -> tuple[str, bool, Hashable] | None:
    """A message's own id, with which of its segments this is."""
    own = segment.metadata.get("id")
    return None if own is None else (str(own), segment.kind == "context", segment.metadata.get("part"))


def _ids_are_kept(old: Sequence[Segment], new: Sequence[Segment]) -> bool:
    """Whether both versions name a message by the same id."""
    known = {own: segment.hash for segment in old if (own := _id(segment)) is not None}
    shared = {own: segment.hash for segment in new if (own := _id(segment)) is not None and own in known}
    if not all(own[0].isdigit() for own in shared):
        return True
    agreeing = sum(known[own] == one for own, one in shared.items())
    return agreeing > 0 and agreeing >= MIN_AGREEMENT * len(shared)


def _times_are_kept(old: Sequence[Segment], new: Sequence[Segment]) -> bool:
    """Whether some message comes with the time it came with before; an export may date everything anew."""
    known = {(segment.hash, segment.said_at) for segment in old if segment.said_at is not None}
    return any((segment.hash, segment.said_at) in known for segment in new)


def _is_in_place(left: range, right: range, old: Sequence[Segment], pairs: Pairs) -> bool:
    """Whether the places alone pair what lies between matches.

    Between two matches, or before the first, both sides must be equally long; behind the last, both versions must begin
    alike.
    """
    if len(pairs) < MIN_SHARED:
        return False
    if left.stop < len(old):
        return len(left) == len(right)
    return left.start == right.start


def _edits(
    old: Sequence[Segment], new: Sequence[Segment], left: range, right: range, *, in_place: bool
) -> Pairs:
    """Return which of the segments between two matches are edits of which."""
    if in_place:
        pairs = list(zip(left, right, strict=False))
    else:
        texts = [old[place].text for place in left], [new[place].text for place in right]
        pairs = [(left[a], right[b]) for a, b in similar_pairs(*texts, least=SIMILAR)]
    return [(a, b) for a, b in pairs if _may_be_same(old[a], new[b])]


def _may_be_same(old: Segment, new: Segment) -> bool:
    """Whether nothing says that these are two messages: an edit keeps its author, its id and its date."""
    if (old.kind == "context", old.role, old.speaker) != (new.kind == "context", new.role, new.speaker):
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
