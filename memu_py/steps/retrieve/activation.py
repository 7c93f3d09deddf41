"""How active candidates are, where a scoring profile minds it."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memu_py.records.scope import Scope
from memu_py.scoring.activation import activations, recall_probability
from memu_py.scoring.profiles import Profile
from memu_py.steps.reads import FreshReads


async def activation_factors(
    ids: Sequence[str], profile: Profile, *, scope: Scope, reads: FreshReads, now: datetime
) -> NDArray[np.float32]:
    """Return the factor `activation` of items, shape (n,), in [0, 1]; 0 for one that is not there.

    Args:
        ids: the items.
        profile: with the figures of the factor.
        scope: whose they are.
        reads: where to ask when they came up.
        now: the present moment.
    """
    presented = await reads.presented(scope, ids)
    known = [place for place, item_id in enumerate(ids) if item_id in presented]
    active = activations([presented[ids[place]] for place in known], now, decay=profile.activation_decay)
    factors = np.zeros(len(ids), dtype=np.float32)
    factors[known] = recall_probability(
        active, threshold=profile.activation_threshold, noise=profile.activation_noise
    )
    return factors
