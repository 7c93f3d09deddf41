"""Update categories: open new ones for what fits none, and bring stale summaries up to date."""

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import NotFound
from memu_py.language.terms import top_terms
from memu_py.records.batch import Committed
from memu_py.records.category import Category
from memu_py.records.ids import new_id
from memu_py.records.item import Item
from memu_py.records.link import IN_CATEGORY, Link
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.scope import Scope
from memu_py.steps.memorize.clusters import close_groups
from memu_py.steps.memorize.refresh import ATTEMPTS, refresh, stale_categories
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

ACTOR = "update_categories"
NAME_TERMS = 3
CLOSENESS = 0.75
"""How far from "may belong to one topic" to "may say the same" two items of a new category must be."""


class UpdateCategoriesConfig(BaseModel):
    """Limits of the work."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unassigned: int = Field(default=500, ge=1, le=MAX_PAGE, description="newest unassigned items to look at")
    close: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="cosine between any two items of a new category; from the embedder's calibration if unset",
    )
    attempts: int = Field(default=ATTEMPTS, ge=1, description="tries when others change the same category")


@step("update_categories", produces={"categories": list[Category]})
async def update_categories(
    committed: Committed,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: UpdateCategoriesConfig,
) -> list[Category]:
    """Open categories for groups of unassigned items, then summarise every stale category of the partition.

    Stale categories that an earlier run left behind (it was killed between its two transactions) are caught up too.
    """
    if committed.added:
        await _open_categories(scope.owner, ctx, config)
    stale = await stale_categories(scope, ctx.resources)
    updated = []
    for done, category in enumerate(stale):
        ctx.cancel.check()
        updated.append(await refresh(scope, category, ctx.resources, attempts=config.attempts))
        ctx.progress(done + 1, len(stale), "summarising")
    ctx.note(updated=len(updated))
    return [category for category in updated if category is not None]


async def _open_categories(
    scope: Scope, ctx: StepContext[MemoryResources], config: UpdateCategoriesConfig
) -> None:
    settings = ctx.resources.settings.categories
    room = settings.max_per_user - await ctx.resources.store.categories.count(scope)
    if room <= 0:
        return
    query = Query(where={"category": {"exists": False}}, descending=True, limit=config.unassigned)
    items = list(await ctx.resources.store.items.page(scope, query))
    vectors = await ctx.resources.store.vectors(scope, [item.id for item in items])
    items = [item for item in items if item.id in vectors]
    if len(items) < settings.min_cluster:
        return
    matrix = np.stack([vectors[item.id] for item in items])
    groups = close_groups(matrix, threshold=_closeness(ctx, config), least=settings.min_cluster)
    for group in groups[:room]:
        await _open(scope, [items[row] for row in group], items, ctx)


def _closeness(ctx: StepContext[MemoryResources], config: UpdateCategoriesConfig) -> float:
    if config.close is not None:
        return config.close
    topic, same = ctx.resources.calibration.topic, ctx.resources.calibration.same
    return topic + CLOSENESS * (same - topic)


async def _open(
    scope: Scope, members: list[Item], background: list[Item], ctx: StepContext[MemoryResources]
) -> None:
    terms = top_terms(
        [item.text for item in members], background=[item.text for item in background], n=NAME_TERMS
    )
    if not terms:
        return
    now = ctx.clock()
    wanted = Category(
        id=new_id(),
        scope=scope,
        name=", ".join(terms),
        origin="auto",
        stale=True,
        created_at=now,
        updated_at=now,
    )
    (category,) = await ctx.resources.store.add_categories(scope, [wanted])
    links = [Link(source_id=item.id, target_id=category.id, kind=IN_CATEGORY) for item in members]
    try:
        await ctx.resources.store.link(scope, links, actor=ACTOR)
    except NotFound:
        # Somebody erased a member meanwhile: its words must not live on as the name of a topic.
        if category.id == wanted.id:
            await ctx.resources.store.delete_categories(scope, [category.id], actor=ACTOR)
