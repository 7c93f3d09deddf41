"""What is said out of courtesy and holds no memory: greetings, farewells, bare acknowledgements."""

import re
from collections.abc import Iterator

from memu_py.language.courtesy_words import (
    CHINESE_COURTESIES,
    ENGLISH_COURTESIES,
    ENGLISH_FILLERS,
    CourtesyKind,
)

LONGEST_COURTESY = 200
"""A longer sentence is taken to say something."""

_RANKS: tuple[CourtesyKind, ...] = ("greeting", "farewell", "acknowledgement", "answer")
_BLANK = r"[\s,]+"
_GAP = re.compile(r"[^\w\u4e00-\u9fff]*")
_VOCATIVE = re.compile(r"[A-Z][a-zà-ÿ]+(?![\w'])(?=\s*(?:[,.;:!?~—-]|\Z))")
_CHINESE_VOCATIVE = re.compile(r"[\u4e00-\u9fff]{2,3}(?=[^\w]*\Z)")
_BEFORE_CHINESE_NAME = re.compile(r"(?:[你您]好|谢谢|多谢|感谢|再见|拜拜|嗨|嘿|恭喜|加油|[早晚]安)[^\w]*\Z")
_HAN = re.compile(r"[\u4e00-\u9fff]")

Table = dict[CourtesyKind, tuple[str, ...]]
Patterns = tuple[tuple[CourtesyKind | None, re.Pattern[str]], ...]


def _compiled(table: Table, end: str) -> Patterns:
    return tuple(
        (kind, re.compile(f"(?:{phrase.replace(' ', _BLANK)}){end}", re.IGNORECASE))
        for kind, phrases in table.items()
        for phrase in phrases
    )


_ENGLISH: Patterns = (
    *_compiled(ENGLISH_COURTESIES, r"(?![\w'])"),
    (None, re.compile(rf"(?:{ENGLISH_FILLERS.replace(' ', _BLANK)})(?![\w'])", re.IGNORECASE)),
)
_CHINESE: Patterns = _compiled(CHINESE_COURTESIES, "")


def courtesy(sentence: str) -> CourtesyKind | None:
    """Return what kind of courtesy a sentence is, None when it says anything beside it.

    The sentence must be made of known phrases from end to end; a name may be addressed among them. Of several
    kinds a greeting goes first.

    >>> courtesy("Thanks, Mel! That's so sweet"), courtesy("Thanks to Mel I got the job")
    ('acknowledgement', None)
    """
    text = re.sub("[’‘`]", "'", sentence)
    if len(text) > LONGEST_COURTESY:
        return None
    chinese = bool(_HAN.search(text))
    kinds = _reach(text, _CHINESE if chinese else _ENGLISH, chinese=chinese)
    found = kinds.get(len(text), frozenset())
    return next((kind for kind in _RANKS if kind in found), None)


def _reach(text: str, patterns: Patterns, *, chinese: bool) -> dict[int, frozenset[CourtesyKind]]:
    """Which places phrases lead to from the start, and the kinds of phrase on the way."""
    first = _gap(text, 0)
    kinds: dict[int, frozenset[CourtesyKind]] = {first: frozenset()}
    waiting = [first]
    while waiting:
        place = min(waiting)
        waiting.remove(place)
        for end, kind in _steps(text, place, patterns, kinds[place], chinese=chinese):
            reached = _gap(text, end)
            if reached not in kinds:
                waiting.append(reached)
            kinds[reached] = (
                kinds.get(reached, frozenset()) | kinds[place] | ({kind} if kind else frozenset())
            )
    return kinds


def _steps(
    text: str, place: int, patterns: Patterns, before: frozenset[CourtesyKind], *, chinese: bool
) -> Iterator[tuple[int, CourtesyKind | None]]:
    for kind, pattern in patterns:
        match = pattern.match(text, place)
        if match and match.end() > place:
            yield match.end(), kind
    named = _addressed(text, place, before, chinese=chinese)
    if named:
        yield named, None


def _addressed(text: str, place: int, before: frozenset[CourtesyKind], *, chinese: bool) -> int | None:
    """Where a name that is addressed ends; after a bare "yes" it is an answer and no address."""
    if before == {"answer"} or (chinese and not _BEFORE_CHINESE_NAME.search(text, 0, place)):
        return None
    match = (_CHINESE_VOCATIVE if chinese else _VOCATIVE).match(text, place)
    return match.end() if match else None


def _gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    return match.end() if match else place
