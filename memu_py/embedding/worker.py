"""The one thread on which local embedders run.

A model's matrix products must not hold up the event loop, and the limit on BLAS threads counts for the whole process:
so all local embedders share one thread. Work comes in short batches, and a question gets its turn between those of a
bulk ingest.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from memu_py.embedding.embedder import Matrix
from memu_py.local import thread

THREAD = "memu-embedder"

BATCH_CHARS = 2_000
"""Characters in one batch, but for a single longer piece: some 30 ms of the bundled model."""


async def encode(
    pieces: Sequence[str], work: Callable[[Sequence[str]], Matrix], *, batch_size: int, dimension: int
) -> Matrix:
    """Encode pieces on the embedding thread, batch by batch.

    Args:
        pieces: what to encode.
        work: encodes one batch; called on the thread. (n,) -> (n, dimension)
        batch_size: pieces in one batch at most.
        dimension: length of the vectors.

    Returns:
        (len(pieces), dimension), in the order of the pieces.
    """
    out = np.empty((len(pieces), dimension), dtype=np.float32)
    for start, end in batches(pieces, batch_size):
        out[start:end] = await on_thread(work, pieces[start:end])
    return out


async def on_thread(work: Callable[[Sequence[str]], Matrix], texts: Sequence[str]) -> Matrix:
    """Do some work on the embedding thread.

    Args:
        work: what to do.
        texts: what it is given.
    """
    return await thread.on_thread(THREAD, work, texts)


def batches(pieces: Sequence[str], size: int, chars: int = BATCH_CHARS) -> Iterator[tuple[int, int]]:
    """Yield the bounds of batches.

    Args:
        pieces: what to batch.
        size: pieces in one batch at most.
        chars: characters in one batch at most, but for a single longer piece.

    >>> list(batches(["a", "b", "c"], 2))
    [(0, 2), (2, 3)]
    """
    start, held = 0, 0
    for place, piece in enumerate(pieces):
        if place > start and (place - start == size or held + len(piece) > chars):
            yield start, place
            start, held = place, 0
        held += len(piece)
    if pieces:
        yield start, len(pieces)
