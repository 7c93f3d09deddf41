"""Rank: relevance and the bounded factors of a scoring profile make the score; the best come out as hits."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from memu_py import _core
from memu_py.records.fused import Fused
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.scoring.profiles import Profile
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

FACTORS = ("recency", "importance", "reinforcement", "access")


class RankConfig(BaseModel):
    """Nothing to set yet: the profile is chosen by the request."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@step("rank", produces={"hits": list[Hit[Item]]})
async def rank(
    request: RetrieveRequest,
    scope: Scope,
    fused: list[Fused],
    *,
    ctx: StepContext[MemoryResources],
    config: RankConfig,
) -> list[Hit[Item]]:
    """Score, leave out what is below `min_score`, and load the best `top_k` from the store, in the scope.

    Equal scores order by time, the newest first, then by id.
    """
    scored = await _score(request, scope, fused, ctx)
    floor = ctx.resources.min_score(request)
    kept = [hit for hit in scored if hit[1] >= floor][: request.top_k]
    records = await ctx.resources.store.items.get(scope, [item_id for item_id, _, _ in kept])
    ctx.note(scored=len(scored), hits=len(kept), min_score=floor)
    return [
        Hit(record=records[item_id], score=score, scores=scores)
        for item_id, score, scores in kept
        if item_id in records
    ]


async def _score(
    request: RetrieveRequest, scope: Scope, fused: Sequence[Fused], ctx: StepContext[MemoryResources]
) -> list[tuple[str, float, dict[str, float]]]:
    view = await ctx.resources.view(scope, request.where)
    by_id = {one.item_id: one for one in fused}
    ids = view.newest_first(by_id)
    if not ids:
        return []
    profile: Profile = ctx.resources.profile(request.profile)
    factors = view.factors(ids, now=request.now)
    rows, scores, values = _core.rank_top_k(
        np.array([by_id[item_id].relevance for item_id in ids], dtype=np.float32),
        factors.ages_days,
        factors.importance,
        factors.arousal,
        factors.mentions,
        factors.accesses,
        weights=profile.weights,
        half_life_days=profile.half_life_days,
        mentions_cap=profile.mentions_cap,
        k=len(ids),
    )
    return [
        (ids[row], float(score), _explain(by_id[ids[row]], value))
        for row, score, value in zip(rows.tolist(), scores.tolist(), values.tolist(), strict=True)
    ]


def _explain(fused: Fused, factors: Sequence[float]) -> dict[str, float]:
    return {**fused.parts, "relevance": fused.relevance, **dict(zip(FACTORS, factors, strict=True))}
