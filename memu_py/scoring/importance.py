"""What use makes of a judged importance: within bounds, and without writing anything.

`effective = judged + said again + read again`, in [1, 10]. Being said ten times adds 1, being read sixteen times adds
1, feedback that it does not help takes 2: so it moves by 2 at most, and comes back when the counters say otherwise. The
counters are those that the store keeps anyway.
"""

import numpy as np
from numpy.typing import NDArray

LOWEST, HIGHEST = 1.0, 10.0
NEUTRAL = (LOWEST + HIGHEST) / 2
"""What counts as the importance of a memory that nobody judged."""
BY_MENTIONS, MENTIONS_CAP = 1.0, 10
BY_READS, READS_CAP = 1.0, 16
BY_UNHELPFUL = -2.0
"""How far the counters move it, and at how many mentions and reads that is reached."""


def effective_importance(
    importance: NDArray[np.float32], mentions: NDArray[np.uint32], accesses: NDArray[np.uint32]
) -> NDArray[np.float32]:
    """Return importances as use has moved them.

    Args:
        importance: (n,), 1 to 10, NaN where nobody judged.
        mentions: (n,), at least 1.
        accesses: (n,), reads and one, with what feedback adds and takes; 0 where feedback outweighs all reads.

    Returns:
        (n,) float32 in [1, 10]; NaN stays where use says nothing either.

    >>> effective_importance(np.float32([5, 9]), np.uint32([10, 1]), np.uint32([17, 0])).tolist()
    [7.0, 7.0]
    """
    said = BY_MENTIONS * np.minimum(np.log(np.maximum(mentions, 1)) / np.log(MENTIONS_CAP), 1.0)
    reads = np.maximum(accesses.astype(np.float64) - 1.0, 0.0)
    read = BY_READS * np.minimum(np.log1p(reads) / np.log1p(READS_CAP), 1.0)
    moved = np.where(accesses == 0, BY_UNHELPFUL, said + read)
    base = np.where(np.isnan(importance) & (moved != 0), NEUTRAL, importance)
    bounded: NDArray[np.float32] = np.clip(base + moved, LOWEST, HIGHEST).astype(np.float32)
    return bounded
