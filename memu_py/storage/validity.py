"""Since when and until when relations hold: worked out anew from all that was said, in whatever order it came."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from datetime import datetime
from typing import NamedTuple


class Statement(NamedTuple):
    """What is said of one subject under one predicate.

    Attributes:
        id: the relation's; later ones sort behind earlier ones.
        object: a node.
        since: when it began, UTC.
        denied: it says that this holds no longer.
        single: the subject has one object at a time.
        ended_at: when it was ended by hand, or with its item, UTC.
        whatever: it denies all objects, whichever they were.
    """

    id: str
    object: str
    since: datetime
    denied: bool
    single: bool
    ended_at: datetime | None
    whatever: bool = False


class _Next(NamedTuple):
    object: str
    since: datetime


def ends(statements: Iterable[Statement]) -> dict[str, datetime | None]:
    """Return when each relation ended; None for one that holds, and for one that only denies.

    A relation ends when it is ended, when a later one denies it, or, where a subject has one object at a time, when a
    later one gives it another object. One that arrives late is so inserted closed, and when what ended it is deleted,
    it holds again. One that was ended at its beginning never held: it ends nothing.

    Args:
        statements: all of one subject and predicate.
    """
    found: dict[str, datetime | None] = {}
    denied: dict[str, datetime] = {}
    over: list[datetime] = []
    # The nearest later objects: the first, and the first that is another one.
    first: _Next | None = None
    other: _Next | None = None
    for one in sorted(statements, key=lambda one: (one.since, one.id), reverse=True):
        if one.ended_at is not None and one.ended_at <= one.since:
            found[one.id] = None if one.denied else one.since
            continue
        if one.denied:
            found[one.id] = None
            if one.whatever:
                over.append(one.since)
            else:
                denied[one.object] = one.since
            continue
        replaced = first if first is None or first.object != one.object else other
        # What is said in one breath with it comes after it: "I lost my job, and now I work at Acme".
        lost = next((since for since in reversed(over) if since > one.since), None)
        limits = [
            lost,
            one.ended_at,
            denied.get(one.object),
            replaced.since if one.single and replaced else None,
        ]
        given = [limit for limit in limits if limit is not None]
        found[one.id] = max(min(given), one.since) if given else None
        if first is None or first.object != one.object:
            first, other = _Next(one.object, one.since), first
        else:
            first = _Next(one.object, one.since)
    return found


def grouped(rows: Iterable[tuple[Hashable, Statement]]) -> dict[str, datetime | None]:
    """Return the same for several groups, each under its key: a subject and predicate, and who was told."""
    groups: defaultdict[Hashable, list[Statement]] = defaultdict(list)
    for key, statement in rows:
        groups[key].append(statement)
    return {name: end for statements in groups.values() for name, end in ends(statements).items()}
