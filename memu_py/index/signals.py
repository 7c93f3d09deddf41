"""What speaks for some items."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from memu_py.index.rows import Traits

Scores = NDArray[np.float32]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Signals:
    """What speaks for some items, in the order asked for; 0 for an item that is not there. All scores (n,) float32.

    Attributes:
        cosine: of their own vectors.
        joined: of their vectors joined with their neighbours'.
        own: keyword score of their own words.
        lent: keyword score of their words and those that their neighbours lend.
        session: keyword score of the whole sequence in which they stand.
        traits: what they are like.
    """

    cosine: Scores
    joined: Scores
    own: Scores
    lent: Scores
    session: Scores
    traits: Traits
