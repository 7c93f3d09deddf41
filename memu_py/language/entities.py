"""Names of people, places and things in a text, by rule."""

import re
from collections.abc import Collection, Iterator

from memu_py.language.chinese_entities import chinese_mentions
from memu_py.language.common_words import COMMON_WORDS
from memu_py.language.english_entities import english_mentions
from memu_py.language.mention import Mention, apart

LONGEST_QUOTE = 60

_QUOTED = re.compile(
    r"“([^“”\n]+)”|\"([^\"\n]+)\"|《([^《》\n]+)》|「([^「」\n]+)」|『([^『』\n]+)』|〈([^〈〉\n]+)〉"
)
_SPEAKER = re.compile(
    r"(?<![\w'’])(?:[Ii](?=\s|['’](?:m|ve|d|ll)\b|[,.;!?]|$)|(?:[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b)"
    r"|我(?!们|国|司|校|市|省|方|军)|俺(?!们)|本人"
)


def entities(text: str, *, speaker: str | None = None, names: Collection[str] = ()) -> tuple[str, ...]:
    """Return the names in a text: proper names, quoted titles, identifiers and compounds.

    Args:
        text: any text, English or Chinese.
        speaker: who says it; “I”, “my” and 我 mean this name.
        names: names that are known, such as those of the people who take part; they are found wherever they
            stand, and spelled as here.

    Returns:
        The names as written, in order of their first place, without repeats that differ in case only.

    >>> entities("I moved to New York with Ann.", speaker="Leo")
    ('Leo', 'New York', 'Ann')
    """
    speaker = speaker.strip() if speaker else None
    known = [name.strip() for name in (*names, speaker or "") if name.strip()]
    folded = {name.casefold() for name in known}
    quoted = list(_quoted(text))
    found = apart([*_known(text, known), *english_mentions(text, folded), *chinese_mentions(text)])
    found = [one for one in found if one.name.casefold() in folded or not _within(one, quoted)] + quoted
    if speaker and (said := _SPEAKER.search(text)):
        found.append(Mention(start=said.start(), end=said.end(), name=speaker))
    first: dict[str, str] = {}
    for mention in sorted(found, key=lambda one: one.start):
        first.setdefault(mention.name.casefold(), mention.name)
    return tuple(first.values())


def _within(mention: Mention, quoted: list[Mention]) -> bool:
    return any(quote.start < mention.start and mention.end < quote.end for quote in quoted)


def _quoted(text: str) -> Iterator[Mention]:
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group)
        name = inner.strip().rstrip(",.，。")
        if 1 < len(name) <= LONGEST_QUOTE:
            yield Mention(start=match.start(), end=match.end(), name=name)


def _known(text: str, known: list[str]) -> Iterator[Mention]:
    for name in known:
        for match in _pattern(name).finditer(text):
            yield Mention(start=match.start(), end=match.end(), name=name)


def _pattern(name: str) -> re.Pattern[str]:
    """A known name in any case, whole where it is Latin; one that is also a common word only as written."""
    left = r"(?<![^\W\u3400-\u9fff])" if name[0].isascii() else ""
    right = r"(?![^\W\u3400-\u9fff])" if name[-1].isascii() else ""
    flags = re.NOFLAG if name.casefold() in COMMON_WORDS else re.IGNORECASE
    return re.compile(rf"{left}{re.escape(name)}{right}", flags)
