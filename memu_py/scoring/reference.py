"""Each kernel of the Rust core in plain Python: slow, clear, and what the property tests hold the kernels to.

Arguments and results are lists and tuples where the kernels take and give arrays; see `_core.pyi` for their meaning.
Tokenising has no reference: it is jieba's dictionary and Snowball's rules.
"""

import itertools
import math
import unicodedata
from collections.abc import Sequence

Ranked = list[tuple[int, float]]
"""Rows with scores, best first; equal scores by row."""

AROUSAL_STRETCH = 0.5
YOUNGEST_DAYS = 1 / 1440
NEUTRAL = 0.5
LOWEST_IMPORTANCE = 1.0
HIGHEST_IMPORTANCE = 10.0

CLOSING_MARKS = ".!。…,;，；、।"
"""Marks that close a statement."""

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
"""Unicode's White_Space."""


def best_first(scores: dict[int, float], k: int | None = None) -> Ranked:
    """Order rows by score, equal ones by row, and keep k; what is not a number is left out."""
    kept = [(row, score) for row, score in scores.items() if not math.isnan(score)]
    return sorted(kept, key=lambda one: (-one[1], one[0]))[:k]


# Vectors


def normalize(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Scale rows to length 1; a row of zeros, or with a value that is not finite, becomes zeros."""
    return [_unit(row) for row in matrix]


def _unit(row: Sequence[float]) -> list[float]:
    length = math.hypot(*row)
    usable = math.isfinite(length) and length > 0
    return [value / length for value in row] if usable else [0.0] * len(row)


def cosine_scores(
    matrix: Sequence[Sequence[float]], rows: Sequence[int], query: Sequence[float]
) -> list[float]:
    """Return the dot products of some rows with the query."""
    return [sum(x * y for x, y in zip(matrix[row], query, strict=True)) for row in rows]


def cosine_top_k(
    matrix: Sequence[Sequence[float]], query: Sequence[float], k: int, mask: Sequence[bool] | None = None
) -> Ranked:
    """Return the k rows with the largest dot product."""
    rows = _allowed(len(matrix), mask)
    return best_first(dict(zip(rows, cosine_scores(matrix, rows, query), strict=True)), k)


def _allowed(count: int, mask: Sequence[bool] | None) -> list[int]:
    return [row for row in range(count) if mask is None or mask[row]]


# Scoring


def decay(age_days: float, arousal: float, half_life_days: float) -> float:
    """Return what is left of a memory: 1 at age 0, half at the half-life, which arousal stretches."""
    if math.isnan(age_days):
        return NEUTRAL
    stirred = 0.0 if math.isnan(arousal) else _clip(arousal)
    return math.exp(-math.log(2) * max(age_days, 0.0) / (half_life_days * (1 + AROUSAL_STRETCH * stirred)))


def factors(
    age_days: float,
    importance: float,
    arousal: float,
    mentions: int,
    accesses: int,
    *,
    half_life_days: float,
    mentions_cap: int,
) -> tuple[float, float, float, float]:
    """Return recency, importance, reinforcement and access of one row, each in [0, 1]."""
    full = math.log1p(mentions_cap)
    scaled = (importance - LOWEST_IMPORTANCE) / (HIGHEST_IMPORTANCE - LOWEST_IMPORTANCE)
    return (
        decay(age_days, arousal, half_life_days),
        NEUTRAL if math.isnan(scaled) else _clip(scaled),
        min(math.log1p(mentions) / full, 1.0),
        min(math.log1p(accesses) / full, 1.0),
    )


def activation(ages_days: Sequence[float], count: int, first_days: float, decay_power: float) -> float:
    """Return the base-level activation of one memory."""
    known = list(itertools.takewhile(lambda age: not math.isnan(age), ages_days))[:count]
    ages = [max(age, YOUNGEST_DAYS) for age in known]
    oldest_known = ages[-1] if ages else YOUNGEST_DAYS
    first = oldest_known if math.isnan(first_days) else max(first_days, oldest_known)
    strength = sum(age**-decay_power for age in ages)
    strength += (count - len(ages)) * _mean_strength(oldest_known, first, decay_power)
    return math.log(strength) if strength else -math.inf


def _mean_strength(start: float, end: float, decay_power: float) -> float:
    if end - start <= start * 1e-9:
        return float(start**-decay_power)
    power = 1 - decay_power
    return float((end**power - start**power) / (power * (end - start)))


def score(relevance: float, values: Sequence[float], weights: Sequence[float]) -> float:
    """Return `relevance * product of (1 - w + w * f)`; NaN for a relevance that is none."""
    bounded = relevance if math.isnan(relevance) else _clip(relevance)
    return bounded * math.prod(1 - w + w * f for w, f in zip(weights, values, strict=True))


def rank_top_k(
    relevance: Sequence[float],
    rows: Sequence[Sequence[float]],
    *,
    weights: Sequence[float],
    k: int,
    mask: Sequence[bool] | None = None,
) -> Ranked:
    """Return the k best rows by score.

    Args:
        relevance: of each row.
        rows: the `factors` of each row.
        weights: of the factors.
        k: how many.
        mask: which rows may be returned.
    """
    allowed = _allowed(len(relevance), mask)
    return best_first({row: score(relevance[row], rows[row], weights) for row in allowed}, k)


def calibrated(cosine: float, calibration: tuple[float, float]) -> float:
    """Return how relevant a cosine is, in [0, 1]."""
    low, high = calibration
    return cosine if math.isnan(cosine) else _clip((cosine - low) / (high - low))


def cosine_rank_top_k(
    matrix: Sequence[Sequence[float]],
    query: Sequence[float],
    rows: Sequence[Sequence[float]],
    *,
    calibration: tuple[float, float],
    weights: Sequence[float],
    k: int,
    mask: Sequence[bool] | None = None,
) -> Ranked:
    """Return `rank_top_k` with the calibrated cosine as relevance."""
    cosines = cosine_scores(matrix, range(len(matrix)), query)
    relevance = [calibrated(cosine, calibration) for cosine in cosines]
    return rank_top_k(relevance, rows, weights=weights, k=k, mask=mask)


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)


# Fusion


def fuse_rrf(rankings: Sequence[Sequence[int]], weights: Sequence[float], constant: float) -> Ranked:
    """Return the sums of `weight / (constant + rank)`; an id that a ranking repeats counts by its better rank."""
    sums: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, row in enumerate(ranking, start=1):
            if row not in ranking[: rank - 1]:
                sums[row] = sums.get(row, 0.0) + weight / (constant + rank)
    return best_first(sums)


def fuse_weighted(
    rows: Sequence[Sequence[int]], scores: Sequence[Sequence[float]], weights: Sequence[float]
) -> Ranked:
    """Return the weighted means; absence counts 0, and a row that a source repeats counts by its better score."""
    means: dict[int, float] = {}
    for source, values, weight in zip(rows, scores, weights, strict=True):
        best: dict[int, float] = {}
        for row, value in zip(source, values, strict=True):
            best[row] = max(value, best.get(row, value))
        for row, value in best.items():
            means[row] = means.get(row, 0.0) + weight * value
    return best_first({row: value / sum(weights) for row, value in means.items()})


# Text


def normalize_text(text: str) -> str:
    """Fold, join white space, trim, drop the marks that close a statement."""
    folded = _fold(text)
    for space in WHITE_SPACE:
        folded = folded.replace(space, " ")
    joined = " ".join(word for word in folded.split(" ") if word)
    return joined.rstrip(CLOSING_MARKS + " ") or joined


def _fold(text: str) -> str:
    folded = text
    while (again := _fold_once(folded)) != folded:
        folded = again
    return folded


def _fold_once(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
