"""The last look for duplicates, inside the write transaction, at what others stored since this run read."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memu_py.records.batch import Batch, Reinforcement, StoredItem
from memu_py.steps.memorize.duplicates import one_memory, reinforce, relinked


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Rechecker:
    """Turns new items of a batch into reinforcements of items that have appeared meanwhile.

    Attributes:
        same: cosine above which two texts may be near duplicates.
        at: now, UTC.
    """

    same: float
    at: datetime

    def __call__(self, batch: Batch, fresh: Sequence[StoredItem]) -> Batch:
        """Return the batch without what is known by now. Pure: it runs under the write lock."""
        if not fresh or not batch.items:
            return batch
        matrix = np.stack([stored.vector for stored in fresh])
        fresh = list(fresh)
        kept: list[StoredItem] = []
        again: list[Reinforcement] = []
        replaced: dict[str, str] = {}
        for new in batch.items:
            target = self._target(new, fresh, matrix @ new.vector)
            if target is None:
                kept.append(new)
            else:
                known = fresh[target]
                replaced[new.item.id] = known.item.id
                again.append(reinforce(known.item, new.item, new.vector, at=self.at))
                # The next one is compared with the text as this one leaves it.
                fresh[target] = again[-1].replacement or known
        return batch.evolve(
            items=tuple(kept),
            reinforcements=(*batch.reinforcements, *again),
            links=relinked(batch.links, replaced),
            replaced={**batch.replaced, **replaced},
        )

    def _target(
        self,
        new: StoredItem,
        fresh: Sequence[StoredItem],
        cosines: np.ndarray[tuple[int], np.dtype[np.float32]],
    ) -> int | None:
        for place in map(int, np.argsort(-cosines, kind="stable")):
            known = fresh[place]
            if cosines[place] < self.same:
                return None
            if one_memory(new.item, new.item.scope, known.item, known.item.scope):
                return place
        return None
