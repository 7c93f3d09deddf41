"""What a grammar of dates is made of: a pattern, and how its match becomes a period."""

import dataclasses
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, tzinfo

from memu_py.language.period import DAY, Period
from memu_py.language.tense import Outlook, outlook
from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Setting(Record):
    """What a date is resolved against.

    Attributes:
        text: the whole text.
        said: when it was said, in local time and without a zone.
        zone: the zone of that time.
    """

    text: str
    said: datetime
    zone: tzinfo

    @property
    def today(self) -> date:
        """The day it was said on."""
        return self.said.date()

    @property
    def tomorrow(self) -> date:
        """The day after it: where a span up to today ends."""
        return self.today + DAY

    def outlook(self, match: re.Match[str]) -> Outlook | None:
        """Whether the sentence around a match looks back or ahead."""
        return outlook(self.text, match.start(), match.end())

    def ahead(self, match: re.Match[str]) -> bool:
        """Whether the sentence around a match looks ahead."""
        return self.outlook(match) == "future"


DIGIT = "#"
"""The clue that a text has digits."""

YEAR_DIGITS = "##"
"""The clue that a text has four digits that may be a year."""

HAN = "汉"
"""The clue that a text has Chinese characters of which dates are made."""

_WORD = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"[0-9]")
_YEAR_DIGITS = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_HAN = re.compile(r"[今昨明前后年月周星礼天日号晚早过近来节旦夜诞国世]")

Resolve = Callable[[re.Match[str], Setting], Period | None]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Rule(Record):
    """One entry of a grammar.

    Attributes:
        pattern: what it matches; a group `words` is the expression itself, without the preposition.
        resolve: what a match means; None: it is no date, and none may be found inside it.
        needs: the pattern matches only texts with one of these clues; empty where there is no clue.
    """

    pattern: re.Pattern[str]
    resolve: Resolve
    needs: frozenset[str] = frozenset()


def rule(pattern: str, resolve: Resolve) -> Rule:
    """Return a rule; case is ignored, a blank in the pattern is any white space, and only ASCII makes words.

    Args:
        pattern: a regular expression.
        resolve: what a match means.
    """
    return Rule(pattern=re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.ASCII), resolve=resolve)


def needing(needs: Iterable[str], *rules: Rule) -> tuple[Rule, ...]:
    """Return rules that are tried only on texts with a clue, which spares most texts most patterns.

    Args:
        needs: words, case folded, of which a text must have one, also with a plural s; or `DIGIT`, `YEAR_DIGITS`,
            `HAN`.
        *rules: the rules.
    """
    words = frozenset(needs)
    return tuple(one.evolve(needs=words | {f"{word}s" for word in words}) for one in rules)


def clues(text: str) -> frozenset[str]:
    """Return all that a rule may need: the Latin words of a text, `DIGIT`, `YEAR_DIGITS` and `HAN`."""
    found = set(_WORD.findall(text.casefold()))
    if _DIGIT.search(text):
        found.add(DIGIT)
        if _YEAR_DIGITS.search(text):
            found.add(YEAR_DIGITS)
    if _HAN.search(text):
        found.add(HAN)
    return frozenset(found)


def no_date(match: re.Match[str], setting: Setting) -> None:
    """Resolve a false friend: nothing inside the match is a date."""
