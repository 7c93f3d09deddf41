"""Compress: groups of what is put away leave one item behind that says shortly what they say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ModelError
from memu_py.features.abstracts import dated, said_at
from memu_py.features.clusters import close_groups
from memu_py.language.judgements import inferred
from memu_py.records.batch import StoredItem, Vector
from memu_py.records.entity import names_by_key
from memu_py.records.forgotten import Compressed, Fading, MaintainRequest
from memu_py.records.identity import DATED_TYPES
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import IN_CATEGORY
from memu_py.records.scope import Scope
from memu_py.steps.memorize.opening import closeness
from memu_py.steps.memorize.summary import summarize
from memu_py.steps.resources import MemoryResources
from memu_py.steps.spoken import day_of, spoken
from memu_py.steps.stored import make_item
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "compress"
MOST_NAMES = 10


class CompressConfig(BaseModel):
    """What is put together, and by whom."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    least: int = Field(default=3, ge=2, description="close items that are put together")
    close: float | None = Field(
        default=None,
        ge=-1,
        le=1,
        description="cosine between any two of them; from the embedder's calibration if unset",
    )
    chars: int = Field(default=400, ge=40, description="length of what is left behind, in characters")
    mode: Literal["auto", "extractive", "llm"] = Field(
        default="auto",
        description="`extractive` needs no model, `llm` does; `auto` takes one when the profile is configured",
    )
    profile: str = Field(default="default", description="the model profile that writes it")


class Short(BaseModel):
    """What a model answers."""

    text: str


@step("compress", produces={"compressed": list[Compressed]})
async def compress(
    request: MaintainRequest,
    faded: list[Fading],
    *,
    ctx: StepContext[MemoryResources],
    config: CompressConfig,
) -> list[Compressed]:
    """Put together what is close, of one category and one month; what stands alone leaves nothing behind.

    A dry run asks no model. One that fails, or that judges people in words of its own, is done without.
    """
    found = []
    for members in await _groups(request.scope, [one.item for one in faded], ctx, config):
        ctx.cancel.check()
        items = [stored.item for stored in members]
        text = None if request.dry_run else await _by_model(items, request.scope, ctx, config)
        if text is None:
            text = _extracted(members, request.scope, ctx.resources, config.chars)
        found.append(Compressed(item=_item(items, text, request.scope, ctx), of=tuple(x.id for x in items)))
    ctx.note(compressed=len(found))
    return found


async def _groups(
    scope: Scope, items: Sequence[Item], ctx: StepContext[MemoryResources], config: CompressConfig
) -> list[list[StoredItem]]:
    """Return groups of items, newest first in each, with their vectors and no tokens."""
    resources = ctx.resources
    if len(items) < config.least:
        return []
    vectors = await resources.store.vectors(scope, [item.id for item in items])
    near = closeness(resources.calibration) if config.close is None else config.close
    found = []
    for part in (await _apart(scope, [item for item in items if item.id in vectors], resources)).values():
        matrix = np.stack([vectors[item.id] for item in part])
        groups = close_groups(matrix, threshold=near, least=config.least)
        found += [_newest_first([part[row] for row in rows], vectors) for rows in groups]
    return found


async def _apart(
    scope: Scope, items: Sequence[Item], resources: MemoryResources
) -> Mapping[object, list[Item]]:
    """Return items by whose they are, category and month."""
    links = await resources.store.links(scope, [item.id for item in items], kind=IN_CATEGORY)
    topics = {link.source_id: link.target_id for link in sorted(links, key=lambda link: link.score)}
    zone, parts = resources.zone(scope), defaultdict[object, list[Item]](list)
    for item in items:
        day = said_at(item).astimezone(zone)
        parts[item.scope.evolve(session=None), topics.get(item.id), day.year, day.month].append(item)
    return parts


def _newest_first(items: Sequence[Item], vectors: Mapping[str, Vector]) -> list[StoredItem]:
    ordered = sorted(items, key=lambda item: (said_at(item), item.id), reverse=True)
    return [StoredItem(item=item, vector=vectors[item.id], tokens=()) for item in ordered]


def _extracted(members: Sequence[StoredItem], scope: Scope, resources: MemoryResources, chars: int) -> str:
    lines = summarize(members, max_chars=chars).splitlines()
    texts = [line.strip() for line in reversed(lines)]
    return dated(" / ".join(texts), [one.item for one in members], resources.zone(scope))


async def _by_model(
    items: Sequence[Item], scope: Scope, ctx: StepContext[MemoryResources], config: CompressConfig
) -> str | None:
    resources = ctx.resources
    if config.mode == "extractive" or (config.mode == "auto" and not resources.has_model(config.profile)):
        return None
    zone = resources.zone(scope)
    lines = [f"{day_of(said_at(item), zone)} {spoken(item)}" for item in reversed(items)]
    prompt = resources.prompt(PROMPT, " ".join(item.text for item in items))
    model = resources.chat(config.profile, purpose=ctx.step)
    try:
        answer = await model.chat(prompt.messages({"memories": "\n".join(lines)}), Short)
    except ModelError as error:
        ctx.note(failed=str(error))
        return None
    text = resources.masker.text(" ".join(answer.value.text.split()))[: config.chars]
    if not text or inferred(text, lines):
        ctx.note(refused=1)
        return None
    return text


def _item(items: Sequence[Item], text: str, scope: Scope, ctx: StepContext[MemoryResources]) -> Item:
    types = {item.type for item in items}
    wanted = "episode" if types <= DATED_TYPES else "knowledge"
    known = ctx.resources.settings.item_types
    draft = ItemDraft(
        type=wanted if wanted in known else items[0].type,
        text=text,
        said_at=max(map(said_at, items)),
        entities=tuple(names_by_key(item.entities for item in items).values())[:MOST_NAMES],
        importance=max((item.importance for item in items if item.importance is not None), default=None),
        attribution="agent",
        metadata={"compressed": len(items)},
    )
    return make_item(draft, items[0].scope.evolve(session=scope.session), ctx.clock())
