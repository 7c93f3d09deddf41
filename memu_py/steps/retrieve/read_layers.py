"""Read the layers: a model goes from summaries to memories to what was said around them, until it knows enough."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ModelError
from memu_py.language.budget import count_tokens
from memu_py.language.zones import zone
from memu_py.llm.chat import ChatModel
from memu_py.prompts.prompt import Prompt
from memu_py.records.answer import Answer
from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.route_query import NOW
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "read"
DAY = "%Y-%m-%d"

R = TypeVar("R", Item, Category)


class ReadLayersConfig(BaseModel):
    """Who reads, and how much."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = Field(default="default", description="the model profile that reads")
    layer_tokens: int = Field(default=3000, ge=100, description="tokens of one layer that are shown at most")


class LayerReading(BaseModel):
    """What a model answers to one layer."""

    relevant: list[str] = []
    sufficient: bool = False
    answer: str = ""
    citations: list[str] = []


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """Records that are shown together.

    Attributes:
        name: `category`, `item` or `passage`.
        lines: what is shown of each record, by its id in the prompt.
        ids: ids of the records, by that id.
    """

    name: str
    lines: Mapping[str, str]
    ids: Mapping[str, str]


class ReadAnswer(NamedTuple):
    """The output of the step.

    Attributes:
        answer: what the model said; None where it said nothing.
        hits: items that it found relevant, the most helpful first; all of them where it did not read them.
        category_hits: likewise.
    """

    answer: Answer | None
    hits: list[Hit[Item]]
    category_hits: list[Hit[Category]]


@dataclasses.dataclass(kw_only=True, slots=True)
class _Reading:
    """What has been read so far.

    Attributes:
        relevant: ids of records by layer, in the model's order.
        cited: ids of records by layer.
        said: answers of the layers before.
        answer: the last one.
        sufficient: whether it is enough.
        strangers: ids that were not shown.
    """

    relevant: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    cited: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    said: list[str] = dataclasses.field(default_factory=list)
    answer: str = ""
    sufficient: bool = False
    strangers: int = 0

    def take(self, layer: Layer, reading: LayerReading) -> None:
        self.relevant[layer.name] = self._known(layer, reading.relevant)
        self.cited[layer.name] = self._known(layer, reading.citations)
        self.answer = reading.answer.strip() or self.answer
        self.sufficient = reading.sufficient
        if reading.answer.strip():
            self.said.append(reading.answer.strip())

    def _known(self, layer: Layer, names: Sequence[str]) -> list[str]:
        wanted = [name.strip().strip("[]").casefold() for name in names]
        self.strangers += sum(name not in layer.ids for name in wanted)
        return list(dict.fromkeys(layer.ids[name] for name in wanted if name in layer.ids))


@step(
    "read_layers",
    produces={"answer": Answer | None, "hits": list[Hit[Item]], "category_hits": list[Hit[Category]]},
)
async def read_layers(
    request: RetrieveRequest,
    scope: Scope,
    hits: list[Hit[Item]],
    needs_retrieval: bool = True,
    category_hits: list[Hit[Category]] | None = None,
    passages: list[Passage] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: ReadLayersConfig,
) -> ReadAnswer:
    """Show a model one layer after the other, and stop as soon as it knows enough; one call a layer.

    Ids that were not shown do not count. A model that fails leaves hits as they were found.
    """
    categories = category_hits or []
    unread = ReadAnswer(answer=None, hits=hits, category_hits=categories)
    if not needs_retrieval:
        return unread
    local = zone(ctx.resources.settings.timezone_of(scope.user))
    layers = _layers(hits, categories, passages or [], config.layer_tokens, local)
    found = _Reading()
    try:
        await _read(layers, found, request, local, ctx, config)
    except ModelError as error:
        ctx.note(failed=str(error))
    ctx.note(layers=len(found.relevant), sufficient=found.sufficient, strangers=found.strangers)
    if not found.relevant:
        return unread
    return ReadAnswer(
        answer=_answer(found),
        hits=_kept(hits, found.relevant.get("item")),
        category_hits=_kept(categories, found.relevant.get("category")),
    )


async def _read(
    layers: Sequence[Layer],
    found: _Reading,
    request: RetrieveRequest,
    local: tzinfo,
    ctx: StepContext[MemoryResources],
    config: ReadLayersConfig,
) -> None:
    resources = ctx.resources
    prompt = resources.prompt(PROMPT, request.queries[0])
    model = resources.chat(config.profile, purpose=ctx.step)
    for done, layer in enumerate(layers):
        ctx.cancel.check()
        found.take(layer, await _one(model, prompt, layer, found, request, local))
        ctx.progress(done + 1, len(layers), "reading")
        if found.sufficient:
            return


async def _one(
    model: ChatModel,
    prompt: Prompt,
    layer: Layer,
    found: _Reading,
    request: RetrieveRequest,
    local: tzinfo,
) -> LayerReading:
    data = {
        "now": request.now.astimezone(local).strftime(NOW),
        "question": request.queries[0],
        "found": "\n".join(found.said),
        "records": "\n".join(f"[{name}] {line}" for name, line in layer.lines.items()),
    }
    answer = await model.chat(prompt.messages(data), LayerReading)
    return answer.value


def _layers(
    hits: Sequence[Hit[Item]],
    categories: Sequence[Hit[Category]],
    passages: Sequence[Passage],
    tokens: int,
    local: tzinfo,
) -> list[Layer]:
    """Return the layers that have something in them, each within the budget."""
    topics = [
        (hit.record.id, f"{hit.record.name}: {hit.record.summary}")
        for hit in categories
        if hit.record.summary
    ]
    items = [(hit.record.id, _line(hit.record, local)) for hit in hits]
    said = [
        (passage.item_ids[0], " / ".join(f"{one.speaker or ''}: {one.text}" for one in passage.segments))
        for passage in passages
    ]
    found = [
        _layer("category", "c", topics, tokens),
        _layer("item", "i", items, tokens),
        _layer("passage", "p", said, tokens),
    ]
    return [layer for layer in found if layer.lines]


def _layer(name: str, letter: str, records: Sequence[tuple[str, str]], tokens: int) -> Layer:
    lines: dict[str, str] = {}
    ids: dict[str, str] = {}
    for number, (record_id, line) in enumerate(records, 1):
        tokens -= count_tokens(line)
        if tokens < 0 and lines:
            break
        lines[f"{letter}{number}"], ids[f"{letter}{number}"] = line, record_id
    return Layer(name=name, lines=lines, ids=ids)


def _line(item: Item, local: tzinfo) -> str:
    said = f"said {item.said_at.astimezone(local).strftime(DAY)}" if item.said_at else ""
    when = f"happened {item.happened.start.astimezone(local).strftime(DAY)}" if item.happened else ""
    about = ", ".join(part for part in (when, said) if part)
    who = f"{item.speaker}: " if item.speaker else ""
    return f"({about}) {who}{item.text}" if about else f"{who}{item.text}"


def _answer(found: _Reading) -> Answer | None:
    if not found.answer:
        return None
    items = dict.fromkeys([*found.cited.get("item", []), *found.cited.get("passage", [])])
    return Answer(
        text=found.answer,
        item_ids=tuple(items),
        category_ids=tuple(found.cited.get("category", [])),
        sufficient=found.sufficient,
    )


def _kept(hits: Sequence[Hit[R]], wanted: Sequence[str] | None) -> list[Hit[R]]:
    """Return the hits that the model named, in its order; all of them where it did not read that layer."""
    if wanted is None:
        return list(hits)
    by_id = {hit.record.id: hit for hit in hits}
    return [by_id[record_id] for record_id in wanted if record_id in by_id]
