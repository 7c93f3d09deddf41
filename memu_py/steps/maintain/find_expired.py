"""Find what has expired."""

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.forgotten import Fading, MaintainRequest
from memu_py.records.page import MAX_PAGE, Query
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class FindExpiredConfig(BaseModel):
    """How many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    most: int = Field(default=500, ge=1, le=MAX_PAGE, description="items that one run puts away at most")


@step("find_expired", produces={"expired": list[Fading]})
async def find_expired(
    request: MaintainRequest, *, ctx: StepContext[MemoryResources], config: FindExpiredConfig
) -> list[Fading]:
    """Find items whose `expires_at` has passed. They were found no more since then; now they are put away."""
    where = {"expires_at": {"lte": ctx.clock()}, "archived_at": {"exists": False}}
    query = Query(where=where, limit=config.most, archived=True)
    page = await ctx.resources.store.items.page(request.scope, query)
    ctx.note(expired=len(page))
    return [Fading(item=item, because="expired") for item in page]
