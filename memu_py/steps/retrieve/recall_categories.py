"""Recall categories: by their own meaning, and by the evidence of the items found."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.link import IN_CATEGORY
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.topics import describe
from memu_py.steps.view import relevance
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class RecallCategoriesConfig(BaseModel):
    """How categories are ranked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    evidence: float = Field(
        default=0.5, ge=0, le=1, description="share of the items' evidence in a category's score"
    )


@step("recall_categories", produces={"category_hits": list[Hit[Category]]})
async def recall_categories(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    *,
    ctx: StepContext[MemoryResources],
    config: RecallCategoriesConfig,
) -> list[Hit[Category]]:
    """Rank the partition's categories that have items: `(1 - e) * own relevance + e * share of the hits' scores`.

    What was true, or known, at another time is in no summary: there are none then.
    """
    if "category" not in request.layers or request.of_then:
        return []
    known = await ctx.resources.reads.categories(scope)
    categories = [category for category in known if category.item_count]
    if not categories:
        return []
    own = await _own_relevance(request.queries, categories, ctx.resources)
    shares = await _evidence(scope, hits, ctx.resources)
    ranked = [
        Hit(
            record=category,
            score=(1 - config.evidence) * mine + config.evidence * shares.get(category.id, 0.0),
            scores={"relevance": mine, "evidence": shares.get(category.id, 0.0)},
        )
        for category, mine in zip(categories, own, strict=True)
    ]
    floor = ctx.resources.min_score(request)
    ranked = sorted(
        (hit for hit in ranked if hit.score >= floor), key=lambda hit: (-hit.score, hit.record.name)
    )
    return ranked[: request.top_k]


async def _own_relevance(
    queries: Sequence[str], categories: Sequence[Category], resources: MemoryResources
) -> list[float]:
    texts = [describe(category) for category in categories]
    passages = await resources.embed_passages(texts)
    questions = await resources.embed_queries(queries)
    cosines = np.max(passages @ questions.T, axis=1)
    return [relevance(cosine, resources.calibration) for cosine in cosines.tolist()]


async def _evidence(scope: Scope, hits: Sequence[Hit[Item]], resources: MemoryResources) -> dict[str, float]:
    scores = {hit.record.id: hit.score for hit in hits}
    total = sum(scores.values())
    if not total:
        return {}
    shares: dict[str, float] = {}
    for item_id, links in (await resources.reads.links(scope, list(scores))).items():
        for link in (one for one in links if one.kind == IN_CATEGORY):
            shares[link.target_id] = shares.get(link.target_id, 0.0) + scores[item_id] / total
    return {category_id: min(share, 1.0) for category_id, share in shares.items()}
