"""Recall resources: those in which the items found were said."""

from pydantic import BaseModel, ConfigDict

from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.request import RetrieveRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class RecallResourcesConfig(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@step("recall_resources", produces={"resource_hits": list[Hit[Resource]]})
async def recall_resources(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    *,
    ctx: StepContext[MemoryResources],
    config: RecallResourcesConfig,
) -> list[Hit[Resource]]:
    """Rank resources by the best of their items; the number of items found in them breaks ties."""
    if "resource" not in request.layers:
        return []
    best: dict[str, float] = {}
    found: dict[str, int] = {}
    for hit in hits:
        for resource_id in {source.resource_id for source in hit.record.sources}:
            best[resource_id] = max(best.get(resource_id, 0.0), hit.score)
            found[resource_id] = found.get(resource_id, 0) + 1
    order = sorted(best, key=lambda resource_id: (-best[resource_id], -found[resource_id], resource_id))
    records = await ctx.resources.reads.resources(scope, order)
    ranked = [
        Hit(record=records[one], score=best[one], scores={"best_item": best[one], "items": float(found[one])})
        for one in order
        if one in records
    ]
    return ranked[: request.top_k]
