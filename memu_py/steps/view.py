"""What one request may see of a partition's index."""

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Calibration
from memu_py.index.partition import PartitionIndex
from memu_py.index.rows import Columns, Traits
from memu_py.index.signals import Scores, Signals
from memu_py.records.batch import Vector

OWN_WORDS = 0.2
"""Share of an item's own words in its keyword score, beside those that its neighbours lend: of two turns that stand
together, the one that says it comes first."""

FULL_KEYWORD_SCORE = 1 / 1.9
"""An item that holds each of the question's words about once: BM25 over the sum of idf, 1 / (k1 + 1) at k1 = 0.9."""

Found = tuple[Sequence[str], Sequence[float]]
"""Ids, best first, and their scores."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Evidence:
    """What speaks for some items, on fixed scales, in their order.

    Attributes:
        scores: (n,) float32 by name: `cosine`, the item's own, and `dense`, calibrated; `keyword` and `session`.
        traits: what they are like.
    """

    scores: Mapping[str, Scores]
    traits: Traits


class View(Protocol):
    """What a scope and a filter show of a partition, wherever its vectors and words are kept."""

    async def is_empty(self) -> bool:
        """Tell whether it shows nothing."""
        ...

    async def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k visible items with the largest cosine of their own vectors, best first, with the cosines.

        Args:
            vector: (d,), of length 1.
            k: how many.
        """
        ...

    async def dense(self, vector: Vector, k: int, *, around: bool = False) -> Found:
        """Return the k visible items that are nearest in meaning, best first, with scores in [0, 1].

        Args:
            vector: (d,), of length 1.
            k: how many.
            around: together with the items around them, not by their own vectors alone.
        """
        ...

    async def keyword(self, tokens: Sequence[str], k: int, *, around: bool = False) -> Found:
        """Return the k visible items that match a question's words best, with scores in [0, 1]; see `dense`."""
        ...

    async def known(self, ids: Iterable[str]) -> list[str]:
        """Return those of the ids that the view shows, in order."""
        ...

    async def signals(
        self, ids: Sequence[str], vector: Vector | None, tokens: Sequence[str] | None, *, around: bool = False
    ) -> Evidence:
        """Return what speaks for given items.

        Args:
            ids: the items.
            vector: of the question; None leaves out what it gives.
            tokens: of the question; None leaves out what they give.
            around: as in `dense`.
        """
        ...

    async def columns(self, ids: Sequence[str]) -> Columns:
        """Return what a scoring profile needs of items."""
        ...

    async def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """Return the items' own vectors, (len(ids), d); zeros for an item that is not there."""
        ...

    async def named(self, words: Collection[str]) -> dict[str, int]:
        """Return the speakers whose names are among a question's index tokens, with their numbers in `traits`."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MemoryView:
    """A `View` of an index in memory. The same question is searched once.

    Attributes:
        index: the partition's.
        mask: (rows,), true for what may be seen.
        calibration: how cosines are read.
        searched: what was found, by what was asked.
    """

    index: PartitionIndex
    mask: NDArray[np.bool_]
    calibration: Calibration
    searched: dict[Hashable, Found] = dataclasses.field(default_factory=dict)

    async def is_empty(self) -> bool:
        """See `View.is_empty`."""
        return not self.mask.any()

    async def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """See `View.nearest`."""
        ids, cosines = self.index.dense(vector, k, self.mask)
        return list(zip(ids, cosines.tolist(), strict=True))

    async def dense(self, vector: Vector, k: int, *, around: bool = False) -> Found:
        """See `View.dense`."""
        key = (vector.tobytes(), k, around)
        if key not in self.searched:
            search = self.index.contextual if around else self.index.dense
            ids, cosines = search(vector, k, self.mask)
            self.searched[key] = ids, relevances(cosines, self.calibration).tolist()
        return self.searched[key]

    async def keyword(self, tokens: Sequence[str], k: int, *, around: bool = False) -> Found:
        """See `View.keyword`."""
        key = (tuple(tokens), k, around)
        if key not in self.searched:
            ids, scores = self.index.keyword(tokens, k, self.mask, None if around else ())
            self.searched[key] = ids, evidence(scores).tolist()
        return self.searched[key]

    async def known(self, ids: Iterable[str]) -> list[str]:
        """See `View.known`."""
        return self.index.known(ids, self.mask)

    async def signals(
        self, ids: Sequence[str], vector: Vector | None, tokens: Sequence[str] | None, *, around: bool = False
    ) -> Evidence:
        """See `View.signals`."""
        signals = self.index.signals(ids, vector, tokens)
        return read_signals(
            signals, self.calibration, meant=vector is not None, worded=tokens is not None, around=around
        )

    async def columns(self, ids: Sequence[str]) -> Columns:
        """See `View.columns`."""
        return self.index.columns(ids)

    async def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """See `View.vectors`."""
        return self.index.vectors(ids)

    async def named(self, words: Collection[str]) -> dict[str, int]:
        """See `View.named`."""
        return self.index.named(words)


def read_signals(
    signals: Signals, calibration: Calibration, *, meant: bool, worded: bool, around: bool
) -> Evidence:
    """Read what an index says of some items on fixed scales.

    Args:
        signals: what it says.
        calibration: how cosines are read.
        meant: whether the question had a vector.
        worded: whether it had words.
        around: as in `View.dense`.
    """
    words = OWN_WORDS * signals.own + (1 - OWN_WORDS) * signals.lent if around else signals.own
    meaning = signals.joined if around else signals.cosine
    scores: dict[str, Scores] = {}
    if meant:
        scores |= {"cosine": signals.cosine, "dense": relevances(meaning, calibration)}
    if worded:
        scores |= {"keyword": evidence(words), "session": signals.session}
    return Evidence(scores=scores, traits=signals.traits)


def relevances(cosines: Scores, calibration: Calibration) -> Scores:
    """Read cosines as relevance in [0, 1]."""
    scaled = (cosines - calibration.low) / (calibration.high - calibration.low)
    return np.asarray(np.clip(scaled, 0.0, 1.0), dtype=np.float32)


def relevance(cosine: float, calibration: Calibration) -> float:
    """Read one cosine as a relevance in [0, 1]."""
    return float(relevances(np.array([cosine], dtype=np.float32), calibration)[0])


def evidence(scores: Scores) -> Scores:
    """Read keyword scores, which reach 1 only for endless repetition, as evidence in [0, 1]."""
    return np.asarray(np.minimum(scores / FULL_KEYWORD_SCORE, 1.0), dtype=np.float32)
