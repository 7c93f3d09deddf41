"""Read the layers: a model goes from summaries to memories to what was said around them, until it knows enough."""

import dataclasses
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from itertools import chain, islice
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import AnswerError, ModelError
from memu_py.llm.chat import CUT, ChatModel, Message
from memu_py.llm.structured import REFUSALS
from memu_py.records.answer import Answer
from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.steps.resources import MemoryResources
from memu_py.steps.retrieve.citing import Directory
from memu_py.steps.retrieve.layer_reading import LayerReading, read_freely, read_prose
from memu_py.steps.retrieve.route_query import NOW
from memu_py.steps.retrieve.shown import (
    CATEGORY,
    ITEM,
    PASSAGE,
    Page,
    category_lines,
    item_lines,
    pages_of,
    passage_lines,
)
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

PROMPT = "read"

R = TypeVar("R", Item, Category)


class ReadLayersConfig(BaseModel):
    """Who reads, and how much."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = Field(default="default", description="the model profile that reads")
    page_tokens: int = Field(
        default=3000, ge=100, description="tokens of records that are shown in one call at most"
    )
    pages: int = Field(
        default=2, ge=1, description="pages of items that are read at most; one of the other layers"
    )
    calls: int = Field(default=3, ge=1, description="calls at most, repairs apart")


class ReadAnswer(NamedTuple):
    """The output of the step.

    Attributes:
        answer: what the model said; None where it said nothing.
        hits: items that it found relevant, the most helpful first; as they were found where it said of none.
        category_hits: likewise.
    """

    answer: Answer | None
    hits: list[Hit[Item]]
    category_hits: list[Hit[Category]]


@dataclasses.dataclass(kw_only=True, slots=True)
class _Reading:
    """What has been read so far.

    Attributes:
        directory: the ids that may be named.
        judged: ids of records of which the model said whether they help, by layer.
        relevant: ids of records that do, by layer, in the model's order.
        cited: ids of records that the answer rests on, by layer.
        said: answers to the pages before.
        answer: the last one that rests on something, else the last one.
        grounded: whether it does.
        sufficient: whether it is enough.
        pages: how many were read.
        strangers: how many ids were named that were not shown.
        prose: how many answers had no form.
    """

    directory: Directory
    judged: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    relevant: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    cited: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    said: list[str] = dataclasses.field(default_factory=list)
    answer: str = ""
    grounded: bool = False
    sufficient: bool = False
    pages: int = 0
    strangers: int = 0
    prose: int = 0

    def take(self, page: Page, reading: LayerReading) -> None:
        """Take note of an answer to a page."""
        self.pages += 1
        marked = self.directory.read(reading.answer, page.layer)
        names = [*reading.citations, *marked.names] or self.directory.mentioned(marked.text)
        cited = self._known(names, page.layer)
        relevant = self._known(reading.relevant, page.layer)
        _extend(self.cited, cited)
        # One who names only what was not shown has judged nothing, nor one who does not say what helps.
        if relevant or ("relevant" in reading.model_fields_set and not reading.relevant):
            shown = chain.from_iterable(line.ids for line in page.lines.values())
            self.judged.setdefault(page.layer, set()).update(shown)
            _extend(self.relevant, relevant)
        self.sufficient = reading.sufficient
        if marked.text:
            self.said.append(marked.text)
            if cited or not self.grounded:
                self.answer, self.grounded = marked.text, bool(cited)

    def named(self, *layers: str) -> list[str]:
        """Return ids of what helps, and then of what else the answer rests on."""
        kinds = (self.relevant, self.cited)
        return list(dict.fromkeys(one for kind in kinds for layer in layers for one in kind.get(layer, ())))

    def _known(self, names: Sequence[str], layer: str) -> list[tuple[str, str]]:
        """Return layer and id of each record that is named; the others are counted."""
        found = [self.directory.find(name, layer) for name in dict.fromkeys(names)]
        self.strangers += found.count(None)
        return [(ref.layer, record_id) for ref in found if ref for record_id in ref.ids]


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
    """Show a model one page after the other, and stop as soon as it knows enough; one call a page.

    Categories come first, then items, then passages. Ids that were not shown do not count. Prose is understood where it
    can be; a model that fails leaves hits as they were found.
    """
    categories = category_hits or []
    items = hits if "item" in request.layers else []
    found = _Reading(directory=_directory(items, categories))
    local = ctx.resources.zone(scope)
    if needs_retrieval:
        pages = list(islice(_pages(items, categories, passages or [], config, local), config.calls))
        try:
            await _read(pages, found, request, local, ctx, config)
        except ModelError as error:
            ctx.note(failed=str(error))
    ctx.note(pages=found.pages, sufficient=found.sufficient, strangers=found.strangers, prose=found.prose)
    return ReadAnswer(
        answer=_answer(found),
        hits=_kept(hits, found, ITEM, PASSAGE),
        category_hits=_kept(categories, found, CATEGORY),
    )


def _pages(
    items: Sequence[Hit[Item]],
    categories: Sequence[Hit[Category]],
    passages: Sequence[Passage],
    config: ReadLayersConfig,
    local: tzinfo,
) -> Iterator[Page]:
    tokens = config.page_tokens
    yield from islice(pages_of(CATEGORY, category_lines(categories), tokens), 1)
    yield from islice(pages_of(ITEM, item_lines(items, local), tokens), config.pages)
    yield from islice(pages_of(PASSAGE, passage_lines(passages), tokens), 1)


async def _read(
    pages: Sequence[Page],
    found: _Reading,
    request: RetrieveRequest,
    local: tzinfo,
    ctx: StepContext[MemoryResources],
    config: ReadLayersConfig,
) -> None:
    prompt = ctx.resources.prompt(PROMPT, request.queries[0])
    model = ctx.resources.chat(config.profile, purpose=ctx.step)
    for page in pages:
        ctx.cancel.check()
        found.directory.show(page)
        data = {
            "now": request.now.astimezone(local).strftime(NOW),
            "question": request.queries[0],
            "found": "\n".join(found.said),
            "records": str(page),
        }
        found.take(page, await _ask(model, prompt.messages(data), found))
        ctx.progress(found.pages, len(pages), "reading")
        if found.sufficient:
            return


async def _ask(model: ChatModel, messages: Sequence[Message], found: _Reading) -> LayerReading:
    """Ask for a form; for prose where the model has given that before, so as not to have each answer repaired.

    Raises:
        ModelError: the model failed, or nothing can be made of what it said.
    """
    if not found.prose:
        try:
            return (await model.chat(messages, LayerReading)).value
        except AnswerError as error:
            reading = None if error.finish in (CUT, *REFUSALS) else read_prose(error.text)
            if reading is None:
                raise
    else:
        said = await model.chat(messages)
        reading = read_freely(said.text)
        if reading is None or said.finish in REFUSALS:
            msg = f"an answer in prose cannot be read ({said.finish})"
            raise AnswerError(msg, text=said.text, finish=said.finish)
    found.prose += 1
    return reading


def _directory(items: Sequence[Hit[Item]], categories: Sequence[Hit[Category]]) -> Directory:
    """Return the whole ids that may be named: summaries cite items by these."""
    topics = {hit.record.id: CATEGORY for hit in categories}
    return Directory(topics | {hit.record.id: ITEM for hit in items})


def _extend(by_layer: dict[str, list[str]], found: Sequence[tuple[str, str]]) -> None:
    for layer, record_id in found:
        by_layer.setdefault(layer, []).append(record_id)


def _answer(found: _Reading) -> Answer | None:
    if not found.answer:
        return None
    items = dict.fromkeys([*found.cited.get(ITEM, ()), *found.cited.get(PASSAGE, ())])
    return Answer(
        text=found.answer,
        item_ids=tuple(items),
        category_ids=tuple(dict.fromkeys(found.cited.get(CATEGORY, ()))),
        sufficient=found.sufficient,
    )


def _kept(hits: Sequence[Hit[R]], found: _Reading, layer: str, *more: str) -> list[Hit[R]]:
    """Return hits that help in the model's order, then those it has not judged, unless it knew enough without them.

    Where it judged none, all of them stay as they were found.
    """
    judged = found.judged.get(layer, set())
    if not judged:
        return list(hits)
    by_id = {hit.record.id: hit for hit in hits}
    unread: list[str] = [] if found.sufficient else [one for one in by_id if one not in judged]
    wanted = dict.fromkeys([*found.named(layer, *more), *unread])
    return [by_id[one] for one in wanted if one in by_id]
