"""Put the answer together: hits of every layer and the prompt block."""

from typing import NamedTuple

from memu_py.features.blocks import seen_by, write_blocks
from memu_py.language.budget import count_tokens
from memu_py.language.tongue import language_of
from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.records.request import RetrieveRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.prompt import PromptConfig, write_prompt
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class Found(NamedTuple):
    """What the run found.

    Attributes:
        found_items: best first.
        found_categories: best first.
        found_resources: best first.
        found_passages: what was said around the items, best first.
        context: the prompt block.
    """

    found_items: list[Hit[Item]]
    found_categories: list[Hit[Category]]
    found_resources: list[Hit[Resource]]
    found_passages: list[Passage]
    context: str


@step(
    "build_retrieve_response",
    produces={
        "found_items": list[Hit[Item]],
        "found_categories": list[Hit[Category]],
        "found_resources": list[Hit[Resource]],
        "found_passages": list[Passage],
        "context": str,
    },
)
async def build_retrieve_response(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    category_hits: list[Hit[Category]] | None = None,
    resource_hits: list[Hit[Resource]] | None = None,
    passages: list[Passage] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: PromptConfig,
) -> Found:
    """Keep the layers asked for and write the block for a prompt: blocks, then memory in the question's language."""
    items = hits if "item" in request.layers else []
    blocks = await _blocks(request, scope, ctx.resources)
    memory = write_prompt(
        items,
        passages or [],
        template=config.template(language_of(request.queries[0])),
        caps=config.caps,
        max_tokens=max(0, request.max_tokens - (count_tokens(f"{blocks}\n\n") if blocks else 0)),
        now=request.now,
        zone=ctx.resources.zone(scope),
    )
    return Found(
        found_items=items,
        found_categories=category_hits or [],
        found_resources=resource_hits or [],
        found_passages=passages or [],
        context="\n\n".join(part for part in (blocks, memory) if part),
    )


async def _blocks(request: RetrieveRequest, scope: Scope, resources: MemoryResources) -> str:
    """Return the blocks of the scope: they tell of now, so that no question about the past has them."""
    if not resources.settings.blocks.in_context or request.as_of is not None:
        return ""
    found = await resources.reads.blocks(scope.owner)
    agent = scope.agent if scope.user is not None else None
    return write_blocks(seen_by(found, agent), max_tokens=request.max_tokens)
