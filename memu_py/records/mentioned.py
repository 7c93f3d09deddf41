"""A name of the memory that a question says."""

from typing import NamedTuple


class Mentioned(NamedTuple):
    """An entity that a question names.

    Attributes:
        key: the entity's.
        score: how strongly its items are meant, in [0, 1].
        query: which of several queries names it, from 0.
    """

    key: str
    score: float
    query: int = 0
