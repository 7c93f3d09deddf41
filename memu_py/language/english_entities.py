"""Names in English text: capitalised runs, identifiers, compounds."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator

from memu_py.language.common_words import (
    ADJECTIVES,
    COMMON_WORDS,
    COMPOUND_HEADS,
    FUNCTION_WORDS,
    OPENING_WORDS,
    VERB_LIKE_ENDINGS,
)
from memu_py.language.date_words import MONTHS, WEEKDAYS
from memu_py.language.mention import Mention
from memu_py.language.sentences import sentences

SHOUT_CHARS = 6
"""A word all in capitals is an acronym up to this length; beyond it is loud, unless it is known."""

_LETTER = "A-Za-zÀ-ÖØ-öø-ÿ"
_CAPITAL = r"(?:(?:Dr|Mr|Mrs|Ms|St|Prof|[A-Z])\.|[A-ZÀ-ÖØ-Þ][\wÀ-ÿ]*(?:['’&-][\wÀ-ÿ]+)*)"
_JOINT = r"(?:of|of the|de|de la|da|van|van der|von|der|la|le|del|di|du|for the|&)"
_RUN = re.compile(
    rf"(?<![\w@#./-]){_CAPITAL}(?:[ \t]{_JOINT}(?=[ \t][A-ZÀ-ÖØ-Þ])|[ \t]{_CAPITAL})*"
    r"(?:[ \t]\d{1,4}\b(?![:.]\d))?"
)
_PART = re.compile(r"[^ \t]+")
_POSSESSIVE = re.compile(r"['’`]s?\Z")
_CONTRACTION = re.compile(r"(?:n't|'(?:ll|re|ve|d|m|s))\Z")
_IDENTIFIER = re.compile(
    r"(?<![\w@.])(?:"
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}"
    r"|[@#][^\W\d_][\w-]{1,40}"
    r"|[a-z]{1,3}[A-Z]\w+(?:\s\d{1,4}\b)?"
    r"|[A-Za-z]\w*(?:\+\+|#)"
    r"|[A-Za-z][\w-]{0,60}\.(?:js|ts|py|rs|ai|io|com|org|net|dev|md|txt|pdf|csv|json|yaml)\b"
    r"|[A-Za-z]{1,40}(?:-[A-Za-z]{1,40}){0,4}-?\d(?:[\w.]{0,40}\w)?\b"
    r"|[A-Za-z]{1,40}_\w+"
    r")"
)
_COMPOUND = re.compile(
    rf"(?<![\w-])(?P<modifiers>(?:[{_LETTER}][{_LETTER}-]{{2,}} ){{1,2}})"
    rf"(?:{'|'.join(sorted(COMPOUND_HEADS))})(?:e?s)?\b"
)
_OPENING = re.compile(r"[\W_]*\Z")
_NO_MODIFIERS = COMMON_WORDS | ADJECTIVES
_MODIFIER_ENDINGS = ("ed", "ly", "ful", "ous")
_CALENDAR = frozenset(MONTHS) | frozenset(WEEKDAYS)


def english_mentions(text: str, known: Collection[str]) -> list[Mention]:
    """Return the names of a text.

    Args:
        text: any text.
        known: names that are known, case folded; they count also at the start of a sentence.
    """
    starts = [start for start, _ in sentences(text)]
    runs = [
        mention
        for match in _RUN.finditer(text)
        for mention in _names(match, opens=_opens(text, match.start(), starts), known=known)
    ]
    return [*runs, *_identifiers(text), *_compounds(text)]


def _opens(text: str, place: int, starts: list[int]) -> bool:
    """Whether a place is the start of a sentence, or of what is said after a colon or an opening quote."""
    nearest = bisect_right(starts, place) - 1
    before = text[starts[nearest] : place] if nearest >= 0 else text[:place]
    return bool(_OPENING.match(before)) or before.rstrip().endswith((":", "“", '"', "("))


def _names(run: re.Match[str], *, opens: bool, known: Collection[str]) -> Iterator[Mention]:
    """The names within a capitalised run: it is cut at words that are none."""
    pending: list[re.Match[str]] = []
    for part in _PART.finditer(run.group()):
        first = opens and part.start() == 0
        if _breaks(part.group(), first=first, known=known):
            yield from _joined(run, pending)
            pending = []
            continue
        pending.append(part)
        if _POSSESSIVE.search(part.group()):
            yield from _joined(run, pending)
            pending = []
    yield from _joined(run, pending)


def _breaks(word: str, *, first: bool, known: Collection[str]) -> bool:
    plain = re.sub("[’`]", "'", word).casefold()
    folded = _POSSESSIVE.sub("", plain)
    if folded in known:
        return False
    if plain in FUNCTION_WORDS or _CONTRACTION.sub("", plain) in FUNCTION_WORDS or folded in _CALENDAR:
        return not word[0].islower()
    if word.isupper() and len(word) > 1:
        return folded in COMMON_WORDS or len(word) > SHOUT_CHARS
    return first and (folded in OPENING_WORDS or folded.endswith(VERB_LIKE_ENDINGS))


def _joined(run: re.Match[str], parts: list[re.Match[str]]) -> Iterator[Mention]:
    while parts and not parts[0].group()[0].isupper():
        parts = parts[1:]
    while parts and not (parts[-1].group()[0].isupper() or parts[-1].group().isdigit()):
        parts = parts[:-1]
    if not parts:
        return
    start, end = run.start() + parts[0].start(), run.start() + parts[-1].end()
    surface = run.string[start:end]
    name = _POSSESSIVE.sub("", surface).rstrip(".")
    if len(name) > 1 and not all(part.group().casefold() in COMMON_WORDS for part in parts):
        yield Mention(start=start, end=start + len(name), name=name)


def _identifiers(text: str) -> Iterator[Mention]:
    for match in _IDENTIFIER.finditer(text):
        yield Mention(start=match.start(), end=match.end(), name=match.group())


def _compounds(text: str) -> Iterator[Mention]:
    for match in _COMPOUND.finditer(text):
        modifiers: list[str] = []
        for word in reversed(match.group("modifiers").split()):
            if word.casefold() in _NO_MODIFIERS or (word.islower() and word.endswith(_MODIFIER_ENDINGS)):
                break
            modifiers.insert(0, word)
        if modifiers:
            start = text.index(modifiers[0], match.start(), match.end())
            yield Mention(start=start, end=match.end(), name=text[start : match.end()])
