"""A candidate: an item that one recall proposes."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Candidate(Record):
    """One item from one source, before fusion.

    Attributes:
        item_id: the item.
        source: which recall proposes it: `dense`, `keyword`, or a plug-in's own word.
        score: in [0, 1], on a fixed scale that does not depend on which other items matched.
        query: which of several queries found it, from 0.
        details: raw figures behind the score, such as the cosine.
    """

    item_id: str
    source: str
    score: float
    query: int = 0
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)
