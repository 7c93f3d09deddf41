"""Recall by names: the items that carry a name which the question says."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.language.entities import entities as names_in
from memu_py.records.candidate import Candidate
from memu_py.records.entity import entity_key
from memu_py.records.mentioned import Mentioned
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.names import Names
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.recalled import depth, wanted
from memu_py.steps.view import View
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

ENTITY = "entity"


class RecallEntitiesConfig(BaseModel):
    """Which names are meant, and what their items are worth."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    k: int = Field(
        default=100, ge=1, le=10_000, description="candidates for each query; twice `top_k` if that is more"
    )
    damping: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="how much less an item of a name counts the more items it has; 0 for not at all",
    )
    near: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="cosine from which a name that nobody knows means one that is near; the embedder's own if unset",
    )
    near_names: int = Field(default=3, ge=0, le=100, description="so many near ones for each; 0 for none")

    def worth(self, strength: float, items: int) -> float:
        """Return what a name is worth to each of its items, in [0, 1]: `strength / (1 + damping * ln(items))`.

        Args:
            strength: 1 for a name that is said, the cosine for a near one.
            items: how many carry it, at least 1.
        """
        return min(max(strength / (1 + self.damping * math.log(items)), 0.0), 1.0)


class RecalledEntities(NamedTuple):
    """The output of the step.

    Attributes:
        candidates: what it proposes.
        sources: its name when it was asked.
        mentioned: the names that the questions say, for `fuse` to judge what others propose.
    """

    candidates: list[Candidate]
    sources: list[str]
    mentioned: list[Mentioned]


@step(
    "recall_entities",
    produces={"mentioned": list[Mentioned]},
    appends={"candidates": list[Candidate], "sources": list[str]},
)
async def recall_entities(
    request: RetrieveRequest,
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: RecallEntitiesConfig,
) -> RecalledEntities:
    """Propose the items that carry names which a query says; each name counts less, the more items it has.

    An item of several names gets `1 - product of (1 - worth)` (noisy-or), so that it comes before the items of one.
    """
    if not wanted(ENTITY, request):
        return RecalledEntities(candidates=[], sources=[], mentioned=[])
    view = await ctx.resources.asked(scope, request)
    known = ctx.resources.names(scope)
    found: list[Candidate] = []
    mentioned: list[Mentioned] = []
    for number, text in enumerate(request.queries):
        strengths = await _named(text, known, ctx.resources, config)
        counts = await known.counts(list(strengths))
        worth = {
            key: config.worth(strength, counts[key]) for key, strength in strengths.items() if key in counts
        }
        mentioned += [Mentioned(key, score, number) for key, score in worth.items()]
        carriers = await _visible(await known.carriers(worth), view, depth(config.k, request))
        found += [Candidate(item_id, ENTITY, score, number) for item_id, score in carriers]
    ctx.note(candidates=len(found), names=len(mentioned))
    return RecalledEntities(candidates=found, sources=[ENTITY], mentioned=mentioned)


async def _named(
    text: str,
    known: Names,
    resources: MemoryResources,
    config: RecallEntitiesConfig,
) -> dict[str, float]:
    """Return the keys of the names that a question says, or that are near to those that it says, with strengths."""
    names = names_in(text)
    found = dict.fromkeys(await known.named(text, names), 1.0)
    strange = [name for name in names if not _is_covered(name, found)] if config.near_names else []
    if strange:
        threshold = resources.calibration.same if config.near is None else config.near
        for vector in await resources.embed_queries(strange):
            for key, cosine in (await known.near(vector, threshold, config.near_names)).items():
                found[key] = max(found.get(key, 0.0), min(cosine, 1.0))
    return found


def _is_covered(name: str, found: Iterable[str]) -> bool:
    """Tell whether a name was found, whole or as a part of a longer one."""
    return any(entity_key(name) in key for key in found)


async def _visible(carriers: Sequence[tuple[str, float]], view: View, k: int) -> list[tuple[str, float]]:
    """Return the first k that the view shows."""
    kept: list[tuple[str, float]] = []
    for start in range(0, len(carriers), k):
        part = carriers[start : start + k]
        shown = set(await view.known(item_id for item_id, _ in part))
        kept += [pair for pair in part if pair[0] in shown]
        if len(kept) >= k:
            break
    return kept[:k]
