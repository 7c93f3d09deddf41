"""Classify new items: each goes to the categories whose meaning is nearest."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.records.category import Category
from memu_py.records.ids import new_id
from memu_py.records.item import ItemDraft
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.topics import describe
from memu_py.steps.view import relevance
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class ClassifyItemsConfig(BaseModel):
    """How near is near enough."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threshold: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="cosine to a category's description; the embedder's own if unset",
    )
    per_item: int = Field(default=1, ge=1, le=10, description="at most so many categories an item")


@step("classify_items", produces={"category_links": list[Link]})
async def classify_items(
    drafts: list[ItemDraft],
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: ClassifyItemsConfig,
) -> list[Link]:
    """Link each draft to its nearest categories above the threshold; one that fits none stays without."""
    if not drafts:
        return []
    categories = await _categories(scope, ctx)
    if not categories:
        return []
    topics = await ctx.resources.embed_passages([describe(category) for category in categories])
    vectors = await ctx.resources.embed_passages([draft.text for draft in drafts])
    links = _nearest(drafts, vectors @ topics.T, categories, ctx, config)
    ctx.note(linked=len({link.source_id for link in links}), categories=len(categories))
    return links


async def _categories(scope: Scope, ctx: StepContext[MemoryResources]) -> list[Category]:
    """Return the partition's categories; the configured ones are made at first use."""
    store = ctx.resources.store
    page = await store.categories.page(scope.owner, Query(limit=MAX_PAGE))
    names = {category.name.casefold() for category in page}
    configured = ctx.resources.settings.categories.defaults
    missing = [topic for topic in configured if topic.name.casefold() not in names]
    if not missing or any(category.origin == "config" for category in page):
        return list(page)
    now = ctx.clock()
    made = await store.add_categories(
        scope.owner,
        [
            Category(
                id=new_id(),
                scope=scope.owner,
                name=topic.name,
                description=topic.description,
                created_at=now,
                updated_at=now,
            )
            for topic in missing
        ],
    )
    return [*page, *made]


def _nearest(
    drafts: Sequence[ItemDraft],
    cosines: Matrix,
    categories: Sequence[Category],
    ctx: StepContext[MemoryResources],
    config: ClassifyItemsConfig,
) -> list[Link]:
    calibration = ctx.resources.calibration
    threshold = calibration.topic if config.threshold is None else config.threshold
    return [
        Link(
            source_id=draft.id,
            target_id=categories[place].id,
            kind=IN_CATEGORY,
            score=relevance(float(row[place]), calibration),
        )
        for draft, row in zip(drafts, cosines, strict=True)
        for place in np.argsort(-row, kind="stable")[: config.per_item]
        if row[place] >= threshold
    ]
