"""Fuse the candidates of all recalls into one relevance per item."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.candidate import Candidate
from memu_py.records.fused import Fused
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.recall_dense import DENSE
from memu_py.steps.retrieve.recall_keyword import KEYWORD
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

INDEXED = (DENSE, KEYWORD)


class FuseConfig(BaseModel):
    """How much each source counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    weights: dict[str, float] = Field(
        default={DENSE: 0.25, KEYWORD: 0.75},
        description="weight of each source; those of `dense` and `keyword` share the scale, others add to it",
    )
    other: float = Field(
        default=0.25, ge=0, le=1, description="weight of a source that `weights` does not name"
    )

    def evolved(self, sources: Mapping[str, float] | None) -> "FuseConfig":
        """Return the weights that a scoring profile brings, or these when it brings none."""
        return self if sources is None else self.model_copy(update={"weights": dict(sources)})

    def weight(self, source: str) -> float:
        """Return the weight of a source."""
        return self.weights.get(source, self.other)


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
    `w * score` on top; the sum is cut at 1.
    """
    view = await ctx.resources.view(scope, request.where)
    ids = view.known(dict.fromkeys(candidate.item_id for candidate in candidates))
    proposed = _proposed(candidates)
    weights = config.evolved(ctx.resources.profile(request.profile).sources)
    best: dict[str, Fused] = {}
    vectors = await ctx.resources.embed_queries(request.queries) if DENSE in sources else None
    for number, query in enumerate(request.queries):
        vector = vectors[number] if vectors is not None else None
        text = query if KEYWORD in sources else None
        for item_id, signals in view.signals(ids, vector, text, around=request.around).items():
            parts = proposed.get((number, item_id), {}) | signals
            fused = Fused(item_id=item_id, relevance=_relevance(parts, sources, weights), parts=parts)
            if item_id not in best or fused.relevance > best[item_id].relevance:
                best[item_id] = fused
    ctx.note(candidates=len(candidates), union=len(best))
    return list(best.values())


def _proposed(candidates: Sequence[Candidate]) -> dict[tuple[int, str], dict[str, float]]:
    scores: dict[tuple[int, str], dict[str, float]] = {}
    for candidate in candidates:
        if candidate.source not in INDEXED:
            scores.setdefault((candidate.query, candidate.item_id), {})[candidate.source] = candidate.score
    return scores


def _relevance(parts: Mapping[str, float], sources: Sequence[str], config: FuseConfig) -> float:
    asked = [source for source in INDEXED if source in sources]
    total = sum(config.weight(source) for source in asked)
    shared = sum(config.weight(source) * parts.get(source, 0.0) for source in asked) / total if total else 0.0
    added = sum(config.weight(name) * parts.get(name, 0.0) for name in set(sources) - set(INDEXED))
    return min(shared + added, 1.0)
