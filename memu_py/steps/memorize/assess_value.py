"""The value gate: what holds nothing to remember makes no item."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memu_py.language.value import assess
from memu_py.records.resource import Segment
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

NO_CONTENT = "no content"
ASKED = f"{NO_CONTENT}: question"
"""Why a question makes no item."""


class AssessValueConfig(BaseModel):
    """What to keep."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keep: Literal["content", "all"] = Field(
        default="content", description="`all` turns the gate off: every segment becomes an item"
    )


@step("assess_value", produces={"segments": list[Segment]})
async def assess_value(
    segments: list[Segment], *, ctx: StepContext[MemoryResources], config: AssessValueConfig
) -> list[Segment]:
    """Mark greetings, bare acknowledgements and pure questions as skipped; they stay in the resource."""
    if config.keep == "all":
        return segments
    assessed = [_assess(segment) for segment in segments]
    ctx.note(skipped=sum(segment.outcome == "skipped" for segment in assessed))
    return assessed


def _assess(segment: Segment) -> Segment:
    if segment.outcome != "pending":
        return segment
    reason = assess(segment.text)
    if reason is None:
        return segment
    return segment.evolve(outcome="skipped", reason=f"{NO_CONTENT}: {reason}")
