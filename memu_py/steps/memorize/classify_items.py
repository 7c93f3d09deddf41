"""Classify new items: each goes to the categories whose meaning is nearest."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.modality.title import one_line
from memu_py.records.category import Category
from memu_py.records.item import ItemDraft
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.topics import describe, new_category, partition_categories, room_for_topics
from memu_py.steps.view import relevance
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

MAX_NAME_CHARS = 60
"""A longer name is no name."""
MAX_ABOUT_CHARS = 300
"""So much of a description is kept: every later extraction reads it."""


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
    topics: dict[str, str] | None = None,
    proposed: dict[str, str] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: ClassifyItemsConfig,
) -> list[Link]:
    """Link each draft to the topic that a model chose for it, else to its nearest categories above the threshold.

    A topic that there is not yet is made when the model proposed it and there is room. A draft that fits none stays
    without.
    """
    if not drafts:
        return []
    categories = await partition_categories(scope, ctx.resources, ctx.clock())
    wanted = {draft.id: topics[draft.id] for draft in drafts if topics and draft.id in topics}
    opened = await _opened(wanted.values(), proposed or {}, categories, scope, ctx)
    categories = [*categories, *opened]
    by_name = {category.name.casefold(): category for category in categories}
    chosen = {draft_id: by_name.get(name.casefold()) for draft_id, name in wanted.items()}
    links = [
        Link(source_id=draft_id, target_id=category.id, kind=IN_CATEGORY)
        for draft_id, category in chosen.items()
        if category is not None
    ]
    rest = [draft for draft in drafts if chosen.get(draft.id) is None]
    links += await _by_meaning(rest, categories, ctx, config)
    ctx.note(linked=len({link.source_id for link in links}), categories=len(categories), opened=len(opened))
    return links


async def _opened(
    names: Iterable[str],
    proposed: Mapping[str, str],
    categories: Sequence[Category],
    scope: Scope,
    ctx: StepContext[MemoryResources],
) -> list[Category]:
    """Make the topics that items go to and that a model proposed, as far as there is room."""
    known = {category.name.casefold() for category in categories}
    offered = {name.casefold(): (name, description) for name, description in proposed.items()}
    keys = [key for key in dict.fromkeys(name.casefold() for name in names) if key not in known]
    wanted = [offered[key] for key in keys if key in offered and len(key) <= MAX_NAME_CHARS]
    room = room_for_topics(ctx.resources, len(categories))
    made = [
        new_category(
            scope,
            " ".join(name.split()),
            ctx.clock(),
            description=one_line(description, max_chars=MAX_ABOUT_CHARS),
        )
        for name, description in wanted[:room]
    ]
    return await ctx.resources.store.add_categories(scope.owner, made) if made else []


async def _by_meaning(
    drafts: Sequence[ItemDraft],
    categories: Sequence[Category],
    ctx: StepContext[MemoryResources],
    config: ClassifyItemsConfig,
) -> list[Link]:
    if not drafts or not categories:
        return []
    topics = await ctx.resources.embed_passages([describe(category) for category in categories])
    vectors = await ctx.resources.embed_passages([draft.text for draft in drafts])
    return _nearest(drafts, vectors @ topics.T, categories, ctx, config)


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
