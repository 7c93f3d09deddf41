"""Preprocess: cut the original into segments and keep those that are new."""

from pydantic import BaseModel, ConfigDict, Field

from memu_py.modality.parser import DEFAULT_GROUP_CHARS, DEFAULT_TURN_CHARS
from memu_py.modality.raw import Raw
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.steps.memorize.intake import Intake, Intaker, TakenIn
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class PreprocessConfig(BaseModel):
    """How documents are cut."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    group_chars: int = Field(
        default=DEFAULT_GROUP_CHARS, ge=40, description="characters of a group of sentences of a document"
    )
    turn_chars: int = Field(
        default=DEFAULT_TURN_CHARS, ge=40, description="a longer turn is split between sentences"
    )


@step("preprocess", produces={"intake": Intake, "segments": list[Segment]})
async def preprocess(
    request: MemorizeRequest,
    scope: Scope,
    raw: Raw,
    modality: str,
    *,
    ctx: StepContext[MemoryResources],
    config: PreprocessConfig,
) -> TakenIn:
    """Find the resource that the bytes are or continue, and the segments that are new, edited or unfinished."""
    intaker = Intaker(
        scope=scope,
        request=request,
        resources=ctx.resources,
        now=ctx.clock(),
        tools=ctx.resources.media_tools(report=ctx.progress, check=ctx.cancel.check, purpose=ctx.step),
        group_chars=config.group_chars,
        turn_chars=config.turn_chars,
    )
    taken = await intaker.take_in(raw, modality)
    ctx.note(segments=taken.intake.resource.segment_count, new=len(taken.segments))
    return taken
