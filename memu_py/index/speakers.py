"""The people of a partition's conversations, found by name in a question."""

from collections.abc import Collection, Iterable

from memu_py import _core

NOBODY = -1
"""Who said something that nobody is known to have said."""


class Speakers:
    """Speakers by number. Whoever spoke once stays known, also when all that was said is gone; there are few.

    The caller does the locking.

    Args:
        names: those known already, in order of their numbers.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[frozenset[str]] = []
        for name in names:
            self.number(name)

    @property
    def names(self) -> list[str]:
        """All speakers, in order of their numbers."""
        return list(self._numbers)

    def number(self, name: str | None) -> int:
        """Return a speaker's number, a new one for a new name; `NOBODY` for none."""
        if not name:
            return NOBODY
        if name not in self._numbers:
            self._numbers[name] = len(self._words)
            (tokens,) = _core.tokenize([name])
            self._words.append(frozenset(tokens))
        return self._numbers[name]

    def named(self, words: Collection[str]) -> dict[str, int]:
        """Return the speakers whose names a question has among its words, with their numbers.

        Of several who share a name, those win of whose names the question has most.

        Args:
            words: index tokens of the question.
        """
        asked = set(words)
        shared = {name: len(asked & self._words[number]) for name, number in self._numbers.items()}
        most = max(shared.values(), default=0)
        return {name: self._numbers[name] for name, count in shared.items() if count == most > 0}
