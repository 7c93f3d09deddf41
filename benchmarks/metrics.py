"""How well a ranking finds the evidence of a question.

A ranking is a list of hits, best first; each hit stands for one or several turns (merged near duplicates count by all
their sources). The evidence of a question is the set of turns that answer it.
"""

import dataclasses
import statistics
from collections.abc import Collection, Iterable, Sequence

CUTS = (5, 10, 20, 50)
"""Numbers of hits after which recall and hit rate are taken."""

Ranking = Sequence[Collection[str]]
Figures = dict[str, float]


def recall_at(ranking: Ranking, evidence: Collection[str], k: int) -> float:
    """Return the share of the evidence that the first k hits stand for.

    >>> recall_at([{"t1"}, {"t7", "t2"}], {"t2", "t3"}, 2)
    0.5
    """
    wanted = set(evidence)
    return len(wanted & _turns(ranking[:k])) / len(wanted)


def hit_at(ranking: Ranking, evidence: Collection[str], k: int) -> float:
    """Return 1 when any of the first k hits is evidence, else 0."""
    return float(not _turns(ranking[:k]).isdisjoint(evidence))


def reciprocal_rank(ranking: Ranking, evidence: Collection[str]) -> float:
    """Return 1 / rank of the first hit that is evidence, 0 when there is none.

    >>> reciprocal_rank([{"t1"}, {"t2"}], {"t2"})
    0.5
    """
    wanted = set(evidence)
    return next((1 / rank for rank, turns in enumerate(ranking, 1) if wanted.intersection(turns)), 0.0)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """How one question went.

    Attributes:
        category: the question's category.
        figures: `recall@k`, `hit@k` and `mrr`.
    """

    category: str
    figures: Figures


def score(ranking: Ranking, evidence: Collection[str], *, category: str) -> Score:
    """Score one ranking.

    Args:
        ranking: what was found, best first.
        evidence: the turns that answer, at least one.
        category: the question's category.

    Raises:
        ValueError: there is no evidence to find.
    """
    if not evidence:
        msg = "a question without evidence cannot be scored"
        raise ValueError(msg)
    figures = {f"recall@{k}": recall_at(ranking, evidence, k) for k in CUTS}
    figures |= {f"hit@{k}": hit_at(ranking, evidence, k) for k in CUTS}
    return Score(category=category, figures={**figures, "mrr": reciprocal_rank(ranking, evidence)})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Means over questions.

    Attributes:
        overall: over all questions.
        by_category: over the questions of each category.
    """

    overall: Figures
    by_category: dict[str, Figures]


def summarize(scores: Iterable[Score]) -> Summary:
    """Return the means of each figure over questions, each question counting the same; `questions` is their number."""
    known = list(scores)
    categories = sorted({one.category for one in known})
    return Summary(
        overall=_means(known),
        by_category={name: _means([one for one in known if one.category == name]) for name in categories},
    )


def _means(scores: Sequence[Score]) -> Figures:
    names = list(scores[0].figures) if scores else []
    means = {name: statistics.fmean(one.figures[name] for one in scores) for name in names}
    return {"questions": float(len(scores)), **means}


def _turns(ranking: Ranking) -> set[str]:
    return set().union(*ranking)
