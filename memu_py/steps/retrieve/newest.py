"""Of two memories that speak of the same thing, the newer one comes first. Pure."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memu_py._core import content_words
from memu_py.language.asked import says_now, without_now
from memu_py.records.hit import Hit
from memu_py.records.identity import DATED_TYPES
from memu_py.records.item import Item
from memu_py.records.link import REVISES, SIMILAR, SUPERSEDES, Link

ALIKE = 0.5
"""So many of the content words of the shorter of two sentences, at least, are shared where they are alike."""
LEAST_SHARED = 2
"""One word in common is a topic, and no likeness."""

NEWER = "newer"
"""Name of what a hit gained by being newer, among its scores."""


def newest_first(hits: Sequence[Hit[Item]], links: Iterable[Link], *, margin: float) -> list[Hit[Item]]:
    """Move hits to right before older ones that they are linked with.

    One that takes back another always goes before it; one that is only similar does so where their scores differ by
    no more than the margin. It takes the score of the one that it passes, so that scores still fall.

    Args:
        hits: best first.
        links: between them, in either direction.
        margin: of scores.
    """
    near = _near(links)
    moved: list[Hit[Item]] = []
    for hit in hits:
        place = next(
            (place for place, other in enumerate(moved) if _passes(hit, other, near, margin)), len(moved)
        )
        moved.insert(place, _lifted(hit, moved[place].score) if place < len(moved) else hit)
    return moved


def alike(hits: Sequence[Hit[Item]]) -> list[Link]:
    """Return links between hits that speak of the same thing in nearly the same words, and are no events.

    Two sentences of one speaker are alike when they begin with the same content word, and half of those of the shorter
    one stand in the other, too: "my favourite tea is jasmine" and "my favourite tea is oolong now". The newer one takes
    the older one back where it says that it is so now. What happened twice did happen twice.
    """
    told = [hit.record for hit in hits if hit.record.type not in DATED_TYPES]
    words = content_words([without_now(item.text) for item in told])
    return [
        _alike(one, other)
        for (one, mine), (other, theirs) in itertools.combinations(zip(told, words, strict=True), 2)
        if one.speaker == other.speaker and _same_frame(mine, theirs)
    ]


def _same_frame(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    shared = len({*mine} & {*theirs})
    return mine[:1] == theirs[:1] and shared >= max(LEAST_SHARED, ALIKE * min(len({*mine}), len({*theirs})))


def _alike(one: Item, other: Item) -> Link:
    older, newer = sorted((one, other), key=_clock)
    kind = REVISES if says_now(newer.text) and not says_now(older.text) else SIMILAR
    return Link(source_id=newer.id, target_id=older.id, kind=kind)


def _near(links: Iterable[Link]) -> Mapping[frozenset[str], bool]:
    """Return the pairs that are linked, and whether one of them takes back the other."""
    near: dict[frozenset[str], bool] = {}
    for link in links:
        if link.kind in (SIMILAR, REVISES, SUPERSEDES):
            pair = frozenset((link.source_id, link.target_id))
            near[pair] = near.get(pair, False) or link.kind != SIMILAR
    return near


def _passes(hit: Hit[Item], other: Hit[Item], near: Mapping[frozenset[str], bool], margin: float) -> bool:
    takes_back = near.get(frozenset((hit.record.id, other.record.id)))
    if takes_back is None or _clock(hit.record) <= _clock(other.record):
        return False
    own = other.score - other.scores.get(NEWER, 0.0)
    return takes_back or own - hit.score <= margin


def _clock(item: Item) -> datetime:
    return item.last_reinforced_at or item.said_at or item.created_at


def _lifted(hit: Hit[Item], score: float) -> Hit[Item]:
    return hit.evolve(score=score, scores={**hit.scores, NEWER: score - hit.score})
