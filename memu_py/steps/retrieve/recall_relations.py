"""Recall by relations: the items that say something within two hops of the names in a question."""

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from memu_py.features.related import asked_predicates, related
from memu_py.language.asked import asks_when
from memu_py.language.same_names import keys_in
from memu_py.records.candidate import Candidate
from memu_py.records.entity import entity_key
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.recalled import Recalled, depth, wanted
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

RELATION = "relation"

_FIRST_PERSON = re.compile(r"(?<![\w'’])(?:i|my|me|mine)(?![\w])|我", re.IGNORECASE)


class RecallRelationsConfig(BaseModel):
    """How many candidates to propose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(
        default=50, ge=1, le=10_000, description="candidates for each query; twice `top_k` if that is more"
    )


@step("recall_relations", appends={"candidates": list[Candidate], "sources": list[str]})
async def recall_relations(
    request: RetrieveRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: RecallRelationsConfig,
) -> Recalled:
    """Propose the items that say relations of the names in a query, or of what these are related to."""
    if not wanted(RELATION, request):
        return Recalled(candidates=[], sources=[])
    found: list[Candidate] = []
    for number, text in enumerate(request.queries):
        scores = await _scores(text, request, scope, ctx.resources)
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[: depth(config.k, request)]
        found += await _visible(best, number, request, scope, ctx.resources)
    ctx.note(candidates=len(found))
    return Recalled(candidates=found, sources=[RELATION])


def speaks_of_self(text: str) -> bool:
    """Tell whether a question is about who asks it.

    >>> speaks_of_self("Where does my sister live?"), speaks_of_self("Mine is a question of time")
    (True, True)
    >>> speaks_of_self("Who leads the project?")
    False
    """
    return _FIRST_PERSON.search(text) is not None


async def _scores(
    text: str, request: RetrieveRequest, scope: Scope, resources: MemoryResources
) -> dict[str, float]:
    keys = keys_in(text)
    if scope.user and speaks_of_self(text):
        keys.append(entity_key(scope.user))
    seen = await resources.reads.sight(scope, keys, request.as_of)
    edges = [*seen.edges, *seen.past]
    if not edges:
        return {}
    asked = asked_predicates(text, resources.settings.graph.known(), (edge.predicate for edge in edges))
    return related(seen, asked, when=asks_when(text))


async def _visible(
    best: Sequence[tuple[str, float]],
    number: int,
    request: RetrieveRequest,
    scope: Scope,
    resources: MemoryResources,
) -> list[Candidate]:
    if not best:
        return []
    view = await resources.view(scope, request.where, request.as_of)
    shown = set(await view.known(item_id for item_id, _ in best))
    return [Candidate(item_id, RELATION, score, number) for item_id, score in best if item_id in shown]
