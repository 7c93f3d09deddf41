"""Embed what will be stored: items, and the names that they carry."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.records.batch import Reinforcement
from memu_py.records.item import ItemDraft
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class EmbedItemsConfig(BaseModel):
    """How the work is cut."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batch: int = Field(default=128, ge=1, description="texts between two progress reports")


class Embedded(NamedTuple):
    """The output of the step.

    Attributes:
        vectors: of each draft, by its id.
        entity_vectors: of each name, by its key.
    """

    vectors: dict[str, Matrix]
    entity_vectors: dict[str, Matrix]


@step("embed_items", produces={"vectors": dict[str, Matrix], "entity_vectors": dict[str, Matrix]})
async def embed_items(
    drafts: list[ItemDraft],
    reinforcements: list[Reinforcement] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: EmbedItemsConfig,
) -> Embedded:
    """Return the vectors of drafts and of the names in them; what was embedded before costs nothing."""
    vectors: dict[str, Matrix] = {}
    for start in range(0, len(drafts), config.batch):
        ctx.cancel.check()
        part = drafts[start : start + config.batch]
        matrix = await ctx.resources.embed_passages([draft.text for draft in part])
        vectors |= {draft.id: row for draft, row in zip(part, matrix, strict=True)}
        ctx.progress(start + len(part), len(drafts), "embedding")
    names = await ctx.resources.embed_names(_named(drafts, reinforcements or ()))
    ctx.note(vectors=len(vectors), names=len(names))
    return Embedded(vectors=vectors, entity_vectors=names)


def _named(drafts: Sequence[ItemDraft], reinforcements: Sequence[Reinforcement]) -> Iterator[tuple[str, ...]]:
    yield from (draft.entities for draft in drafts)
    yield from (one.replacement.item.entities for one in reinforcements if one.replacement)
