"""Route a question: does it need memory, and what is to be looked for."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ModelError
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "route"
NOW = "%A %Y-%m-%d %H:%M"
"""How a model is told the present moment."""


class RouteQueryConfig(BaseModel):
    """Who decides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = Field(default="default", description="the model profile that routes and rewrites")
    queries: int = Field(default=3, ge=0, le=10, description="searches at most that it may add")


class Routed(BaseModel):
    """What a model answers."""

    needs_memory: bool
    question: str = ""
    queries: list[str] = []


class RoutedQuery(NamedTuple):
    """The output of the step.

    Attributes:
        request: with the questions to search for; with no recall to ask where no memory is needed.
        needs_retrieval: whether memory is needed.
        rewritten: the question without its conversation, where it was changed.
    """

    request: RetrieveRequest
    needs_retrieval: bool
    rewritten: str | None


@step(
    "route_query",
    produces={"request": RetrieveRequest, "needs_retrieval": bool, "rewritten": str | None},
)
async def route_query(
    request: RetrieveRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: RouteQueryConfig,
) -> RoutedQuery:
    """Have a model tell whether memory is needed, and put the question in words that find it; one call for both.

    A model that fails changes nothing: the question is searched as it was asked. A follow-up has been through this.
    """
    if not request.ask_model:
        return RoutedQuery(request=request, needs_retrieval=True, rewritten=None)
    try:
        routed = await _routed(request, scope, ctx, config)
    except ModelError as error:
        ctx.note(failed=str(error))
        return RoutedQuery(request=request, needs_retrieval=True, rewritten=None)
    ctx.note(needs_memory=routed.needs_memory, queries=len(routed.queries))
    if not routed.needs_memory:
        return RoutedQuery(request=request.evolve(recall=()), needs_retrieval=False, rewritten=None)
    question = routed.question.strip()
    queries = wordings(request.queries, question, routed.queries[: config.queries])
    changed = question if question and question not in request.queries else None
    return RoutedQuery(request=request.evolve(queries=queries), needs_retrieval=True, rewritten=changed)


def wordings(asked: Sequence[str], question: str, more: Sequence[str]) -> tuple[str, ...]:
    """Return all wordings of a question, each once, as it was asked first.

    Args:
        asked: by the caller.
        question: rewritten.
        more: searches that would find it.
    """
    return tuple(dict.fromkeys([*asked, *(one.strip() for one in (question, *more) if one.strip())]))


def question_blocks(request: RetrieveRequest, local: tzinfo) -> dict[str, str]:
    """Return what a model is told of a question, by block: when it is asked, after what, and all its wordings."""
    return {
        "now": request.now.astimezone(local).strftime(NOW),
        "history": "\n".join(request.history),
        "question": "\n".join(request.queries),
    }


async def _routed(
    request: RetrieveRequest,
    scope: Scope,
    ctx: StepContext[MemoryResources],
    config: RouteQueryConfig,
) -> Routed:
    resources = ctx.resources
    prompt = resources.prompt(PROMPT, request.queries[0])
    data = question_blocks(request, resources.zone(scope))
    answer = await resources.chat(config.profile, purpose=ctx.step).chat(prompt.messages(data), Routed)
    return answer.value
