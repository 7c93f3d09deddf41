"""What a correction makes of a memory: "that is wrong, it was 2021", "not Porto but Lisbon", 不是上海，是杭州.

A correction has words that only say that something is wrong, and then what is right: a date alone, a piece in the place
of another, or the whole statement. What is none of these is not understood, and changes nothing.
"""

import dataclasses
import re
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Literal

from memu_py.language.dates import FoundDate, first_date, resolve_dates
from memu_py.language.tongue import language_of
from memu_py.records.record import Record
from memu_py.records.span import TimeSpan

How = Literal["date", "piece", "statement", "end"]

_LEAD = re.compile(
    r"^(?:(?:no|nope|sorry|actually|wait|hm+|well|please|correction)\b[\s,.:;!—–-]*|"
    r"(?:(?:that|this|it)(?:['’]s| is| was)\s+(?:just\s+|simply\s+|completely\s+|all\s+)?"
    r"(?:wrong|incorrect|false|untrue|a mistake|not (?:true|right|correct)))\b[\s,.:;!—–-]*|"
    r"(?:(?:not\s+(?:true|right|correct))|wrong|incorrect|false|untrue)\b[\s,.:;!—–-]*|"
    r"(?:you(?:['’]re| are)\s+(?:wrong|mistaken))\b[\s,.:;!—–-]*|"
    r"(?:不对|错了|不是这样的?|搞错了|弄错了|记错了|说错了|这(?:是|个)?(?:错|不对)的?|那(?:是|个)?(?:错|不对)的?|更正一下|不)"
    r"[\s，,。.：:；;！!]+|(?:不对|错了|不是这样的?|搞错了|弄错了|记错了|说错了|这(?:是|个)?(?:错|不对)的?|那(?:是|个)?(?:错|不对)的?)$)+",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"^(?:(?:其实|应该|实际上|真正)+(?:是|在|为)?|[是在为]|"
    r"(?:(?:it|that|this)\s+)?(?:(?:really|actually|rather)\s+)?(?:(?:was|is|were|happened|should\s+be|must\s+be|"
    r"would\s+be|will\s+be)|['’]s)?\s*(?:really\s+|actually\s+)?)",
    re.IGNORECASE,
)
_BARE_LEFT = re.compile(
    r"^(?:in|on|at|during|back|around|about|the|of|from|是|在|于|的|了)*\s*", re.IGNORECASE
)
_SWAPS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:(?:it|that)(?:['’]s| is| was)\s+)?not\s+(?:in\s+|at\s+|on\s+)?(?P<old>.+?)\s*,?\s*"
        r"(?:but|it(?:['’]s| is| was))\s+(?:in\s+|at\s+|on\s+)?(?P<new>.+?)$",
        r"^(?:(?:it|that)(?:['’]s| is| was)\s+)?(?:in\s+|at\s+|on\s+)?(?P<new>.+?)\s*,?\s+(?:and\s+)?"
        r"(?:not|instead\s+of|rather\s+than)\s+(?:in\s+|at\s+|on\s+)?(?P<old>.+?)$",
        r"^(?:应该)?(?:不是|并非)(?P<old>.+?)[，,\s]*(?:而是|应该是|是)(?P<new>.+?)$",
        r"^(?:应该)?是(?P<new>.+?)[，,\s]*(?:而)?不是(?P<old>.+?)$",
    )
)
_SWAP = re.compile(
    r"^(?:(?:it|that)(?:['’]s| is| was)\s+)?not\b|\b(?:instead\s+of|rather\s+than)\b|,\s*(?:and\s+)?not\b|"
    r"^(?:应该)?(?:不是|并非)|^(?:应该)?是.*不是",
    re.IGNORECASE,
)
"""A correction that names what is wrong beside what is right."""
_WRONG = re.compile(
    r"wrong|incorrect|false|untrue|mistake|not (?:true|right|correct)|不对|错|不是", re.IGNORECASE
)
_CLOSING = " .。!！…\n\t"
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_STATEMENT_WORDS = 3
"""Words that a whole statement has at least; fewer are a piece of one."""
_STATEMENT_SIGNS = 4
"""The same in Chinese characters."""
_FRAGMENT = re.compile(r"^(?:(?:it|that|this)\b|(?:那|这)(?!个|位|些)|应该是|其实是|是)", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Amendment(Record):
    """What a memory becomes.

    Attributes:
        how: by another `date`, another `piece`, another `statement`; or it holds no longer at all (`end`).
        text: the memory from now on; empty when it ends.
        happened: when it was, from now on; None where nothing is said.
    """

    how: How
    text: str = ""
    happened: TimeSpan | None = None


def amended(
    text: str, words: str, *, happened: TimeSpan | None, said_at: datetime, now: datetime, zone: tzinfo = UTC
) -> Amendment | None:
    """Return what a correction makes of a memory; None where it does not fit it, or is not understood.

    Args:
        text: of the memory.
        words: the correction, in English or Chinese.
        happened: when the memory was, as far as it is known.
        said_at: when it was said: what its dates count from.
        now: when it is corrected: what the correction's dates count from.
        zone: in which days are.

    >>> said = datetime(2024, 5, 1, tzinfo=UTC)
    >>> amended("I moved in 2020.", "That is wrong, it was 2021", happened=None, said_at=said, now=said).text
    'I moved in 2021.'
    >>> amended("I live in Porto.", "not Porto but Rome", happened=None, said_at=said, now=said).text
    'I live in Rome.'
    """
    rest = content_of(words)
    if not rest:
        return Amendment(how="end") if _WRONG.search(words) else None
    if _SWAP.search(rest):
        swapped = _swapped(text, rest)
        if swapped is None:
            return None
        again = first_date(swapped, said_at=said_at, zone=zone)
        return Amendment(how="piece", text=swapped, happened=again or happened)
    date = only_date(rest, now=now, zone=zone)
    if date is not None:
        return _redated(text, date, happened=happened, said_at=said_at, zone=zone)
    if not _is_statement(rest):
        return None
    return Amendment(how="statement", text=rest, happened=first_date(rest, said_at=now, zone=zone))


def content_of(words: str) -> str:
    """Return what a correction says to be right; empty where it only says that something is wrong.

    >>> content_of("No, that's wrong: Ann lives in Porto."), content_of("不对，是2021年")
    ('Ann lives in Porto', '是2021年')
    """
    rest = words.strip()
    return _LEAD.sub("", rest).strip(_CLOSING)


def only_date(rest: str, *, now: datetime, zone: tzinfo = UTC) -> TimeSpan | None:
    """Return the date that a text is, if it says nothing else.

    Args:
        rest: from `content_of`.
        now: when it is said.
        zone: in which days are.
    """
    bare = _WAS.sub("", rest, count=1).strip(_CLOSING)
    # The grammar takes four digits for a year only behind such a word.
    bare = f"in {bare}" if _YEAR.fullmatch(bare) else bare
    found = resolve_dates(bare, said_at=now, zone=zone)
    if len(found) != 1:
        return None
    before, after = bare[: found[0].start], bare[found[0].end :].strip(_CLOSING + "的了")
    return found[0].span if not after and not _BARE_LEFT.sub("", before).strip() else None


def _swapped(text: str, rest: str) -> str | None:
    """Return the text with a piece in the place of another, where it has that one."""
    for pattern in _SWAPS:
        match = pattern.match(rest)
        if match is None:
            continue
        old, new = match["old"].strip(_CLOSING), match["new"].strip(_CLOSING)
        edge = "" if language_of(old) == "zh" else r"\b"
        left, right = (edge if old[:1].isalnum() else ""), (edge if old[-1:].isalnum() else "")
        found = re.compile(f"{left}{re.escape(old)}{right}", re.IGNORECASE)
        if old and new and found.search(text):
            return found.sub(partial(_joined, new=new), text)
    return None


def _joined(match: re.Match[str], new: str) -> str:
    """Return a piece without the words at its end that go on behind its place: "30 euros" before "euros"."""
    behind = match.string[match.end() :].casefold()
    for cut in re.finditer(r"\s+", new):
        if behind.startswith(new[cut.start() :].casefold()):
            return new[: cut.start()]
    return new


def _redated(
    text: str, date: TimeSpan, *, happened: TimeSpan | None, said_at: datetime, zone: tzinfo
) -> Amendment:
    found = resolve_dates(text, said_at=said_at, zone=zone)
    words = _absolute(date, said_at, zone)
    meant = _meant(found, happened)
    if meant is None:
        return Amendment(how="date", text=_with_date(text, words), happened=date)
    old, new = text[meant.start : meant.end], words
    span, year = date, _YEAR.search(date.words)
    if date.precision == "year" and year and _YEAR.search(old):
        # "In May 2020", and it was 2021: the month stays.
        new = _YEAR.sub(year[0], old, count=1)
        span = first_date(f"in {new}", said_at=said_at, zone=zone) or date
    return Amendment(how="date", text=text[: meant.start] + new + text[meant.end :], happened=span)


def _absolute(date: TimeSpan, said_at: datetime, zone: tzinfo) -> str:
    """Return the words of a date as they are right beside a memory that was said at another time."""
    words = f"in {date.words}" if _YEAR.fullmatch(date.words) else date.words
    again = first_date(words, said_at=said_at, zone=zone)
    if again is not None and again.start == date.start:
        return date.words
    return f"{date.start.astimezone(zone):%Y-%m-%d}"


def _meant(found: list[FoundDate], happened: TimeSpan | None) -> FoundDate | None:
    """Return the date of a text that is corrected: the one that the memory goes by, else the first."""
    same = [one for one in found if happened is not None and one.span.start == happened.start]
    return next(iter(same or found), None)


def _with_date(text: str, words: str) -> str:
    bare = text.rstrip(_CLOSING)
    end = text[len(bare) :].rstrip() or ""
    return f"{bare}（{words}）{end}" if language_of(text) == "zh" else f"{bare} ({words}){end}"


def _is_statement(rest: str) -> bool:
    if _FRAGMENT.match(rest):
        return False
    if language_of(rest) == "zh":
        return len(re.findall(r"[\u3400-\u9fff]", rest)) >= _STATEMENT_SIGNS
    return len(rest.split()) >= _STATEMENT_WORDS
