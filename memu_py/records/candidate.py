"""A candidate: an item that one recall proposes."""

from typing import NamedTuple


class Candidate(NamedTuple):
    """One item from one source, before fusion. There are hundreds for every question, so this is a light record.

    Attributes:
        item_id: the item.
        source: which recall proposes it: `dense`, `keyword`, or a plug-in's own word.
        score: in [0, 1], on a fixed scale that does not depend on which other items matched.
        query: which of several queries found it, from 0.
    """

    item_id: str
    source: str
    score: float
    query: int = 0
