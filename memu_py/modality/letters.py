"""The text of a mail: what its sender says, what is quoted of others, and what follows it."""

import itertools
import re
from typing import NamedTuple

_QUOTED = re.compile(r"[ \t]{0,3}>")
_ATTRIBUTION = re.compile(
    r"\s*(?:on\b.{4,200}\bwrote|am\b.{4,200}\bschrieb.{0,100}|le\b.{4,200}\ba écrit|el\b.{4,200}\bescribió"
    r"|.{4,200}(?:写道|寫道))\s*[:：]\s*",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"\s*(?:(?:on|am|le|el)\b|[在于])", re.IGNORECASE)
"""An attribution that goes on in the next line."""
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|原始邮件|原始郵件|转发的邮件|轉寄的郵件)"
    r"\s*-{2,}\s*",
    re.IGNORECASE,
)
_RULE = re.compile(r"_{20,}\s*")
_HEAD = re.compile(r"\s*(?:from|von|de|发件人|寄件者)\s*[:：]\s*\S", re.IGNORECASE)
"""Begins the message below a rule that is answered."""
_SIGNATURE = re.compile(r"-- ?")
_BREAK = re.compile(r"\r\n|\r|\n")
MAX_ATTRIBUTION_CHARS = 400


class Line(NamedTuple):
    """A line of a letter.

    Attributes:
        text: as written.
        quoted: it repeats what another said, or says who it is that is quoted.
    """

    text: str
    quoted: bool


class Letter(NamedTuple):
    """The text of a mail.

    Attributes:
        lines: what is said, and between it what is quoted.
        rest: what follows: the signature, or the message that is answered.
    """

    lines: tuple[Line, ...]
    rest: str


def read_letter(text: str) -> Letter:
    """Return a text line by line, each with whether it is quoted."""
    lines = _BREAK.split(text)
    end = next((place for place in range(len(lines)) if _ends(lines, place)), len(lines))
    said = lines[:end]
    leading = _leading_to_quotes(said)
    marked = (
        Line(line, place in leading or _QUOTED.match(line) is not None) for place, line in enumerate(said)
    )
    return Letter(tuple(marked), "\n".join(lines[end:]).strip("\n"))


def parted(text: str) -> tuple[str, str]:
    r"""Return what a text says itself, and what it quotes.

    >>> parted("Yes, on Monday.\n\nOn 8 May 2023, Bob wrote:\n> Shall we meet?")
    ('Yes, on Monday.', 'On 8 May 2023, Bob wrote:\n> Shall we meet?')
    """
    lines, rest = read_letter(text)
    said = "\n".join(line.text for line in lines if not line.quoted)
    quoted = "\n".join([*(line.text for line in lines if line.quoted), rest])
    return said.strip(), quoted.strip()


def _ends(lines: list[str], place: int) -> bool:
    """Tell whether nothing from a line on is the sender's: a signature begins, or a message that is answered."""
    line = lines[place]
    if _ORIGINAL.fullmatch(line):
        return True
    if _RULE.fullmatch(line):
        return _HEAD.match(_following(lines, place)) is not None
    return place > 0 and _SIGNATURE.fullmatch(line) is not None


def _leading_to_quotes(lines: list[str]) -> set[int]:
    """Return the places of lines that say whose words come next, where they do; it may take two lines."""
    found: set[int] = set()
    for place, line in enumerate(lines):
        if _is_attribution(line) and _QUOTED.match(_following(lines, place)):
            found.add(place)
    for place, (line, second) in enumerate(itertools.pairwise(lines)):
        goes_on = _BEGINS.match(line) and found.isdisjoint((place, place + 1))
        if goes_on and _is_attribution(f"{line} {second}") and _QUOTED.match(_following(lines, place + 1)):
            found |= {place, place + 1}
    return found


def _is_attribution(line: str) -> bool:
    return len(line) <= MAX_ATTRIBUTION_CHARS and _ATTRIBUTION.fullmatch(line) is not None


def _following(lines: list[str], place: int) -> str:
    """Return the next line that is not blank."""
    return next((line for line in itertools.islice(lines, place + 1, None) if line.strip()), "")
