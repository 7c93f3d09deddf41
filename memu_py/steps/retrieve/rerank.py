"""Rerank: a model that reads the question and a text together has its say on the best candidates."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.fused import Fused
from memu_py.records.item import Item
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.reranking.factory import KIND
from memu_py.reranking.reranker import Scores
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

RERANK = "rerank"
FUSED = "fused"
"""The relevance before, as it is shown with a hit."""


class RerankConfig(BaseModel):
    """How many the model reads, and how much it counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    top_k: int = Field(default=50, ge=1, le=1000, description="the most relevant candidates, which are read")
    weight: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="share of the model's score in the relevance; the rest is `fuse`'s",
    )


@step("rerank", produces={"fused": list[Fused]}, needs=(KIND,))
async def rerank(
    request: RetrieveRequest,
    scope: Scope,
    fused: list[Fused],
    *,
    ctx: StepContext[MemoryResources],
    config: RerankConfig,
) -> list[Fused]:
    """Mix the relevance of the first `top_k` candidates with what the reranker says of them.

    `relevance = (1 - weight) * fused + weight * rerank`, `rerank` being the best over the questions. What was not read
    has `rerank` 0, so that it cannot pass what was read: it was behind before, and gets nothing on top. A request
    may do without all of it.
    """
    if not request.rerank:
        return fused
    first = sorted(fused, key=lambda one: (-one.relevance, one.item_id))[: config.top_k]
    records = await ctx.resources.reads.items(scope, [one.item_id for one in first])
    read = [one.item_id for one in first if one.item_id in records]
    scores = await _best(request, [_shown(records[item_id]) for item_id in read], ctx.resources)
    said = dict(zip(read, scores.tolist(), strict=True))
    ctx.note(reranked=len(read), unread=len(fused) - len(read))
    return [_mixed(one, said.get(one.item_id), config.weight) for one in fused]


async def _best(request: RetrieveRequest, texts: Sequence[str], resources: MemoryResources) -> Scores:
    best: Scores = np.zeros(len(texts), dtype=np.float32)
    for query in request.queries if texts else ():
        best = np.maximum(best, await resources.rerank(query, texts))
    return best


def _shown(item: Item) -> str:
    """Return an item as a reader sees it: a turn without its speaker is half of it."""
    return f"{item.speaker}: {item.text}" if item.speaker else item.text


def _mixed(fused: Fused, said: float | None, weight: float) -> Fused:
    relevance = (1 - weight) * fused.relevance + weight * (said or 0.0)
    parts = {**fused.parts, FUSED: fused.relevance}
    return Fused(fused.item_id, relevance, parts if said is None else {**parts, RERANK: said})
