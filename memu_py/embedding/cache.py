"""Nothing is embedded twice: a cache by content around any embedder.

A vector belongs to the embedder's id (which names the model and the dimensions asked for), the kind and the exact
text. Passages are kept in a cache that the caller binds to a scope; questions only in the memory of the process.
"""

import asyncio
import collections
import dataclasses
import hashlib
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Calibration, Embedder, Matrix, TextKind
from memu_py.errors import BadVectors, StoreError

DEFAULT_QUERIES = 1024
LOGGER = logging.getLogger("memu_py.embedding")

Vector = NDArray[np.float32]


class VectorCache(Protocol):
    """Vectors by key, bound to a scope."""

    async def load(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Return the known vectors by key."""
        ...

    async def save(self, vectors: Mapping[bytes, Vector]) -> None:
        """Keep vectors."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Landed:
    """How a call under way ended for one text; neither is set when the caller was cancelled."""

    vector: Vector | None = None
    error: Exception | None = None


class QueryCache:
    """What all cached embedders of a process share: the newest questions' vectors, and which texts are being embedded.

    Args:
        size: how many questions are kept; the least recently asked one goes first.
    """

    def __init__(self, size: int = DEFAULT_QUERIES) -> None:
        self._size = size
        self._vectors: collections.OrderedDict[bytes, Vector] = collections.OrderedDict()
        self._flights: dict[bytes, asyncio.Future[_Landed]] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: bytes) -> Vector | None:
        """Return a question's vector, if it is known."""
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: bytes, vector: Vector) -> None:
        """Keep a question's vector."""
        self._vectors[key] = vector
        self._vectors.move_to_end(key)
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)

    def flight(self, key: bytes) -> asyncio.Future[_Landed] | None:
        """Return the call under way for a text; None when there is none."""
        return self._flights.get(key)

    def start(self, key: bytes) -> None:
        """Note that a text is being embedded from now on."""
        self._flights[key] = asyncio.get_running_loop().create_future()

    def land(self, key: bytes, landed: _Landed) -> None:
        """Tell those who wait for a text how it ended."""
        self._flights.pop(key).set_result(landed)


class CachedEmbedder:
    """An embedder that remembers.

    Args:
        embedder: does the work that is left.
        cache: keeps passages; bound to a scope.
        queries: shared by the embedders of a process; one of its own when left out.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache, queries: QueryCache | None = None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._queries = QueryCache() if queries is None else queries
        self._embedded = 0
        self._cached = 0

    @property
    def id(self) -> str:
        """The inner embedder's."""
        return self._embedder.id

    @property
    def dimension(self) -> int | None:
        """The inner embedder's."""
        return self._embedder.dimension

    @property
    def calibration(self) -> Calibration:
        """The inner embedder's."""
        return self._embedder.calibration

    @property
    def embedded(self) -> int:
        """Texts that the inner embedder had to work on."""
        return self._embedded

    @property
    def cached(self) -> int:
        """Texts whose vector was known, was asked for twice, or came from a call that was under way."""
        return self._cached

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts; as the inner embedder does, but each different text at most once.

        Raises:
            ModelError: the inner embedder failed.
            BadVectors: it answered with the wrong number or size of vectors.
            MissingKey: it needs a key that is not set.
        """
        if not texts:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        keys = {text: self._key(text, kind) for text in texts}
        known = await self._known(keys, kind)
        before = self._embedded
        known |= await self._missing([text for text in keys if text not in known], keys, kind)
        known |= await self._missing(_misfits(known), keys, kind)
        self._cached += len(texts) - (self._embedded - before)
        return np.stack([known[text] for text in texts])

    async def close(self) -> None:
        """Leave the inner embedder open: its owner closes it."""

    def _key(self, text: str, kind: TextKind) -> bytes:
        content = "\0".join([self.id, kind, text]).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(content, digest_size=32).digest()

    async def _known(self, keys: Mapping[str, bytes], kind: TextKind) -> dict[str, Vector]:
        if kind == "query":
            found = {text: self._queries.get(key) for text, key in keys.items()}
        else:
            rows = await self._cache.load(list(keys.values()))
            found = {text: rows.get(key) for text, key in keys.items()}
        return {text: vector for text, vector in found.items() if vector is not None and self._fits(vector)}

    def _fits(self, vector: Vector) -> bool:
        return self.dimension in (None, vector.shape[0])

    async def _missing(
        self, texts: Sequence[str], keys: Mapping[str, bytes], kind: TextKind
    ) -> dict[str, Vector]:
        """Embed texts that nobody else is embedding, then collect what the others did."""
        found: dict[str, Vector] = {}
        while texts:
            mine = [text for text in texts if self._queries.flight(keys[text]) is None]
            flights = {
                text: flight for text in texts if (flight := self._queries.flight(keys[text])) is not None
            }
            if mine:
                found |= await self._embed(mine, keys, kind)
            for text, flight in flights.items():
                landed = await asyncio.shield(flight)
                if landed.error is not None:
                    raise landed.error
                if landed.vector is not None:
                    found[text] = landed.vector
            # What is still missing belonged to a caller that was cancelled.
            texts = [text for text in flights if text not in found]
            # Also in this scope's cache: the other caller's may be another one.
            await self._keep({keys[text]: found[text] for text in flights if text in found}, kind)
        return found

    async def _embed(
        self, texts: Sequence[str], keys: Mapping[str, bytes], kind: TextKind
    ) -> dict[str, Vector]:
        for text in texts:
            self._queries.start(keys[text])
        fresh: dict[str, Vector] = {}
        failed: Exception | None = None
        try:
            fresh = await self._work(texts, kind)
        except Exception as error:
            failed = error
            raise
        finally:
            for text in texts:
                self._queries.land(keys[text], _Landed(vector=fresh.get(text), error=failed))
        await self._keep({keys[text]: vector for text, vector in fresh.items()}, kind)
        return fresh

    async def _work(self, texts: Sequence[str], kind: TextKind) -> dict[str, Vector]:
        matrix = await self._embedder.embed(texts, kind=kind)
        if matrix.shape[:1] != (len(texts),) or matrix.ndim != 2:
            msg = f"{self.id} returned an array of shape {matrix.shape} for {len(texts)} texts"
            raise BadVectors(msg)
        self._embedded += len(texts)
        return dict(zip(texts, matrix, strict=True))

    async def _keep(self, vectors: Mapping[bytes, Vector], kind: TextKind) -> None:
        if not vectors:
            return
        if kind == "query":
            for key, vector in vectors.items():
                self._queries.put(key, vector)
            return
        try:
            await self._cache.save(vectors)
        except StoreError as error:
            # The vectors are good and paid for: what could not be cached is embedded again some day.
            LOGGER.warning("%d vectors could not be cached: %s", len(vectors), error)


def _misfits(known: Mapping[str, Vector]) -> list[str]:
    """Return the texts whose vector is older than the model: it now answers with another dimension."""
    newest = next(reversed(list(known.values()))).shape
    return [text for text, vector in known.items() if vector.shape != newest]
