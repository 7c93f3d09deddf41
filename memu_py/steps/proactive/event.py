"""Whose memories an outside event is about."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from memu_py.embedding.embedder import Calibration, Matrix
from memu_py.errors import InvalidInput
from memu_py.records.scope import Scope
from memu_py.steps.view import relevance, relevances
from memu_py.storage.vector_scan import VectorPage

Event = str | Mapping[str, Any]
"""A text, or a mapping such as `{"title": …, "text": …}`, whose texts all count."""

CONCERNED = 1 / 3
"""With the bundled embedder, events in English and Chinese scored up to 0.30 with memories that they did not concern,
and from 0.35 on with those that they did; see docs/proactive.md."""

Scored = tuple[float, str]
"""A relevance and the id of an item."""


def texts_of(event: Event) -> list[str]:
    """Return what an event says: as a whole, and each text of it alone.

    Raises:
        InvalidInput: it says nothing.
    """
    parts = [event] if isinstance(event, str) else list(event.values())
    texts = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
    if not texts:
        msg = "an event is a text, or a mapping with a text in it"
        raise InvalidInput(msg, hint='such as {"title": "…", "text": "…"}')
    return list(dict.fromkeys(["\n".join(texts), *texts]))


def least_score(calibration: Calibration) -> float:
    """Return the relevance from which an event concerns a memory, by what the embedder says of itself.

    That is a third of the way from unrelated texts to those that say the same, and at least where a text may belong
    to a topic.
    """
    return max(CONCERNED, relevance(calibration.topic, calibration))


class Concerned:
    """Collects the best items of each user.

    Args:
        vectors: of what the event says, (n, d).
        calibration: how cosines are read.
        least: relevance below which an item does not count.
        top_k: items of a user at most.
    """

    def __init__(self, vectors: Matrix, calibration: Calibration, *, least: float, top_k: int) -> None:
        self._vectors = vectors
        self._calibration = calibration
        self._least = least
        self._top_k = top_k
        self._best: defaultdict[Scope, list[Scored]] = defaultdict(list)

    def take(self, page: VectorPage) -> None:
        """Look at one page of items."""
        if not page.ids:
            return
        best = np.max(page.matrix @ self._vectors.T, axis=1)
        scores = relevances(best, self._calibration)
        for place in np.flatnonzero(scores >= np.float32(self._least)).tolist():
            self._keep(page.owners[place], (float(scores[place]), page.ids[place]))

    def _keep(self, owner: Scope, one: Scored) -> None:
        kept = self._best[owner]
        if len(kept) < self._top_k:
            heapq.heappush(kept, one)
        else:
            heapq.heappushpop(kept, one)

    def users(self, limit: int) -> Iterator[tuple[Scope, Sequence[Scored]]]:
        """Return users with their items, both best first; equal users in order of their partition."""
        ordered = sorted(self._best.items(), key=lambda pair: (-max(pair[1])[0], pair[0].partition))
        return ((owner, sorted(kept, reverse=True)) for owner, kept in ordered[:limit])
