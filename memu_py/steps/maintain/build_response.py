"""Put together what a maintain did."""

from pydantic import BaseModel, ConfigDict

from memu_py.records.forgotten import Compressed, Fading, Maintained, MaintainRequest
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class BuildMaintainResponseConfig(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@step("build_maintain_response", produces={"maintained": Maintained})
async def build_maintain_response(
    request: MaintainRequest,
    archived: list[Fading],
    compressed: list[Compressed] | None = None,
    looked_at: int = 0,
    more: bool = False,
    *,
    ctx: StepContext[MemoryResources],
    config: BuildMaintainResponseConfig,
) -> Maintained:
    """Tell what was put away, and why."""
    return Maintained(
        dry_run=request.dry_run,
        at=ctx.clock(),
        archived=tuple(archived),
        compressed=tuple(compressed or ()),
        looked_at=looked_at,
        more=more,
    )
