"""Fuse the candidates of all recalls into one relevance per item."""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from memu_py.index.signals import Scores
from memu_py.records.candidate import Candidate
from memu_py.records.fused import Fused, ScoreRow
from memu_py.records.mentioned import Mentioned
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.scoring.profiles import Profile
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.fit import FitConfig, fit
from memu_py.steps.retrieve.question import Question, read_questions
from memu_py.steps.retrieve.recall_dense import DENSE
from memu_py.steps.retrieve.recall_entities import ENTITY
from memu_py.steps.retrieve.recall_keyword import KEYWORD
from memu_py.steps.retrieve.recall_relations import RELATION
from memu_py.steps.view import View
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

SESSION = "session"
INDEXED = (DENSE, KEYWORD, SESSION)
FIT = "fit"
SHOWN_ONLY = ("cosine", FIT)
"""What is shown with a hit and is no source."""

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Parts = dict[str, Scores]
Join = Callable[[Mapping[str, Scores], Scores], Scores]


class FuseConfig(FitConfig):
    """How much each source counts, and how well an item must fit."""

    weights: dict[str, Weight] = Field(
        default={DENSE: 0.5, KEYWORD: 0.33, SESSION: 0.17, ENTITY: 0.08, RELATION: 0.6},
        description="weight of each source; `dense`, `keyword` and `session` share the scale, others add to it",
    )
    other: float = Field(
        default=0.25, ge=0, le=1, description="weight of a source that `weights` does not name"
    )

    def weight(self, source: str) -> float:
        """Return the weight of a source."""
        return self.weights.get(source, self.other)

    def join(self, parts: Mapping[str, Scores], fitting: Scores) -> Scores:
        """Join signals: the mean of the indexed sources and what names add, times the fit; others on top, up to 1.

        What relations say takes its share of what is missing to 1, so that it lifts nothing over an exact match.

        Args:
            parts: scores in [0, 1] of the sources that were asked, (n,) each.
            fitting: (n,) factors.
        """
        indexed = {source: self.weight(source) for source in INDEXED if source in parts}
        others = {source: self.weight(source) for source in parts if source not in INDEXED}
        if not any(indexed.values()):
            return mean(parts, others)
        named = others.pop(ENTITY, 0.0) * parts.get(ENTITY, np.float32(0.0))
        related = others.pop(RELATION, 0.0) * parts.get(RELATION, np.float32(0.0))
        added = sum(weight * parts[source] for source, weight in others.items())
        relevance = np.minimum((mean(parts, indexed) + named) * fitting + added, 1.0)
        lifted = relevance + np.minimum(related, 1.0) * (1.0 - relevance)
        return np.asarray(lifted, dtype=np.float32)


def mean(parts: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """Return the weighted mean (n,) of signals, 0 where nothing weighs."""
    total = sum(weights.values()) or 1.0
    summed = sum(weight * parts[source] for source, weight in weights.items())
    return np.asarray(summed / total, dtype=np.float32)


@step("fuse", produces={"fused": list[Fused]})
async def fuse(
    request: RetrieveRequest,
    scope: Scope,
    candidates: list[Candidate],
    sources: list[str],
    mentioned: list[Mentioned] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: FuseConfig,
) -> list[Fused]:
    """Score the union of all candidates on a fixed scale.

    The indexed sources that were asked, and the names that the questions say, are evaluated for every candidate,
    whoever proposed it, so that a score does not depend on which other rows matched. Where both meaning and words
    were asked, relevance is `((w_d * dense + w_k * keyword + w_s * session) / (w_d + w_k + w_s) + w_e * entity) * fit`,
    and then `w_r * relation` of what is missing to 1; a source that is asked alone is the relevance. Sources of
    plug-ins add `w * score` on top; the sum is cut at 1. A scoring profile with weights of its own takes the mean of
    the sources that it names, plug-ins' included.
    """
    view = await ctx.resources.asked(scope, request)
    ids = await view.known(dict.fromkeys(candidate.item_id for candidate in candidates))
    proposed = _proposed([*candidates, *await _carriers(ids, mentioned or (), scope, ctx.resources)])
    join = _joined_by(ctx.resources.profile(request.profile), config)
    answers: list[tuple[Scores, Parts]] = []
    questions = await read_questions(request, scope, view, ctx.resources, embedded=DENSE in sources)
    for number, question in enumerate(questions):
        parts = await _signals(view, ids, question, sources, config, around=request.around)
        for source in sorted(set(sources) - set(INDEXED)):
            scores = [proposed.get((number, item_id), {}).get(source, 0.0) for item_id in ids]
            parts[source] = np.array(scores, dtype=np.float32)
        relevance = join({name: part for name, part in parts.items() if name not in SHOWN_ONLY}, parts[FIT])
        # Where nothing weighs, relevance is one 0 for all of them.
        answers.append((np.broadcast_to(relevance, len(ids)), parts))
    ctx.note(candidates=len(candidates), union=len(ids))
    best, columns = _best(answers)
    rows = map(ScoreRow, itertools.repeat(columns), range(len(ids)))
    return list(map(Fused, ids, best.tolist(), rows))


def _best(answers: Sequence[tuple[Scores, Parts]]) -> tuple[Scores, Parts]:
    """Return each item's relevance to the question that it answers best, of equal ones the first, and its parts."""
    if len(answers) == 1:
        return answers[0]
    relevances, parts = zip(*answers, strict=True)
    best = np.argmax(relevances, axis=0)[np.newaxis]

    def chosen(columns: Sequence[Scores]) -> Scores:
        return np.asarray(np.take_along_axis(np.stack(columns), best, axis=0)[0], dtype=np.float32)

    return chosen(relevances), {name: chosen([one[name] for one in parts]) for name in parts[0]}


async def _signals(
    view: View,
    ids: Sequence[str],
    question: Question,
    sources: Collection[str],
    config: FuseConfig,
    *,
    around: bool,
) -> Parts:
    """Return what the index says of the items, by source, and how well they fit the question."""
    vector = question.vector
    tokens = question.tokens if KEYWORD in sources else None
    evidence = await view.signals(ids, vector, tokens, around=around)
    if around and vector is not None and tokens is not None:
        return {**evidence.scores, FIT: fit(question, evidence.traits, config)}
    alone = {name: scores for name, scores in evidence.scores.items() if name != SESSION}
    return {**alone, FIT: np.ones(len(ids), dtype=np.float32)}


async def _carriers(
    ids: Sequence[str], mentioned: Sequence[Mentioned], scope: Scope, resources: MemoryResources
) -> list[Candidate]:
    """Return what the names in the questions say for items, whoever proposed them."""
    if not mentioned:
        return []
    names = resources.names(scope)
    found: list[Candidate] = []
    for number in sorted({one.query for one in mentioned}):
        worth = {one.key: one.score for one in mentioned if one.query == number}
        scores = zip(ids, (await names.scores(ids, worth)).tolist(), strict=True)
        found += [Candidate(item_id, ENTITY, score, number) for item_id, score in scores if score > 0]
    return found


def _proposed(candidates: Sequence[Candidate]) -> dict[tuple[int, str], dict[str, float]]:
    """Return what plug-ins' sources say, by query and item; a score on another scale cannot outrank everything."""
    scores: dict[tuple[int, str], dict[str, float]] = {}
    for candidate in candidates:
        if candidate.source not in INDEXED:
            known = scores.setdefault((candidate.query, candidate.item_id), {})
            score = 0.0 if math.isnan(candidate.score) else min(max(candidate.score, 0.0), 1.0)
            known[candidate.source] = max(score, known.get(candidate.source, 0.0))
    return scores


def _joined_by(profile: Profile, config: FuseConfig) -> Join:
    def join(parts: Mapping[str, Scores], fitting: Scores) -> Scores:
        named = {name: weight for name, weight in (profile.sources or {}).items() if name in parts}
        return mean(parts, named) if any(named.values()) else config.join(parts, fitting)

    return join
