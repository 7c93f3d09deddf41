"""What a text says of its speaker: who he is, where he lives, what he likes.

Rules, and cautious ones, in English and Chinese: only what is said in the first person, of now, and as a fact. A
question, a condition, a wish, what others are said to have said, and what somebody else is, give nothing.
"""

import dataclasses
import functools
import re
from collections.abc import Collection
from datetime import UTC, datetime, tzinfo

from memu_py._core import content_words
from memu_py.language import chinese_profile, english_profile
from memu_py.language.claim import Claim
from memu_py.language.dates import resolve_dates
from memu_py.language.denials import ended
from memu_py.language.sentences import sentences
from memu_py.language.tongue import language_of
from memu_py.records.record import Record

RULES = "2"
"""Which rules these are; with others, what was found is found anew."""

_FIRST = re.compile(r"\b(?:I|my|me)\b|我", re.IGNORECASE)
"""What every text has that says something of its speaker in the first person."""

SELVES = ("the user", "user", "用户")
"""What a model may call the person that it writes of."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Said(Record):
    """A claim, and since when it holds, where a date beside it says so.

    Attributes:
        claim: what is said.
        since: UTC; None where nothing says it.
    """

    claim: Claim
    since: datetime | None = None


def claims_in(
    text: str, *, names: Collection[str] = (), said_at: datetime | None = None, zone: tzinfo = UTC
) -> list[Said]:
    """Return what a text says of its speaker.

    Args:
        text: in English or Chinese; in other languages nothing is found.
        names: what others call the speaker, so that "Ann is a nurse" is one of Ann's claims.
        said_at: when it was said; without it no dates are read.
        zone: in which its dates are.

    >>> [(one.claim.facet, one.claim.value) for one in claims_in("I'm a nurse, and I live in Porto.")]
    [('occupation', 'nurse'), ('home', 'Porto')]
    >>> [(one.claim.facet, one.claim.value) for one in claims_in("我是护士，住在上海。")]
    [('occupation', '护士'), ('home', '上海')]
    >>> claims_in("Do I live in Porto? My sister is a nurse.")
    []
    """
    known = frozenset(name.casefold() for name in names)
    if not _FIRST.search(text) and not any(name in text.casefold() for name in (*known, *SELVES)):
        return []
    own = _own(known)
    found: list[Said] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        grammar = chinese_profile if language_of(sentence) == "zh" else english_profile
        over = {(claim.facet, claim.topic, claim.value): claim for claim in ended(sentence, known)}
        told = (one for one in grammar.claims(sentence, own) if (one.facet, one.topic, one.value) not in over)
        for claim in (*over.values(), *told):
            since = _since(sentence, said_at, zone) if claim.dated and said_at else None
            found.append(Said(claim=claim, since=since))
    return found


def _since(sentence: str, said_at: datetime, zone: tzinfo) -> datetime | None:
    """Return the one date of a sentence, if it is past: with two, nothing says which is meant."""
    past = [one.span.start for one in resolve_dates(sentence, said_at=said_at, zone=zone)]
    return past[0] if len(past) == 1 and past[0] <= said_at else None


@functools.lru_cache(maxsize=256)
def _own(names: frozenset[str]) -> re.Pattern[str]:
    known = sorted({*names, *SELVES} - {""}, key=len, reverse=True)
    return re.compile(
        rf"^(?:{'|'.join(map(re.escape, known))})(?:(?P<of>'s\b|’s\b|的)|(?=\s|[是住在喜叫有对会不来讨养今从搬]))",
        re.IGNORECASE,
    )


def value_key(value: str) -> str:
    """Return what two values must share to be the same: their words without endings, whatever their order.

    >>> value_key("Black coffees") == value_key("black coffee")
    True
    """
    stems = sorted(content_words([value])[0])
    return " ".join(stems) or " ".join(value.casefold().split())
