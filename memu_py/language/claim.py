"""What somebody says of himself, and the rules that find it."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from memu_py.records.record import Record

FULL = 0.9
FAIR = 0.7
"""How sure a rule is: one that leaves nothing open, and one that rests on the form of a word."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Claim(Record):
    """One thing that a speaker says of himself.

    Attributes:
        facet: what it is about, such as `home`.
        value: as it is said, such as "Porto"; empty, with `ends`, for whatever it was.
        topic: what the facet is of, where it has several, such as "wife"; a topic has one value.
        ends: it holds no longer.
        dated: a date beside it says since when.
        confidence: in [0, 1].
    """

    facet: str
    value: str = ""
    topic: str = ""
    ends: bool = False
    dated: bool = False
    confidence: float = FULL


Reading = Callable[[Mapping[str, str]], Iterable[Claim]]
"""From the groups of a match to what it claims; groups that took no part are empty."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ClaimRule(Record):
    """A pattern of a clause, and what it claims.

    Attributes:
        pattern: matched at the beginning of a clause, or anywhere in it if it says so itself.
        read: makes the claims.
    """

    pattern: re.Pattern[str]
    read: Reading

    def claims(self, clause: str) -> Iterator[Claim]:
        """Return what a clause claims by this rule."""
        match = self.pattern.match(clause)
        if match:
            yield from self.read({name: (text or "").strip() for name, text in match.groupdict().items()})


def one(facet: str, *, dated: bool = False, confidence: float = FULL, ends: bool = False) -> Reading:
    """Return a reading by which the group `v` is the value of a facet, and `t` its topic."""

    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        value = found["v"].rstrip(" .!…。！")
        if value:
            topic = found.get("t", "").casefold()
            yield Claim(facet=facet, value=value, topic=topic, dated=dated, confidence=confidence, ends=ends)

    return read


def ending(*facets: str) -> Reading:
    """Return a reading by which facets end, whatever they were; or at the value `v`, if it is there."""

    def read(found: Mapping[str, str]) -> Iterator[Claim]:
        for facet in facets:
            yield Claim(
                facet=facet, value=found.get("v", ""), topic=found.get("t", ""), ends=True, dated=True
            )

    return read
