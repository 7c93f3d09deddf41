"""Rows and small indexes for the tests of the index."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py import _core
from memu_py.index.partition import PartitionIndex
from memu_py.storage.index_rows import IndexRow, IndexRows

DIMENSION = 4
NEIGHBOURS = (0.5,)
AXES = np.eye(DIMENSION, dtype=np.float32)


def row(
    item_id: str,
    vector: Sequence[float] | NDArray[np.float32] = (1, 0, 0, 0),
    text: str = "",
    *,
    resource: str | None = None,
    ordinal: int = 0,
    clock: int = 0,
    importance: float = math.nan,
    arousal: float = 0.0,
    mentions: int = 1,
    accesses: int = 1,
    ended: bool = False,
    speaker: str | None = None,
    happened_at: int | None = None,
    asks: bool = False,
) -> IndexRow:
    matrix = np.asarray([vector], dtype=np.float32)
    return IndexRow(
        id=item_id,
        resource_id=resource,
        ordinal=ordinal,
        vector=_core.normalize(matrix)[0],
        tokens=tuple(_core.tokenize([text])[0]),
        clock=clock,
        importance=importance,
        arousal=arousal,
        mentions=mentions,
        access_count=accesses,
        ended=ended,
        speaker=speaker,
        happened_at=happened_at,
        asks=asks,
    )


def filled(*rows: IndexRow) -> PartitionIndex:
    index = PartitionIndex()
    index.apply(IndexRows.of(rows))
    return index


def on_axes(*names: str) -> PartitionIndex:
    return filled(*(row(name, AXES[place]) for place, name in enumerate(names)))
