"""The peers' scores in their own form, for comparison only: they are not bounded, and nothing here ranks by them."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from memu_py.records.record import Record

DECAY_DAYS = 30.0
"""Age at which 1/e is left in NeuroMemory's form, its `decay_rate`."""

AROUSAL_STRETCH = 0.5
"""How much longer it remembers what was fully arousing."""

HALF_LIFE_DAYS = 30.0
"""Age at which half is left in memU's form."""

HIGHEST_IMPORTANCE = 10.0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Record):
    """What these forms score one memory by.

    Attributes:
        similarity: cosine of question and memory.
        rrf: its sum of reciprocal ranks.
        age_days: how long ago it was said; below 0 counts as 0.
        importance: 1 to 10.
        arousal: 0 to 1.
        mentions: how often it was said.
    """

    similarity: float = 0.0
    rrf: float = 0.0
    age_days: float = 0.0
    importance: float = 5.0
    arousal: float = 0.0
    mentions: int = 1


def rrf_recency_importance(evidence: Evidence) -> float:
    """Return NeuroMemory's `rrf * recency * importance` (0.5), with recency = exp(-age / (rate * (1 + arousal / 2))).

    >>> round(rrf_recency_importance(Evidence(rrf=1 / 61, importance=10)), 4)
    0.0164
    """
    rate = DECAY_DAYS * (1 + AROUSAL_STRETCH * evidence.arousal)
    recency = math.exp(-max(evidence.age_days, 0.0) / rate)
    return evidence.rrf * recency * evidence.importance / HIGHEST_IMPORTANCE


def memu_salience(evidence: Evidence) -> float:
    """Return memU's `similarity * ln(mentions + 1) * 0.5 ** (age / half_life)` (1.5).

    >>> round(memu_salience(Evidence(similarity=0.8, age_days=30)), 4)
    0.2773
    """
    recency = math.pow(0.5, max(evidence.age_days, 0.0) / HALF_LIFE_DAYS)
    return evidence.similarity * math.log(evidence.mentions + 1) * recency


LEGACY: Mapping[str, Callable[[Evidence], float]] = MappingProxyType(
    {"rrf_recency_importance": rrf_recency_importance, "memu_salience": memu_salience}
)
"""The peers' forms by name."""
