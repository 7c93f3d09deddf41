"""Update categories: open new ones for what fits none, and bring stale summaries up to date."""

import dataclasses
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.batch import Committed
from memu_py.records.category import Category
from memu_py.records.cited import citations, uncited
from memu_py.records.page import MAX_PAGE
from memu_py.records.request import MemorizeRequest
from memu_py.records.scope import Scope
from memu_py.steps.memorize.opening import CategoryOpener
from memu_py.steps.memorize.refresh import ATTEMPTS, refresh, stale_categories
from memu_py.steps.memorize.summarizer import Summarizer
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "summarize"
SummaryMode = Literal["auto", "extractive", "llm"]


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
    mode: SummaryMode = Field(
        default="auto",
        description="`extractive` needs no model, `llm` does; `auto` takes one when the profile is configured",
    )
    profile: str = Field(default="default", description="the model profile that writes summaries")
    tokens: int = Field(
        default=6000, ge=200, description="tokens of summaries and new items that it is shown in one call"
    )


@step("update_categories", produces={"categories": list[Category]})
async def update_categories(
    request: MemorizeRequest,
    committed: Committed,
    scope: Scope,
    topics: dict[str, str] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: UpdateCategoriesConfig,
) -> list[Category]:
    """Bring the summary of every stale category of the partition up to date.

    Where no model chose topics, categories are opened for groups of unassigned items. A model changes summaries by what
    is new, all of them in one call as far as they fit; without one, a summary is drawn from its items, and what a model
    wrote waits for the model.
    Stale categories that an earlier run left behind (it was killed between its two transactions) are caught up too.

    Raises:
        ConfigError: a model is asked for and not configured.
        BudgetExceeded: the model would cost more than is left; summaries stay stale.
    """
    if committed.added and not topics:
        opener = CategoryOpener(
            resources=ctx.resources,
            scope=scope.owner,
            now=ctx.clock(),
            newest=config.unassigned,
            close=config.close,
        )
        await opener.open()
    there = ctx.resources.has_model(config.profile)
    if request.infer is not False and (config.mode == "llm" or (config.mode == "auto" and there)):
        return await _patch(request, committed, scope, ctx, config)
    stale = list(await stale_categories(scope, ctx.resources))
    if config.mode != "extractive" and there:
        stale = [category for category in stale if not citations(category.summary)]
    updated = []
    for done, category in enumerate(stale):
        ctx.cancel.check()
        updated.append(await refresh(scope, category, ctx.resources, attempts=config.attempts))
        ctx.progress(done + 1, len(stale), "summarising")
    ctx.note(updated=len(updated))
    return [category for category in updated if category is not None]


async def _patch(
    request: MemorizeRequest,
    committed: Committed,
    scope: Scope,
    ctx: StepContext[MemoryResources],
    config: UpdateCategoriesConfig,
) -> list[Category]:
    resources = ctx.resources
    async with resources.summaries.of(scope):
        stale = list(await stale_categories(scope, resources))
        if not stale:
            return []
        said = " ".join(item.text for item in (*committed.added, *committed.reinforced))
        summarizer = Summarizer(
            store=resources.store,
            scope=scope.owner,
            model=resources.chat(config.profile, purpose=ctx.step),
            prompt=resources.prompt(PROMPT, said or " ".join(uncited(one.summary) for one in stale)),
            chars=resources.settings.categories.summary_chars,
            tokens=config.tokens,
            attempts=config.attempts,
            zone=resources.zone(scope, request.timezone),
            check=ctx.cancel.check,
        )
        updated = await summarizer.refresh(stale)
    tally = dataclasses.asdict(summarizer.tally)
    ctx.note(updated=len(updated), **{name: value for name, value in tally.items() if value})
    return updated
