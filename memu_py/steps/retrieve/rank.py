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
    floor = ctx.resources.min_score(request)
    kept = await _best(request, scope, fused, floor, ctx) if fused else []
    records = await ctx.resources.reads.items(scope, [item_id for item_id, _, _ in kept])
    ctx.note(scored=len(fused), hits=len(kept), min_score=floor)
    return [
        Hit(record=records[item_id], score=score, scores=scores)
        for item_id, score, scores in kept
        if item_id in records
    ]


async def _best(
    request: RetrieveRequest,
    scope: Scope,
    fused: Sequence[Fused],
    floor: float,
    ctx: StepContext[MemoryResources],
) -> list[tuple[str, float, dict[str, float]]]:
    """Return the best items that reach the floor, with their scores and what went into them."""
    view = await ctx.resources.view(scope, request.where)
    profile: Profile = ctx.resources.profile(request.profile)
    factors = view.factors([one.item_id for one in fused], now=request.now)
    rows, scores, values = _core.rank_top_k(
        np.array([one.relevance for one in fused], dtype=np.float32),
        factors.ages_days,
        factors.importance,
        factors.arousal,
        factors.mentions,
        factors.accesses,
        weights=profile.weights,
        half_life_days=profile.half_life_days,
        mentions_cap=profile.mentions_cap,
        k=len(fused),
    )
    # All that reach the last place: among equal scores the order is by time, the newest first, then by id.
    least = scores[min(request.top_k, len(scores)) - 1]
    reaching = int(np.count_nonzero(scores >= max(least, floor)))
    clocks = factors.clock.tolist()
    order = sorted(
        zip(scores[:reaching].tolist(), rows[:reaching].tolist(), values[:reaching].tolist(), strict=True),
        key=lambda one: (-one[0], -clocks[one[1]], fused[one[1]].item_id),
    )
    return [
        (fused[row].item_id, score, _explain(fused[row], factors))
        for score, row, factors in order[: request.top_k]
    ]


def _explain(fused: Fused, factors: Sequence[float]) -> dict[str, float]:
    return {**fused.parts, "relevance": fused.relevance, **dict(zip(FACTORS, factors, strict=True))}
