"""Fuse the candidates of all recalls into one relevance per item."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.candidate import Candidate
from memu_py.records.fused import Fused
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.scoring.profiles import Profile
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.recall_dense import DENSE
from memu_py.steps.retrieve.recall_keyword import KEYWORD
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

INDEXED = (DENSE, KEYWORD)


Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class FuseConfig(BaseModel):
    """How much each source counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[str, Weight] = Field(
        default={DENSE: 0.25, KEYWORD: 0.75},
        description="weight of each source; those of `dense` and `keyword` share the scale, others add to it",
    )
    other: float = Field(
        default=0.25, ge=0, le=1, description="weight of a source that `weights` does not name"
    )

    def weight(self, source: str) -> float:
        """Return the weight of a source."""
        return self.weights.get(source, self.other)

    def relevance(self, parts: Mapping[str, float], sources: Collection[str]) -> float:
        """Join the signals of an item: the mean of the indexed sources that were asked, and the others on top, up to 1.

        Args:
            parts: scores in [0, 1] by source; one that is missing is 0.
            sources: that were asked.
        """
        indexed = {source: self.weight(source) for source in INDEXED if source in sources}
        others = {source: self.weight(source) for source in sorted(set(sources) - set(INDEXED))}
        if not any(indexed.values()):
            return mean(parts, others)
        added = sum(weight * parts.get(source, 0.0) for source, weight in others.items())
        return min(mean(parts, indexed) + added, 1.0)


def mean(parts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted mean of signals, 0 where nothing weighs."""
    total = sum(weights.values())
    if not total:
        return 0.0
    return sum(weight * parts.get(source, 0.0) for source, weight in weights.items()) / total


@step("fuse", produces={"fused": list[Fused]})
async def fuse(
    request: RetrieveRequest,
    scope: Scope,
    candidates: list[Candidate],
    sources: list[str],
    *,
    ctx: StepContext[MemoryResources],
    config: FuseConfig,
) -> list[Fused]:
    """Score the union of all candidates by a weighted mean on a fixed scale.

    The indexed sources that were asked are evaluated for every candidate, whoever proposed it, so that a score does not
    depend on which other rows matched: `(w_d * dense + w_k * keyword) / (w_d + w_k)`. Sources of plug-ins add
    `w * score` on top; the sum is cut at 1. A scoring profile with weights of its own takes the mean of the sources
    that it names, plug-ins' included.
    """
    view = await ctx.resources.view(scope, request.where)
    ids = view.known(dict.fromkeys(candidate.item_id for candidate in candidates))
    proposed = _proposed(candidates)
    join = _joined_by(ctx.resources.profile(request.profile), sources, config)
    best: dict[str, Fused] = {}
    vectors = await ctx.resources.embed_queries(request.queries) if DENSE in sources else None
    for number, query in enumerate(request.queries):
        vector = vectors[number] if vectors is not None else None
        text = query if KEYWORD in sources else None
        for item_id, signals in view.signals(ids, vector, text, around=request.around).items():
            parts = proposed.get((number, item_id), {}) | signals
            fused = Fused(item_id=item_id, relevance=join(parts), parts=parts)
            if item_id not in best or fused.relevance > best[item_id].relevance:
                best[item_id] = fused
    ctx.note(candidates=len(candidates), union=len(best))
    return list(best.values())


def _proposed(candidates: Sequence[Candidate]) -> dict[tuple[int, str], dict[str, float]]:
    """Return what plug-ins' sources say, by query and item; a score on another scale cannot outrank everything."""
    scores: dict[tuple[int, str], dict[str, float]] = {}
    for candidate in candidates:
        if candidate.source not in INDEXED:
            known = scores.setdefault((candidate.query, candidate.item_id), {})
            score = 0.0 if math.isnan(candidate.score) else min(max(candidate.score, 0.0), 1.0)
            known[candidate.source] = max(score, known.get(candidate.source, 0.0))
    return scores


def _joined_by(
    profile: Profile, sources: Sequence[str], config: FuseConfig
) -> Callable[[Mapping[str, float]], float]:
    named = {name: weight for name, weight in (profile.sources or {}).items() if name in sources}
    if any(named.values()):
        return lambda parts: mean(parts, named)
    return lambda parts: config.relevance(parts, sources)
