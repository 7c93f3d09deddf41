"""Rank: relevance and the bounded factors of a scoring profile make the score; the best come out as hits."""

import asyncio
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from memu_py import _core
from memu_py.index.rows import DAY_US
from memu_py.records.fused import Fused
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.link import Link
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.scoring.importance import effective_importance
from memu_py.scoring.profiles import ACTIVATION, FACTORS, Profile
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.activation import activation_factors
from memu_py.steps.retrieve.newest import alike, newest_first
from memu_py.steps.view import View
from memu_py.storage.plain import to_micros
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

POOL = 4
"""From so many times as many hits as are wanted diverse ones are chosen."""

Scored = tuple[str, float, dict[str, float]]


class RankConfig(BaseModel):
    """How hits are chosen; the scoring profile is chosen by the request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    diversity: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="how much a hit loses by saying what a better one says; 0 for not at all",
    )
    newer: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="of two similar memories the newer goes first, where their scores differ by no more",
    )


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

    Equal scores order by time, the newest first, then by id. With `diversity` d the next hit is always the one with the
    largest `(1 - d) * score - d * cosine to the nearest one before it` (maximal marginal relevance; Carbonell &
    Goldstein, SIGIR 1998); scores stay what they are. Where the profile minds how fresh a memory is, a newer one goes
    before older ones that it is linked with; see `newest_first`.
    """
    floor = ctx.resources.min_score(request)
    view = await ctx.resources.asked(scope, request)
    most = request.top_k * (POOL if config.diversity else 1)
    profile = ctx.resources.profile(request.profile)
    active = await _activation(request, fused, profile, scope, ctx.resources)
    kept = await _best(request, view, fused, floor, profile, most, active) if fused else []
    if config.diversity:
        kept = (await _diverse(kept, view, config.diversity))[: request.top_k]
    ids = [item_id for item_id, _, _ in kept]
    # Side by side: each is a look at the store.
    looks = ctx.resources.reads.items(scope, ids), _links(ids, profile, scope, ctx.resources)
    records, links = await asyncio.gather(*looks)
    records = ctx.resources.as_known(scope, request, records)
    ctx.note(scored=len(fused), hits=len(kept), min_score=floor)
    hits = [
        Hit(record=records[item_id], score=score, scores=scores)
        for item_id, score, scores in kept
        if item_id in records
    ]
    related = [*itertools.chain.from_iterable(links.values()), *(alike(hits) if profile.recency else ())]
    return newest_first(hits, related, margin=config.newer)


async def _links(
    ids: Sequence[str], profile: Profile, scope: Scope, resources: MemoryResources
) -> Mapping[str, Sequence[Link]]:
    """Return how hits are linked, where that matters for their order."""
    return await resources.reads.links(scope, ids) if len(ids) > 1 and profile.recency else {}


async def _activation(
    request: RetrieveRequest,
    fused: Sequence[Fused],
    profile: Profile,
    scope: Scope,
    resources: MemoryResources,
) -> NDArray[np.float32] | None:
    """Return how active the fused items are, (n,), where the profile minds it."""
    if not profile.activation:
        return None
    ids = [one.item_id for one in fused]
    return await activation_factors(ids, profile, scope=scope, reads=resources.reads, now=request.now)


async def _best(
    request: RetrieveRequest,
    view: View,
    fused: Sequence[Fused],
    floor: float,
    profile: Profile,
    most: int,
    active: NDArray[np.float32] | None,
) -> list[Scored]:
    """Return the best items that reach the floor, with their scores and what went into them."""
    columns = await view.columns([one.item_id for one in fused])
    relevance = np.array([one.relevance for one in fused], dtype=np.float32)
    if active is not None:
        # A factor like those of the kernel: the product does not mind where it is multiplied.
        relevance = np.clip(relevance, 0, 1) * (1 - profile.activation + profile.activation * active)
    rows, scores, values = _core.rank_top_k(
        relevance.astype(np.float32),
        (to_micros(request.now) - columns.clock) / DAY_US,
        effective_importance(columns.importance, columns.mentions, columns.accesses),
        columns.arousal,
        columns.mentions,
        columns.accesses,
        weights=profile.weights,
        half_life_days=profile.half_life_days,
        mentions_cap=profile.mentions_cap,
        k=len(fused),
    )
    # All that reach the last place: among equal scores the order is by time, the newest first, then by id.
    least = scores[min(most, len(scores)) - 1] if len(scores) else 0.0
    reaching = int(np.count_nonzero(scores >= max(least, floor)))
    clocks = columns.clock.tolist()
    order = sorted(
        zip(scores[:reaching].tolist(), rows[:reaching].tolist(), values[:reaching].tolist(), strict=True),
        key=lambda one: (-one[0], -clocks[one[1]], fused[one[1]].item_id),
    )
    return [
        (fused[row].item_id, score, _explain(fused[row], factors, None if active is None else active[row]))
        for score, row, factors in order[:most]
    ]


async def _diverse(hits: Sequence[Scored], view: View, diversity: float) -> list[Scored]:
    """Return hits in the order of maximal marginal relevance."""
    if not hits:
        return []
    vectors = await view.vectors([item_id for item_id, _, _ in hits])
    scores = (1 - diversity) * np.array([score for _, score, _ in hits])
    nearest = np.zeros(len(hits))
    chosen: list[int] = []
    for _ in hits:
        worth = scores - diversity * nearest
        worth[chosen] = -np.inf
        best = int(worth.argmax())
        chosen.append(best)
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return [hits[place] for place in chosen]


def _explain(fused: Fused, factors: Sequence[float], active: float | None) -> dict[str, float]:
    more = {} if active is None else {ACTIVATION: float(active)}
    return {**fused.parts, "relevance": fused.relevance, **dict(zip(FACTORS, factors, strict=True)), **more}
