"""The terms that tell a group of texts from the rest, for naming a category."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memu_py._core import content_words
from memu_py.errors import InvalidInput
from memu_py.language.common_words import FUNCTION_WORDS
from memu_py.language.lexemes import lexemes

SHORTEST_TERM = 2
"""A term of fewer characters names nothing."""

Forms = dict[str, list[str]]
"""Terms of a text, each with the forms in which it is written there."""


def top_terms(texts: Sequence[str], background: Iterable[str], n: int) -> list[str]:
    """Return the n terms with the highest tf-idf, best first.

    tf is the share of the texts that have the term, idf is ln((1 + N) / (1 + df)) + 1 over texts and background
    (Salton & Buckley 1988, smoothed). Forms of one word count as one term, written as most of the texts write it;
    among equals the earlier one goes first. A term is not named beside a longer one that contains it.

    Args:
        texts: the group.
        background: other texts, of all topics.
        n: how many at most.

    Raises:
        InvalidInput: n is below 0.

    >>> top_terms(["I love hiking", "Hiking in the Alps", "hiking again"], ["I love tea", "my dog"], 1)
    ['hiking']
    """
    if n < 0:
        msg = f"n must be at least 0, not {n}"
        raise InvalidInput(msg)
    return _top(_forms(texts), _forms(background), n)


def terms_of_groups(texts: Sequence[str], groups: Iterable[Sequence[int]], n: int) -> list[list[str]]:
    """Return the `top_terms` of several groups of texts, each against all of the texts, which are read once.

    Args:
        texts: all.
        groups: places in them.
        n: how many terms of each at most.

    >>> terms_of_groups(["I love hiking", "Hiking in the Alps", "I love tea", "tea again"], [[0, 1], [2, 3]], 1)
    [['hiking'], ['tea']]
    """
    forms = _forms(texts)
    return [_top([forms[place] for place in group], forms, n) for group in groups]


def _top(group: list[Forms], rest: list[Forms], n: int) -> list[str]:
    scores = _scores(group, rest)
    named: list[str] = []
    for key in sorted(scores, key=lambda term: -scores[term]):
        if len(named) >= n:
            break
        form = _common_form(key, group)
        if not any(form.casefold() in other.casefold() for other in named):
            named.append(form)
    return named


def _scores(group: list[Forms], rest: list[Forms]) -> dict[str, float]:
    inside = Counter(key for text in group for key in text)
    beside = Counter(key for text in rest for key in text if key in inside)
    total = len(group) + len(rest)
    return {
        key: count / len(group) * (math.log((1 + total) / (1 + count + beside[key])) + 1)
        for key, count in inside.items()
    }


def _forms(texts: Iterable[str]) -> list[Forms]:
    """For each text its terms, each with the forms in which it is written there."""
    spelled = [[text[start:end] for start, end in lexemes(text)] for text in texts]
    keys = iter(_keys([word for words in spelled for word in words]))
    found: list[Forms] = []
    for words in spelled:
        forms: Forms = {}
        for word in words:
            key = next(keys)
            if key:
                forms.setdefault(key, []).append(word)
        found.append(forms)
    return found


def _keys(words: list[str]) -> Iterator[str | None]:
    """What makes two words one term: the stem; None for words that name nothing."""
    distinct = list(dict.fromkeys(words))
    stems = dict(zip(distinct, content_words(distinct), strict=True))
    for word in words:
        stem = stems[word]
        named = bool(stem) and len(word) >= SHORTEST_TERM and not word.replace(".", "").isdigit()
        yield max(stem, key=len) if named and word.casefold() not in FUNCTION_WORDS else None


def _common_form(key: str, group: list[Forms]) -> str:
    forms = Counter(form for text in group for form in text.get(key, ()))
    return forms.most_common(1)[0][0]
