"""Names in Chinese text: what follows 叫, people by surname or title, places by their endings."""

import re
from collections.abc import Iterator

from memu_py.language.chinese_names import (
    KNOWN,
    NAME_STOPS,
    NICKNAME_CHARACTERS,
    NOT_CALLED,
    NOT_NAMES,
    NOT_PLACES,
    PLACE_ENDINGS,
    SURNAMES,
    TITLE_SURNAMES,
    TITLES,
)
from memu_py.language.lexemes import Span, lexemes
from memu_py.language.mention import Mention

LONGEST_CALLED_NAME = 6
FULL_NAME_CHARACTERS = (2, 3)

LINKING = "和跟与给对让被把找"
"""Words before a name that the dictionary may take for its first character."""

_CALLED = re.compile(
    r"(?:名字(?:就)?(?:叫做|叫作|是|叫)|名叫|叫做|叫作|大名|小名|昵称(?:是|叫)?|叫)(?P<name>[\u3400-\u9fff·]{1,12})"
)
_TITLED = re.compile(rf"(?P<surname>[{''.join(sorted(TITLE_SURNAMES))}])(?:{'|'.join(TITLES)})(?!是)")
_NICKNAMED = re.compile(
    rf"(?:小|阿|老(?=[{''.join(sorted(TITLE_SURNAMES))}]))[{''.join(sorted(NICKNAME_CHARACTERS))}](?!星|月|雨|花园|路)"
)
_BRANCHED = re.compile(rf"(?:{'|'.join(sorted(KNOWN, key=len, reverse=True))})")


def chinese_mentions(text: str) -> list[Mention]:
    """Return the names of the Chinese parts of a text."""
    spans = [span for span in lexemes(text) if "\u3400" <= text[span[0]] <= "\u9fff"]
    if not spans:
        return []
    return [
        *_called(text),
        *_matches(_TITLED, text),
        *_nicknames(text, spans),
        *_people(text, spans),
        *_places(text, spans),
    ]


def _mention(text: str, start: int, end: int) -> Mention:
    return Mention(start=start, end=end, name=text[start:end])


def _called(text: str) -> Iterator[Mention]:
    for match in _CALLED.finditer(text):
        name = match.group("name")
        if match.group().startswith("叫") and name[0] in NOT_CALLED:
            continue
        length = next((place for place, char in enumerate(name) if char in NAME_STOPS), len(name))
        if 0 < length <= LONGEST_CALLED_NAME:
            yield _mention(text, match.start("name"), match.start("name") + length)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Mention]:
    for match in pattern.finditer(text):
        yield _mention(text, *match.span())


def _nicknames(text: str, spans: list[Span]) -> Iterator[Mention]:
    """小明, where the dictionary sees no longer word in it."""
    edges = {edge for span in spans for edge in span}
    edges |= {start + 1 for start, _ in spans if text[start] in LINKING}
    for match in _NICKNAMED.finditer(text):
        if match.start() in edges and match.end() in edges:
            yield _mention(text, *match.span())


def _people(text: str, spans: list[Span]) -> Iterator[Mention]:
    for start, end in spans:
        word = text[start:end]
        full = len(word) in FULL_NAME_CHARACTERS and word[0] in SURNAMES
        if full and word not in NOT_NAMES and not word.endswith(PLACE_ENDINGS):
            yield _mention(text, start, end)


def _places(text: str, spans: list[Span]) -> Iterator[Mention]:
    """A known place or brand, or a word with the ending of a place, together with the known one before it."""
    for index, (start, end) in enumerate(spans):
        word = text[start:end]
        if word in KNOWN:
            yield _mention(text, start, end)
        elif word.endswith(PLACE_ENDINGS):
            first = _first_of_place(text, spans, index)
            if first is not None:
                yield _mention(text, first, end)


def _first_of_place(text: str, spans: list[Span], index: int) -> int | None:
    start, end = spans[index]
    joined = start
    while index and spans[index - 1][1] == joined and text[slice(*spans[index - 1])] in KNOWN:
        index -= 1
        joined = spans[index][0]
    if joined < start:
        return joined
    return None if text[start:end] in NOT_PLACES else start
