"""Recall by words: the items that share the question's rarest terms."""

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.candidate import Candidate
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.question import content_words
from memu_py.steps.retrieve.recalled import Recalled, depth, wanted
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

KEYWORD = "keyword"


class RecallKeywordConfig(BaseModel):
    """How many candidates to fetch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(
        default=100, ge=1, le=10_000, description="candidates for each query; twice `top_k` if that is more"
    )


@step("recall_keyword", appends={"candidates": list[Candidate], "sources": list[str]})
async def recall_keyword(
    request: RetrieveRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: RecallKeywordConfig,
) -> Recalled:
    """Propose the items with the best BM25 for each query's words, OR-ed, on a fixed scale in [0, 1]."""
    if not wanted(KEYWORD, request):
        return Recalled(candidates=[], sources=[])
    view = await ctx.resources.asked(scope, request)
    found: list[Candidate] = []
    for number, tokens in enumerate(content_words(request)):
        ids, scores = await view.keyword(tokens, depth(config.k, request), around=request.around)
        found += [
            Candidate(item_id, KEYWORD, score, number) for item_id, score in zip(ids, scores, strict=True)
        ]
    ctx.note(candidates=len(found))
    return Recalled(candidates=found, sources=[KEYWORD])
