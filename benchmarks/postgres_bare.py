"""What the server itself does: the bare query that pgvector answers by its index."""

import statistics
import time
from collections.abc import Sequence

import numpy as np
import psycopg
from numpy.typing import NDArray

from benchmarks.hnsw import DIM
from memu_py.records.scope import Scope
from memu_py.storage.columns import vector_text

USER = "bench"
TOP_K = 10
CANDIDATES = 100
"""Rows that `recall_dense` asks for."""
LIMITS = (TOP_K, CANDIDATES)

Vectors = NDArray[np.float32]

BARE = f"""
SELECT items.id FROM items JOIN item_vectors
ON item_vectors.partition_hash = items.partition_hash AND item_vectors.partition = items.partition
AND item_vectors.item_id = items.id
WHERE items.partition_hash = %(hash)s AND items.partition = %(partition)s
AND item_vectors.partition_hash = %(hash)s AND item_vectors.partition = %(partition)s
AND items.valid_to IS NULL AND items.superseded_by IS NULL AND vector_dims(item_vectors.vector) = {DIM}
ORDER BY item_vectors.vector::halfvec({DIM}) <=> %(vector)s::halfvec({DIM}) LIMIT %(limit)s
"""  # noqa: S608


class Bare:
    """The bare query.

    Args:
        connection: to the server.
        texts: of the items, in the order of their vectors.
    """

    def __init__(self, connection: psycopg.Connection, texts: Sequence[str]) -> None:
        self._connection = connection
        stored = connection.execute("SELECT text, id FROM items WHERE partition_hash = %s", [hash_of(USER)])
        names: dict[str, str] = dict(stored.fetchall())
        self._ids = [names[text] for text in texts]
        self.times: dict[int, list[float]] = {limit: [] for limit in LIMITS}
        connection.execute("SET hnsw.iterative_scan = relaxed_order")

    def ask(self, vector: Vectors, limit: int) -> set[str]:
        """Return the ids of the nearest items, and note how long it took."""
        scope = Scope(user=USER)
        values = {"hash": scope.partition_hash, "partition": scope.partition, "limit": limit}
        self._connection.execute(f"SET hnsw.ef_search = {max(limit, 40)}".encode())
        started = time.perf_counter()
        rows = self._connection.execute(BARE, {**values, "vector": vector_text(vector)}, prepare=True)
        found = {item_id for (item_id,) in rows.fetchall()}
        self.times[limit].append(1000 * (time.perf_counter() - started))
        return found

    def recall(self, mine: Vectors, asking: Vectors, limit: int) -> float:
        """Return the share of the exact ten best that the query finds; these calls count for no time."""
        kept = list(self.times[limit])
        shares = [
            len(self.ask(one, limit) & {self._ids[place] for place in np.argsort(-(mine @ one))[:TOP_K]})
            / TOP_K
            for one in asking
        ]
        self.times[limit] = kept
        return statistics.fmean(shares)


def hash_of(user: str) -> bytes:
    """Return the hash of a user's partition."""
    return Scope(user=user).partition_hash
