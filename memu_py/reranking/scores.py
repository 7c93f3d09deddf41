"""From what a cross-encoder gives to scores in [0, 1], and a check of what any reranker gives."""

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import ModelError
from memu_py.reranking.reranker import Scores

CLASSES = 2
"""Outputs of a model that was trained to choose between `not relevant` and `relevant`, in this order."""


def scores_of(logits: NDArray[np.float32]) -> Scores:
    """Read a cross-encoder's outputs.

    One output a pair is the logit of "relevant": `1 / (1 + exp(-x))`. Of two, the second is: the softmax of both, which
    comes to the same formula for their difference.

    Args:
        logits: (n,), (n, 1) or (n, 2).

    Returns:
        (n,).

    Raises:
        ModelError: the model has another number of outputs, or gives something that is no number.
    """
    found = logits.astype(np.float64)
    if found.ndim == CLASSES and found.shape[1] == CLASSES:
        found = found[:, 1] - found[:, 0]
    if found.size != len(found):
        msg = f"the reranker has outputs of shape {logits.shape[1:]} for a pair of texts, and must have one or two"
        raise ModelError(msg, hint="export a cross-encoder (a model for sequence classification)")
    # The same as 1 / (1 + exp(-x)), without running over.
    return checked(np.asarray(0.5 + 0.5 * np.tanh(found.reshape(-1) / 2), dtype=np.float32), len(found))


def checked(scores: Scores, count: int) -> Scores:
    """Return scores, if they are what the contract says.

    Args:
        scores: of a reranker.
        count: how many texts it was given.

    Raises:
        ModelError: there are too few or too many, or one is not in [0, 1].
    """
    if scores.shape != (count,):
        msg = f"the reranker gave scores of shape {scores.shape} for {count} texts"
        raise ModelError(msg)
    # `not all`, because NaN is neither below nor above.
    if not bool(np.all((scores >= 0) & (scores <= 1))):
        msg = "the reranker gave a score that is not from 0 to 1"
        raise ModelError(msg)
    return scores.astype(np.float32, copy=False)
