"""Word lists written as running text, so that a table stays readable."""

from collections.abc import Iterable


def words(text: str) -> frozenset[str]:
    """Return the words of a list that white space separates.

    >>> sorted(words("tea coffee"))
    ['coffee', 'tea']
    """
    return frozenset(text.split())


def alternatives(entries: Iterable[str]) -> str:
    """Return the entries as alternatives of a regular expression, the longest first so that it wins.

    >>> alternatives({"mon": 0, "monday": 0})
    'monday|mon'
    """
    return "|".join(sorted(entries, key=lambda entry: (-len(entry), entry)))
