"""Vectors of late, in the memory of the process: for embedders that are quicker than a database."""

import collections
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py.records.scope import Scope

DEFAULT_SIZE = 4096


class RecentVectors:
    """A cache of embeddings as the store has one, that ends with the process. A partition sees its own only.

    Args:
        size: how many vectors are kept; the least recently asked one goes first.
    """

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._size = size
        self._vectors: collections.OrderedDict[tuple[bytes, bytes], NDArray[np.float32]] = (
            collections.OrderedDict()
        )

    async def load(self, scope: Scope, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the known vectors by key."""
        mine = scope.partition_hash
        known = [key for key in keys if (mine, key) in self._vectors]
        for key in known:
            self._vectors.move_to_end((mine, key))
        return {key: self._vectors[mine, key] for key in known}

    async def save(self, scope: Scope, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Keep vectors."""
        for key, vector in vectors.items():
            self._vectors[scope.partition_hash, key] = vector
        while len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
