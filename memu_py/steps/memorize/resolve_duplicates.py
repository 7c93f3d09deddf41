"""Resolve duplicates: what is known already is reinforced, not stored twice."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.records.batch import Reinforcement
from memu_py.records.item import ItemDraft
from memu_py.records.link import Link
from memu_py.records.scope import Scope
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.resolver import DuplicateResolver, Resolved
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class ResolveDuplicatesConfig(BaseModel):
    """What counts as near."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    near: bool = Field(default=True, description="look for near duplicates too, not only for equal texts")
    same: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="cosine above which texts may be near duplicates; the embedder's own if unset",
    )
    candidates: int = Field(
        default=5, ge=1, le=100, description="near ones to compare each with, in the store and beside it"
    )


@step(
    "resolve_duplicates",
    produces={
        "drafts": list[ItemDraft],
        "reinforcements": list[Reinforcement],
        "item_links": list[Link],
        "holders": dict[str, str],
    },
)
async def resolve_duplicates(
    intake: Intake,
    drafts: list[ItemDraft],
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: ResolveDuplicatesConfig,
) -> Resolved:
    """Join equal and near drafts, then reinforce the stored items that say the same."""
    resources = ctx.resources

    async def embed(part: Sequence[ItemDraft]) -> Matrix:
        return await resources.embed_passages([draft.text for draft in part])

    resolver = DuplicateResolver(
        scope=scope,
        resources=resources,
        at=ctx.clock(),
        embed=embed,
        same=resources.calibration.same if config.same is None else config.same,
        candidates=config.candidates,
        ended=frozenset(intake.ended),
        check=ctx.cancel.check,
    )
    resolved = await (resolver.near(drafts) if config.near else resolver.exact(drafts))
    ctx.note(
        new=len(resolved.drafts),
        reinforced=len(resolved.reinforcements),
        similar=len(resolved.item_links),
    )
    return resolved
