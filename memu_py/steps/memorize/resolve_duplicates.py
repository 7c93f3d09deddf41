"""Resolve duplicates and conflicts: what is known already is reinforced, what it speaks against is linked or ended."""

import asyncio
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.records.batch import Reinforcement, Supersession
from memu_py.records.item import ItemDraft
from memu_py.records.link import Link
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.steps.memorize.conflicts import Reconciliation, Verdict, revisions, ruled
from memu_py.steps.memorize.duplicates import relinked
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.reconciler import Reconciler
from memu_py.steps.memorize.resolver import Compared, DuplicateResolver
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "reconcile"
Policy = Literal["add_only", "reconcile"]


class ResolveDuplicatesConfig(BaseModel):
    """What counts as near, and what becomes of what a new memory speaks against."""

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
    policy: Policy = Field(
        default="add_only",
        description="`add_only` keeps what a new memory speaks against beside it; `reconcile` updates or ends it",
    )
    profile: str = Field(
        default="default", description="the model profile that reconciles; rules where it is not configured"
    )
    tokens: int = Field(
        default=4000, ge=200, description="tokens of new and known memories that a model judges in one call"
    )


class Resolved(NamedTuple):
    """The output of the step.

    Attributes:
        drafts: what is new.
        reinforcements: of stored items.
        item_links: from new items to stored or new ones that are near, or that they speak against.
        holders: id of a draft that is not new → id of the draft or item that holds it.
        supersessions: items that hold no longer.
        citing: the segments that each draft came from, before any were joined, by the draft's id.
    """

    drafts: list[ItemDraft]
    reinforcements: list[Reinforcement]
    item_links: list[Link]
    holders: dict[str, str]
    supersessions: list[Supersession]
    citing: dict[str, list[int]]


@step(
    "resolve_duplicates",
    produces={
        "drafts": list[ItemDraft],
        "reinforcements": list[Reinforcement],
        "item_links": list[Link],
        "holders": dict[str, str],
        "supersessions": list[Supersession],
        "citing": dict[str, list[int]],
    },
)
async def resolve_duplicates(
    request: MemorizeRequest,
    intake: Intake,
    drafts: list[ItemDraft],
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: ResolveDuplicatesConfig,
) -> Resolved:
    """Join equal and near drafts, reinforce stored items that say the same, then see to those that they speak against.

    Raises:
        BudgetExceeded: the model that reconciles would cost more than is left.
    """
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
    compared = await (resolver.near(drafts) if config.near else resolver.exact(drafts))
    verdicts = await _judged(compared, request, scope, ctx, config)
    citing = {draft.id: [source.ordinal for source in draft.sources] for draft in drafts}
    resolved = await _settled(compared, verdicts, citing, ctx, config)
    ctx.note(
        new=len(resolved.drafts),
        reinforced=len(resolved.reinforcements),
        linked=len(resolved.item_links),
        ended=len(resolved.supersessions),
    )
    return resolved


async def _judged(
    compared: Compared,
    request: MemorizeRequest,
    scope: Scope,
    ctx: StepContext[MemoryResources],
    config: ResolveDuplicatesConfig,
) -> Sequence[Verdict]:
    """Ask the model where there is one and the policy wants it, else the rules."""
    resources = ctx.resources
    modelled = request.infer is not False and resources.has_model(config.profile)
    if config.policy == "add_only" or not modelled:
        return await asyncio.to_thread(ruled, compared)
    reconciler = Reconciler(
        model=resources.chat(config.profile, purpose=ctx.step),
        prompt=resources.prompt(PROMPT, " ".join(draft.text for draft in compared.drafts)),
        tokens=config.tokens,
        zone=resources.zone(scope, request.timezone),
    )
    judged = await reconciler.judge(compared)
    ctx.note(judged=len(judged.verdicts), strangers=judged.strangers, dropped=judged.dropped)
    if judged.failed:
        ctx.note(failed="; ".join(judged.failed))
    return judged.verdicts


async def _settled(
    compared: Compared,
    verdicts: Sequence[Verdict],
    citing: dict[str, list[int]],
    ctx: StepContext[MemoryResources],
    config: ResolveDuplicatesConfig,
) -> Resolved:
    if config.policy == "add_only":
        links = [*compared.links, *revisions(verdicts)]
        return Resolved(compared.drafts, compared.reinforcements, links, compared.holders, [], citing)
    found = Reconciliation.of(compared, ctx.clock())
    texts = found.rewordings(verdicts)
    matrix = await ctx.resources.embed_passages(texts) if texts else ()
    vectors = {text: np.ascontiguousarray(row) for text, row in zip(texts, matrix, strict=True)}
    found.apply(verdicts, vectors)
    return Resolved(
        drafts=list(found.drafts.values()),
        reinforcements=[*compared.reinforcements, *found.reinforcements],
        item_links=list(relinked(compared.links, found.holders)),
        holders=compared.holders | found.holders,
        supersessions=found.supersessions,
        citing=citing,
    )
