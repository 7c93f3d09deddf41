"""What is known of a person: facets, each value with the item that says it and the time in which it holds."""

import dataclasses
from collections.abc import Iterator
from datetime import datetime

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FacetClaim(Record):
    """One thing that an item claims, at one time that it was said.

    Attributes:
        item_id: the item.
        facet: what it is about, such as `home`.
        topic: what the facet is of, where it has several, such as "wife"; empty for none.
        value: as it was said; empty, with `ends`, for whatever it was.
        key: equal for equal values.
        ends: it holds no longer.
        at: since when, or from when no longer, UTC.
        confidence: in [0, 1].
    """

    item_id: str
    facet: str
    topic: str
    value: str
    key: str
    ends: bool
    at: datetime
    confidence: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class HeldClaim(Record):
    """A claim, and what became of its item.

    Attributes:
        claim: what is claimed.
        ended_at: when the item stopped being true, UTC; None while it holds.
    """

    claim: FacetClaim
    ended_at: datetime | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Uttered(Record):
    """What claims are read from: an item, and when the person whose memory it is said it.

    Attributes:
        item_id: the item.
        text: what it says.
        times: when it was said by that person, or stored by hand, UTC, in order; empty where somebody else said it.
        happened: when its content was, UTC.
        speaker: who said it, where one is named.
        stated: facets that were set or ended by hand, as plain data; None where it was said.
    """

    item_id: str
    text: str
    times: tuple[datetime, ...]
    happened: datetime | None = None
    speaker: str | None = None
    stated: dict[str, object] | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FacetMark(Record):
    """How far claims were read.

    Attributes:
        seq: the position in the change log.
        rules: which rules read them.
    """

    seq: int
    rules: str


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FacetValue(Record):
    """A value of a facet, and when it holds. Its `str()` is the value.

    Attributes:
        facet: what it is about, such as `home`.
        value: as it was said.
        topic: what the facet is of, where it has several, such as "wife"; empty for none.
        item_id: the newest item that says it.
        since: from when on, as far as is known, UTC.
        until: when it ended, UTC; None while it holds.
        confidence: in [0, 1]: how sure the rule is that found it; 1 by hand.
    """

    facet: str
    value: str
    topic: str = ""
    item_id: str
    since: datetime
    until: datetime | None = None
    confidence: float

    def __str__(self) -> str:
        return self.value


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PersonProfile(Record):
    """What is known of a person at a moment; iterates over its values.

    Attributes:
        at: the moment, UTC.
        values: of all facets, in the order in which facets are configured; the newest first.
    """

    at: datetime
    values: tuple[FacetValue, ...] = ()

    def of(self, facet: str) -> tuple[FacetValue, ...]:
        """Return the values of one facet, the newest first."""
        return tuple(value for value in self.values if value.facet == facet)

    def __iter__(self) -> Iterator[FacetValue]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)
