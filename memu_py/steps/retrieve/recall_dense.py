"""Recall by meaning: the items whose embeddings are nearest to the question's."""

from pydantic import BaseModel, ConfigDict, Field

from memu_py.records.candidate import Candidate
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.question import question_vectors
from memu_py.steps.retrieve.recalled import Recalled, depth, wanted
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

DENSE = "dense"


class RecallDenseConfig(BaseModel):
    """How many candidates to fetch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(
        default=100, ge=1, le=10_000, description="candidates for each query; twice `top_k` if that is more"
    )


@step("recall_dense", appends={"candidates": list[Candidate], "sources": list[str]})
async def recall_dense(
    request: RetrieveRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: RecallDenseConfig,
) -> Recalled:
    """Propose the items nearest to each query by cosine, calibrated to [0, 1]."""
    if not wanted(DENSE, request):
        return Recalled(candidates=[], sources=[])
    view = await ctx.resources.asked(scope, request)
    found: list[Candidate] = []
    for number, vector in enumerate(await question_vectors(request, view, ctx.resources)):
        ids, scores = await view.dense(vector, depth(config.k, request), around=request.around)
        found += [
            Candidate(item_id, DENSE, score, number) for item_id, score in zip(ids, scores, strict=True)
        ]
    ctx.note(candidates=len(found))
    return Recalled(candidates=found, sources=[DENSE])
