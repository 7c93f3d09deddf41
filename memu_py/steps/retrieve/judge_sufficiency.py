"""Judge sufficiency: does what was found answer the question, and if not, in what other words is it to be searched."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ModelError
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.route_query import question_blocks, wordings
from memu_py.steps.retrieve.shown import ITEM, item_lines, pages_of
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "judge"


class JudgeSufficiencyConfig(BaseModel):
    """Who judges, and by how much."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = Field(default="default", description="the model profile that judges")
    page_tokens: int = Field(
        default=2000, ge=100, description="tokens of the best items that it is shown at most"
    )
    queries: int = Field(default=3, ge=0, le=10, description="searches at most that it may add")


class Sufficiency(BaseModel):
    """What a model answers."""

    sufficient: bool
    question: str = ""
    queries: list[str] = []


class Judged(NamedTuple):
    """The output of the step.

    Attributes:
        sufficient: whether what was found is enough; None where nobody judged.
        follow_up: what to search in its place; None where nothing else is to be searched.
        rewritten: the question in other words, where there are any.
    """

    sufficient: bool | None
    follow_up: RetrieveRequest | None
    rewritten: str | None


@step(
    "judge_sufficiency",
    produces={"sufficient": bool | None, "follow_up": RetrieveRequest | None, "rewritten": str | None},
)
async def judge_sufficiency(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    needs_retrieval: bool = True,
    rewritten: str | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: JudgeSufficiencyConfig,
) -> Judged:
    """Have a model tell whether the hits are enough, and put the question in other words where they are not; one call.

    What it wants is searched once, beside the question as it was; that search is not judged again. A model that fails
    changes nothing.
    """
    unjudged = Judged(sufficient=None, follow_up=None, rewritten=rewritten)
    if not (request.ask_model and needs_retrieval):
        return unjudged
    local = ctx.resources.zone(scope)
    try:
        said = await _judged(request, hits, local, ctx, config)
    except ModelError as error:
        ctx.note(failed=str(error))
        return unjudged
    ctx.note(sufficient=said.sufficient, queries=len(said.queries))
    if said.sufficient:
        return unjudged._replace(sufficient=True)
    queries = wordings(request.queries, said.question, said.queries[: config.queries])
    if queries == request.queries:
        return unjudged._replace(sufficient=False)
    follow_up = request.evolve(queries=queries, ask_model=False)
    return Judged(sufficient=False, follow_up=follow_up, rewritten=said.question.strip() or rewritten)


async def _judged(
    request: RetrieveRequest,
    hits: Sequence[Hit[Item]],
    local: tzinfo,
    ctx: StepContext[MemoryResources],
    config: JudgeSufficiencyConfig,
) -> Sufficiency:
    resources = ctx.resources
    prompt = resources.prompt(PROMPT, request.queries[0])
    page = next(pages_of(ITEM, item_lines(hits, local), config.page_tokens), None)
    data = {**question_blocks(request, local), "records": "" if page is None else str(page)}
    answer = await resources.chat(config.profile, purpose=ctx.step).chat(prompt.messages(data), Sufficiency)
    return answer.value
