"""Groups of mutually close items: for categories that nobody configured, and for what is said of many at once. Pure."""

import numpy as np

from memu_py.embedding.embedder import Matrix


def close_groups(vectors: Matrix, *, threshold: float, least: int) -> list[list[int]]:
    """Find disjoint groups of rows in which every two have at least the threshold's cosine.

    Greedy: the row with the most close rows first; a row joins when it is close to all that are in the group already.

    Args:
        vectors: (n, d), rows of length 1.
        threshold: cosine.
        least: smaller groups are left out.
    """
    if len(vectors) < least:
        return []
    close = vectors @ vectors.T >= threshold
    free = np.ones(len(vectors), dtype=bool)
    groups: list[list[int]] = []
    for seed in np.argsort(-close.sum(axis=1), kind="stable").tolist():
        group = _grow(seed, close, free) if free[seed] else []
        if len(group) >= least:
            groups.append(sorted(group))
            free[group] = False
    return groups


def _grow(
    seed: int,
    close: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    free: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[int]:
    group = [seed]
    for row in np.flatnonzero(close[seed] & free).tolist():
        if row != seed and close[row, group].all():
            group.append(row)
    return group
