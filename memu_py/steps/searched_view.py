"""A view that the database answers.

The database finds candidates; small indexes of them and of what stands around them score them as an index of the whole
partition would. There are two: one of the words of all that hold a term of the question, which are many, and one of the
meaning of the few that are best by their words or their vectors.

What differs from an index in memory: an item that neither is near a question nor holds one of its terms is never
looked at, also where those around it are, beyond the reach of its neighbours; lengths of texts are averaged over what
was found; and a session's words are those of its turns that were found.
"""

import asyncio
import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Calibration
from memu_py.index.partial import PartialIndex
from memu_py.index.rows import Columns
from memu_py.records.batch import Vector
from memu_py.steps.view import Evidence, Found, MemoryView, read_signals, relevances
from memu_py.storage.index_rows import IndexRows
from memu_py.storage.search import Census, Search, Sight, Surroundings

MOST_HOLDING = 2000
"""Items that are looked at for their words, those with the rarest terms first."""
LEAST_TERMS = 3
"""Terms of a question, the rarest, that are always looked for; commoner ones only while there is room."""


@dataclasses.dataclass(kw_only=True, slots=True, eq=False)
class SearchedView:
    """A `View` of a partition in a database.

    Attributes:
        search: finds items.
        sight: what may be found.
        calibration: how cosines are read.
        neighbours: with what weight the items around an item count, nearest first.
        index: of the meaning of what was found so far.
        words: of its words, and of those of more items.
        loaded: what is in both, or is not there.
        visible: what may be found of it.
        held: what may be found of the rest.
        searched: what was found, by what was asked.
        counted: how common the words of a question are.
        met: whether it knows who says something.
        working: held while the index grows: steps go side by side.
    """

    search: Search
    sight: Sight
    calibration: Calibration
    neighbours: Sequence[float]
    index: PartialIndex = dataclasses.field(init=False)
    words: PartialIndex = dataclasses.field(init=False)
    loaded: set[str] = dataclasses.field(default_factory=set)
    visible: set[str] = dataclasses.field(default_factory=set)
    held: set[str] = dataclasses.field(default_factory=set)
    searched: dict[Hashable, Found] = dataclasses.field(default_factory=dict)
    counted: dict[tuple[str, ...], Census] = dataclasses.field(default_factory=dict)
    met: bool = False
    working: asyncio.Lock = dataclasses.field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.index = PartialIndex(neighbours=self.neighbours)
        self.words = PartialIndex(neighbours=self.neighbours)

    async def is_empty(self) -> bool:
        """See `View.is_empty`."""
        return (await self._census(())).texts == 0

    async def nearest(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """See `View.nearest`."""
        return await self.search.nearest(self.sight, vector, k)

    async def dense(self, vector: Vector, k: int, *, around: bool = False) -> Found:
        """See `View.dense`."""
        key = (vector.tobytes(), k, around)
        if key not in self.searched:
            near = await self._nearby(vector, k, len(self.neighbours) if around else 0)
            ids = [item_id for item_id, _ in near]
            if around:
                self.searched[key] = await self._memory().dense(vector, k, around=True)
            else:
                cosines = np.array([cosine for _, cosine in near], dtype=np.float32)
                self.searched[key] = ids, relevances(cosines, self.calibration).tolist()
        return self.searched[key]

    async def keyword(self, tokens: Sequence[str], k: int, *, around: bool = False) -> Found:
        """See `View.keyword`."""
        key = (tuple(tokens), k, around)
        if key not in self.searched:
            await self._hold(tokens, placed=around)
            await self._weigh(tokens)
            found = await self._by_words().keyword(tokens, k, around=around)
            if around:
                # Items around them may be better: they hold no term themselves, but are lent some.
                await self._load(found[0], reach=len(self.neighbours))
                # Last: another question may have had its own words weighed meanwhile.
                await self._weigh(tokens)
                found = await self._by_words().keyword(tokens, k, around=True)
            self.searched[key] = found
        return self.searched[key]

    async def known(self, ids: Iterable[str]) -> list[str]:
        """See `View.known`."""
        asked = list(ids)
        await self._load(asked, reach=0)
        return [item_id for item_id in asked if item_id in self.visible]

    async def signals(
        self, ids: Sequence[str], vector: Vector | None, tokens: Sequence[str] | None, *, around: bool = False
    ) -> Evidence:
        """See `View.signals`."""
        await self._load(ids, reach=len(self.neighbours) if around else 0)
        if tokens:
            await self._weigh(tokens)
        meant, worded = vector is not None, tokens is not None
        signals = self.index.signals(ids, vector, None)
        if worded:
            words = self.words.signals(ids, None, tokens)
            signals = dataclasses.replace(signals, own=words.own, lent=words.lent, session=words.session)
        return read_signals(signals, self.calibration, meant=meant, worded=worded, around=around)

    async def columns(self, ids: Sequence[str]) -> Columns:
        """See `View.columns`."""
        await self._load(ids, reach=0)
        return self.index.columns(ids)

    async def vectors(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """See `View.vectors`."""
        await self._load(ids, reach=0)
        return self.index.vectors(ids)

    async def named(self, words: Collection[str]) -> dict[str, int]:
        """See `View.named`."""
        if not self.met:
            self.index.know_speakers(await self.search.speakers(self.sight.scope))
            self.met = True
        return self.index.named(words)

    def _memory(self) -> MemoryView:
        mask = self.index.mask_of(self.visible)
        return MemoryView(index=self.index, mask=mask, calibration=self.calibration)

    def _by_words(self) -> MemoryView:
        mask = self.words.mask_of(self.visible | self.held)
        return MemoryView(index=self.words, mask=mask, calibration=self.calibration)

    async def _hold(self, tokens: Sequence[str], *, placed: bool) -> None:
        """Have the index of words hold the items that hold a question's words."""
        rows = await self.search.holding(self.sight, await self._rarest(tokens), MOST_HOLDING, placed=placed)
        async with self.working:
            if not self.loaded.issuperset(rows.ids):
                await asyncio.to_thread(self.words.update, [rows], ())
            self.held.update(rows.ids)

    async def _nearby(self, vector: Vector, k: int, reach: int) -> list[tuple[str, float]]:
        """Have the index hold the nearest items and those around them."""
        near, found = await self.search.nearby(self.sight, vector, k, reach=reach)
        async with self.working:
            await self._take([item_id for item_id, _ in near], found, reach)
        return near

    async def _load(self, ids: Sequence[str], *, reach: int) -> None:
        """Have the index hold these items and those around them."""
        async with self.working:
            missing = [item_id for item_id in ids if _mark(item_id, reach) not in self.loaded]
            if missing:
                found = await self.search.surroundings(self.sight, missing, reach=reach)
                await self._take(missing, found, reach)

    async def _take(self, asked: Sequence[str], found: Surroundings, reach: int) -> None:
        fresh = [rows for rows in found.rows if not self.loaded.issuperset(rows.ids)]
        if fresh:
            await asyncio.to_thread(self._update, fresh)
        self.visible |= found.visible
        self.loaded.update(asked, (_mark(item_id, reach) for item_id in asked))
        self.loaded.update(item_id for rows in found.rows for item_id in rows.ids)

    def _update(self, fresh: Sequence[IndexRows]) -> None:
        self.index.update(fresh, ())
        self.words.update([rows.words() for rows in fresh], ())

    async def _census(self, tokens: Sequence[str]) -> Census:
        """Return how common a question's words are, asked for once."""
        key = tuple(tokens)
        if key not in self.counted:
            self.counted[key] = await self.search.census(self.sight.scope, key)
        return self.counted[key]

    async def _weigh(self, tokens: Sequence[str]) -> None:
        census = await self._census(tokens)
        self.words.assume(census.texts, dict(census.holding))

    async def _rarest(self, tokens: Sequence[str]) -> Mapping[str, int]:
        """Return a question's terms, the rarest first; of those beyond the first few none that fills the room alone."""
        holding = (await self._census(tokens)).holding
        terms = sorted(
            (term for term in dict.fromkeys(tokens) if holding.get(term)),
            key=lambda term: (holding[term], term),
        )
        few, rest = terms[:LEAST_TERMS], terms[LEAST_TERMS:]
        kept = [*few, *(term for term in rest if holding[term] <= MOST_HOLDING)]
        return {term: holding[term] for term in kept}


def _mark(item_id: str, reach: int) -> str:
    """Return what tells that an item was loaded: by itself, or with those around it."""
    return f"{reach} {item_id}" if reach else item_id
