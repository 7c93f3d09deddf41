"""A person's profile: what items claim, and what follows from all claims together. Pure.

Claims may come in any order: what holds when follows from their own times alone, so that an old conversation that is
taken in late changes the past, and not the present.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo

from memu_py.language.profile import claims_in, value_key
from memu_py.records.facet import FacetClaim, FacetValue, HeldClaim, Uttered

ONE = "one"
BY_HAND = 1.0


def read_claims(one: Uttered, *, user: str | None, zone: tzinfo) -> list[FacetClaim]:
    """Return what an item claims, once for each time that it was said.

    Args:
        one: the item.
        user: the person's id, which may be his name.
        zone: his time zone.
    """
    if not one.times:
        return []
    if one.stated is not None:
        return _stated(one, one.stated)
    names = {name for name in (user, one.speaker) if name}
    found: list[FacetClaim] = []
    for time in one.times:
        for said in claims_in(one.text, names=names, said_at=time, zone=zone):
            happened = one.happened if said.claim.dated and one.happened and one.happened <= time else None
            claim = FacetClaim(
                item_id=one.item_id,
                facet=said.claim.facet,
                topic=said.claim.topic,
                value=said.claim.value,
                key=value_key(said.claim.value) if said.claim.value else "",
                ends=said.claim.ends,
                at=said.since or happened or time,
                confidence=said.claim.confidence,
            )
            if claim not in found:
                found.append(claim)
    return found


def _stated(one: Uttered, stated: Mapping[str, object]) -> list[FacetClaim]:
    """Return what was set or ended by hand; nothing where the metadata was written by somebody else."""
    facet, value, topic = (stated.get(name) or "" for name in ("facet", "value", "topic"))
    if not (isinstance(facet, str) and isinstance(value, str) and isinstance(topic, str) and facet):
        return []
    key, ends = value_key(value) if value else "", stated.get("ends") is True
    if not value and not ends:
        return []
    return [
        FacetClaim(
            item_id=one.item_id,
            facet=facet,
            topic=topic,
            value=value,
            key=key,
            ends=ends,
            at=time,
            confidence=BY_HAND,
        )
        for time in one.times
    ]


@dataclasses.dataclass(kw_only=True, slots=True)
class _Open:
    """A value that holds while the claims are gone through; `claims` are those that say so."""

    since: datetime
    claims: list[FacetClaim]


def lived(claims: Sequence[HeldClaim], cardinality: Mapping[str, str]) -> list[FacetValue]:
    """Return what held when.

    A facet with one value, and a topic of any facet, takes one value after the other; of the others each lasts until a
    claim ends it, or until no item that says it is left.

    Args:
        claims: all of a person's.
        cardinality: `one` or `many` by facet; others are left out.

    Returns:
        The values in order of the facets and then of their beginning.
    """
    groups: dict[tuple[str, str], list[HeldClaim]] = {}
    for one in claims:
        if one.claim.facet in cardinality:
            groups.setdefault((one.claim.facet, one.claim.topic), []).append(one)
    found = [
        value
        for (facet, topic), members in groups.items()
        for value in _group(members, single=bool(topic) or cardinality[facet] == ONE)
    ]
    order = {facet: place for place, facet in enumerate(cardinality)}
    return sorted(found, key=lambda value: (order[value.facet], value.since, value.value))


_DROPPED, _ENDED, _HELD = range(3)


def _events(members: Iterable[HeldClaim]) -> list[tuple[datetime, int, FacetClaim]]:
    events = []
    for one in members:
        # What ends when it begins was never true, nor is what it says to have ended.
        if one.ended_at is not None and one.ended_at <= one.claim.at:
            continue
        events.append((one.claim.at, _ENDED if one.claim.ends else _HELD, one.claim))
        if one.ended_at is not None and not one.claim.ends:
            events.append((one.ended_at, _DROPPED, one.claim))
    # At one moment what ends with its item goes first; then what was stored first, whose id is smaller.
    return sorted(events, key=lambda event: (event[0], event[1] != _DROPPED, event[2].item_id, event[1]))


def _group(members: Iterable[HeldClaim], *, single: bool) -> Iterator[FacetValue]:
    open_: dict[str, _Open] = {}
    for at, kind, claim in _events(members):
        if kind == _HELD:
            if single:
                yield from _close(open_, [key for key in open_ if key != claim.key], at)
            open_.setdefault(claim.key, _Open(since=at, claims=[])).claims.append(claim)
        elif kind == _ENDED:
            yield from _close(open_, [key for key in open_ if claim.key in ("", key)], at)
        elif claim.key in open_:
            left = [one for one in open_[claim.key].claims if one.item_id != claim.item_id]
            if left:
                open_[claim.key].claims = left
            else:
                yield from _close(open_, [claim.key], at)
    yield from _close(open_, list(open_), None)


def _close(open_: dict[str, _Open], keys: Sequence[str], until: datetime | None) -> Iterator[FacetValue]:
    for key in keys:
        gone = open_.pop(key)
        newest = gone.claims[-1]
        # A value that ends when it begins never held.
        if until is None or until > gone.since:
            yield FacetValue(
                facet=newest.facet,
                value=newest.value,
                topic=newest.topic,
                item_id=newest.item_id,
                since=gone.since,
                until=until,
                confidence=max(claim.confidence for claim in gone.claims),
            )


def holding(values: Iterable[FacetValue], at: datetime) -> Iterator[FacetValue]:
    """Return the values that hold at a moment."""
    return (one for one in values if one.since <= at and (one.until is None or one.until > at))
