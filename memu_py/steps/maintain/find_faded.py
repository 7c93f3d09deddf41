"""Find what has faded."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.features.forgetting import ACTIVATION, GRACE_DAYS, IMPORTANCE, Bars, faded, inactive, may_fade
from memu_py.records.forgotten import Fading, MaintainRequest
from memu_py.records.item import Item
from memu_py.records.page import MAX_PAGE, Query
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class FindFadedConfig(BaseModel):
    """The bars; an item must fall below all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    activation_below: float = Field(
        default=ACTIVATION,
        description="activation; -2.95 is that of a memory that came up once, a year ago",
    )
    importance_below: float = Field(
        default=IMPORTANCE, ge=1, le=10, description="importance as use has moved it; 5.5 where nobody judged"
    )
    grace_days: float = Field(
        default=GRACE_DAYS, ge=0, description="days since it was stored, said again or restored"
    )
    most: int = Field(default=500, ge=1, le=MAX_PAGE, description="items that one run puts away at most")


class Found(NamedTuple):
    """The output of the step.

    Attributes:
        faded: what is to be put away.
        looked_at: items that were judged.
        more: there is more.
    """

    faded: list[Fading]
    looked_at: int
    more: bool


@step("find_faded", produces={"faded": list[Fading], "looked_at": int, "more": bool})
async def find_faded(
    request: MaintainRequest, *, ctx: StepContext[MemoryResources], config: FindFadedConfig
) -> Found:
    """Find items that are neither active nor important any more, nor pinned, nor of a kept type, nor young."""
    bars = Bars(
        activation=config.activation_below,
        importance=config.importance_below,
        grace=timedelta(days=config.grace_days),
        kept_types=ctx.resources.settings.maintain.keep_types,
    )
    now, found, looked_at = ctx.clock(), list[Fading](), 0
    query = Query(limit=MAX_PAGE)
    while len(found) <= config.most:
        ctx.cancel.check()
        page = await ctx.resources.store.items.page(request.scope, query)
        looked_at += len(page)
        old = [item for item in page if may_fade(item, now, bars)]
        found += await _faded(request.scope, old, ctx.resources, now, bars)
        if page.next_cursor is None:
            break
        query = query.evolve(cursor=page.next_cursor)
    ctx.note(looked_at=looked_at, faded=len(found))
    return Found(faded=found[: config.most], looked_at=looked_at, more=len(found) > config.most)


async def _faded(
    scope: Scope, items: Sequence[Item], resources: MemoryResources, now: datetime, bars: Bars
) -> list[Fading]:
    if not items:
        return []
    store = resources.store
    active = inactive(items, await store.presented(scope, [item.id for item in items]), now, bars)
    if not active:
        return []
    parts = await store.index_rows(scope.owner, list(active))
    reads = {
        item_id: count
        for rows in parts
        for item_id, count in zip(rows.ids, rows.access_count.tolist(), strict=True)
    }
    return faded(items, active, reads, bars)
