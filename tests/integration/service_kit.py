"""A service for tests: quick, because its embedder needs no model, with a plug-in of the tests' own."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from memu_py import MemoryService
from memu_py.config.settings import Settings
from memu_py.embedding.embedder import Embedder
from memu_py.errors import ModelError
from memu_py.records.candidate import Candidate
from memu_py.records.item import ItemDraft
from memu_py.records.request import RetrieveRequest
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.reranking.reranker import Reranker, Scores
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.recalled import Recalled, wanted
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.reranker import OverlapReranker
from memu_py.workflow.context import StepContext
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import step

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def hashing(settings: Settings) -> Embedder:
    return HashingEmbedder(dimension=128)


class GraphConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    score: float = 1.0
    containing: str = ""
    source: str = "graph"


@step("recall_graph", appends={"candidates": list[Candidate], "sources": list[str]})
async def recall_graph(
    request: RetrieveRequest, scope: Scope, *, ctx: StepContext[MemoryResources], config: GraphConfig
) -> Recalled:
    """Proposes every item of the partition that contains a text, twice, the second time with half the score."""
    if not wanted(config.source, request):
        return Recalled(candidates=[], sources=[])
    where = {"text": {"contains": config.containing}}
    ids = await ctx.resources.store.items.ids(scope.owner, where)
    found = [
        Candidate(item_id=one, source=config.source, score=config.score * share)
        for share in (1.0, 0.5)
        for one in ids
    ]
    return Recalled(candidates=found, sources=[config.source])


class BreakConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    containing: str


@step("break_segments", produces={"segments": list[Segment]})
async def break_segments(
    segments: list[Segment], *, ctx: StepContext[MemoryResources], config: BreakConfig
) -> list[Segment]:
    """Fails the segments that contain a text, as a model does on some of them."""
    return [
        one.evolve(outcome="failed", reason="the model is away") if config.containing in one.text else one
        for one in segments
    ]


@step("drop_drafts", produces={"drafts": list[ItemDraft]})
async def drop_drafts(
    drafts: list[ItemDraft], *, ctx: StepContext[MemoryResources], config: BreakConfig
) -> list[ItemDraft]:
    """Drops the drafts that contain a text."""
    return [one for one in drafts if config.containing not in one.text]


def overlap(settings: Settings) -> Reranker:
    return OverlapReranker()


class BrokenReranker(OverlapReranker):
    """Answers with what its model's name says."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.how = settings.reranker.model

    async def rerank(self, query: str, texts: Sequence[str]) -> Scores:
        if self.how == "away":
            raise ModelError("the model is away")
        count = len(texts) + (self.how == "many")
        return np.full(count, {"nan": np.nan, "high": 1.5}.get(self.how or "", 0.5), dtype=np.float32)


def register(registry: Registry) -> None:
    registry.add("reranker", "overlap", overlap)
    registry.add("reranker", "broken", BrokenReranker)
    registry.add("embedder", "hashing", hashing)
    for one in (recall_graph, break_segments, drop_drafts):
        registry.add_step(one)


def config(path: Path | None = None, **more: Any) -> dict[str, Any]:
    """Return a configuration with the quick embedder: in memory, or in a file."""
    database = {"backend": "sqlite", "path": str(path)} if path else {"backend": "memory"}
    base = {"database": database, "plugins": ["service_kit"], "embedding": {"backend": "hashing"}}
    return {**base, **more}


async def texts(service: MemoryService, user: str = "ann") -> list[str]:
    """Return what a user's items say."""
    return [item.text for item in await service.list_items(user=user)]
