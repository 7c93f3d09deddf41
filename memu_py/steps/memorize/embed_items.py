"""Embed what will be stored."""

from pydantic import BaseModel, ConfigDict, Field

from memu_py.embedding.embedder import Matrix
from memu_py.records.item import ItemDraft
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class EmbedItemsConfig(BaseModel):
    """How the work is cut."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batch: int = Field(default=128, ge=1, description="texts between two progress reports")


@step("embed_items", produces={"vectors": dict[str, Matrix]})
async def embed_items(
    drafts: list[ItemDraft], *, ctx: StepContext[MemoryResources], config: EmbedItemsConfig
) -> dict[str, Matrix]:
    """Return the vector of each draft by its id; a text whose embedding is known costs nothing."""
    vectors: dict[str, Matrix] = {}
    for start in range(0, len(drafts), config.batch):
        ctx.cancel.check()
        part = drafts[start : start + config.batch]
        matrix = await ctx.resources.embed_passages([draft.text for draft in part])
        vectors |= {draft.id: row for draft, row in zip(part, matrix, strict=True)}
        ctx.progress(start + len(part), len(drafts), "embedding")
    ctx.note(vectors=len(vectors))
    return vectors
