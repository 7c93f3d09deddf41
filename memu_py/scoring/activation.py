"""How active a memory is, as a factor of a score.

Activation is ACT-R's base level, `B = ln sum of age ** -d` over the presentations of a memory, ages in days (Anderson &
Schooler, Psychological Science 1991). That a memory comes back to mind has the probability
`1 / (1 + exp((threshold - B) / noise))` (Anderson & Lebiere, The Atomic Components of Thought, 1998): it lies in
[0, 1], and is the factor.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from memu_py import _core
from memu_py.records.presented import KEPT_MOMENTS, Presented

DEFAULT_DECAY = 0.5
"""ACT-R's own, of nearly all its models."""

DEFAULT_THRESHOLD = -2.0
"""In days: what came up once is as likely as not to come back after e ** 4 of them, 55."""

DEFAULT_NOISE = 0.5
"""What came up once comes back with 98 % after a day, 88 % after a week, 58 % after 40 days, 13 % after a year."""

_DAY = timedelta(days=1)


def activations(
    presented: Sequence[Presented], now: datetime, *, decay: float = DEFAULT_DECAY
) -> NDArray[np.float32]:
    """Return the base-level activation of memories.

    Args:
        presented: when each came up.
        now: the present moment; what lies ahead of it, or less than a minute back, counts as a minute old.
        decay: ACT-R's d, between 0 and 1.

    Returns:
        Shape (n,), in natural logarithms, ages in days.

    Raises:
        ValueError: the decay is not between 0 and 1.
    """
    ages = np.full((len(presented), KEPT_MOMENTS), np.nan)
    for row, one in enumerate(presented):
        newest = one.moments[:KEPT_MOMENTS]
        ages[row, : len(newest)] = [(now - moment) / _DAY for moment in newest]
    counts = np.array([one.count for one in presented], dtype=np.uint32)
    firsts = np.array([(now - one.first) / _DAY for one in presented], dtype=np.float64)
    return _core.activation(ages, counts, firsts, decay=decay)


def recall_probability(
    active: NDArray[np.float32], *, threshold: float = DEFAULT_THRESHOLD, noise: float = DEFAULT_NOISE
) -> NDArray[np.float32]:
    """Return how likely memories come back to mind, in [0, 1], shape (n,).

    Args:
        active: (n,), their activation.
        threshold: the activation at which it is one half.
        noise: how soft the threshold is, above 0.
    """
    # A half of tanh is the logistic function, without its overflow.
    likely: NDArray[np.float32] = (0.5 + 0.5 * np.tanh((active - threshold) / (2 * noise))).astype(np.float32)
    return likely
