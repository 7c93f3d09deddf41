"""Extract items from segments: by a model, or verbatim, each segment an item."""

import asyncio
from collections.abc import Collection
from datetime import tzinfo
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ConfigError
from memu_py.nearest import unknown
from memu_py.records.item import ItemDraft
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.steps.memorize.background import known_memories, summaries, topic_blocks
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.reader import Reader, is_agents_work, judged
from memu_py.steps.memorize.unjudged import Rules
from memu_py.steps.memorize.verbatim import ItemTypes, Verbatim
from memu_py.steps.memorize.windows import Window, windows
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

Mode = Literal["auto", "verbatim", "llm"]
PROMPT = "extract"
SYSTEM = "system"
"""The role of what a model is told by whoever runs it: nothing that anybody said."""


class ExtractEntitiesConfig(BaseModel):
    """How items are made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Field(
        default="auto",
        description="`verbatim` needs no model, `llm` does; `auto` takes one when the profile is configured",
    )
    profile: str = Field(default="default", description="the model profile that extracts")
    window_tokens: int = Field(
        default=4000, ge=100, description="tokens of conversation that a model reads in one call"
    )
    overlap: int = Field(default=10, ge=0, description="turns before each part that are shown with it")
    related: int = Field(
        default=10, ge=0, description="known memories that are shown, so as not to repeat them"
    )
    summary_tokens: int = Field(default=400, ge=0, description="tokens of category summaries that are shown")
    turn_type: str = Field(default="fact", description="type of what was said in a conversation")
    dated_type: str = Field(default="event", description="type of what was said to happen at a time")
    document_type: str = Field(default="knowledge", description="type of what stands in a document")

    emotion: bool = Field(
        default=True, description="without a model, tell the feeling of English turns by rules"
    )
    importance: bool = Field(
        default=True, description="tell by rules how much an item matters, where no model does"
    )

    @property
    def rules(self) -> Rules:
        """What judges where no model does."""
        return Rules(emotion=self.emotion, importance=self.importance)

    def types(self, known: Collection[str]) -> ItemTypes:
        """Return the types of items that no model gives one.

        Raises:
            ConfigError: one is not among `item_types`.
        """
        for name in ("turn_type", "dated_type", "document_type"):
            if getattr(self, name) not in known:
                msg = f"extract_entities.{name}: {unknown('item type', getattr(self, name), known)}"
                raise ConfigError(msg, hint="add it to `item_types`, or choose another")
        return ItemTypes(turn=self.turn_type, dated=self.dated_type, document=self.document_type)


class Extracted(NamedTuple):
    """The output of the step.

    Attributes:
        drafts: items found.
        segments: those of the run; what made no item has its outcome.
        topics: name of the topic that a model chose for a draft, by its id.
        proposed: descriptions of topics that there are not yet, by name.
    """

    drafts: list[ItemDraft]
    segments: list[Segment]
    topics: dict[str, str]
    proposed: dict[str, str]


@step(
    "extract_entities",
    produces={
        "drafts": list[ItemDraft],
        "segments": list[Segment],
        "topics": dict[str, str],
        "proposed": dict[str, str],
    },
)
async def extract_entities(
    request: MemorizeRequest,
    intake: Intake,
    segments: list[Segment],
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: ExtractEntitiesConfig,
) -> Extracted:
    """Make drafts of the pending segments, with speakers, dates, entities and their places in the resource.

    A model reads them in windows; a window that it cannot read leaves its segments failed, to be tried again. Without a
    model each segment is a draft.

    Raises:
        ConfigError: a model is asked for and not configured; or a type is not among `item_types`.
        BudgetExceeded: the model would cost more than is left.
    """
    types = config.types(ctx.resources.settings.item_types)
    zone_ = ctx.resources.zone(scope, request.timezone)
    if _wants_model(request, ctx.resources, config):
        return await _read(intake, segments, scope, types, zone_, ctx=ctx, config=config)
    return await asyncio.to_thread(_verbatim, intake, segments, scope, types, zone_, ctx, config.rules)


def _wants_model(request: MemorizeRequest, resources: MemoryResources, config: ExtractEntitiesConfig) -> bool:
    if request.infer is False or (request.infer is None and config.mode == "verbatim"):
        return False
    if resources.has_model(config.profile):
        return True
    if request.infer is None and config.mode == "auto":
        return False
    who = "infer=True" if request.infer else "extract_entities.mode: llm"
    msg = f"{who} asks for a model, and llm.{config.profile} is not configured"
    raise ConfigError(
        msg, hint=f"set llm.{config.profile}.model, or leave it out to store what was said as it is"
    )


def _verbatim(
    intake: Intake,
    segments: list[Segment],
    scope: Scope,
    types: ItemTypes,
    zone_: tzinfo,
    ctx: StepContext[MemoryResources],
    rules: Rules,
) -> Extracted:
    maker = Verbatim(
        intake=intake,
        session=scope.session,
        types=types,
        names=sorted({segment.speaker for segment in segments if segment.speaker}),
        zone=zone_,
        rules=rules,
        told=ctx.resources.settings.graph.rules,
        user=scope.user,
    )
    pending = [segment for segment in segments if segment.outcome == "pending"]
    drafts: list[ItemDraft] = []
    for done, segment in enumerate(pending):
        drafts.append(maker.draft(segment))
        ctx.progress(done + 1, len(pending), "extracting")
        ctx.cancel.check()
    ctx.note(mode="verbatim", drafts=len(drafts))
    return Extracted(drafts, segments, topics={}, proposed={})


async def _read(
    intake: Intake,
    segments: list[Segment],
    scope: Scope,
    types: ItemTypes,
    zone_: tzinfo,
    *,
    ctx: StepContext[MemoryResources],
    config: ExtractEntitiesConfig,
) -> Extracted:
    pending = [segment for segment in segments if segment.outcome == "pending"]
    if not pending:
        return Extracted([], segments, topics={}, proposed={})
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        ctx.progress(done, len(parts), "reading")

    resources = ctx.resources
    shown = [one.evolve(outcome="pending", reason=None) if is_agents_work(one) else one for one in segments]
    reader = Reader(
        model=resources.chat(config.profile, purpose=ctx.step),
        prompt=resources.prompt(PROMPT, " ".join(segment.text for segment in pending)),
        context={
            "types": ", ".join(resources.settings.item_types),
            **await topic_blocks(scope, resources, ctx.clock()),
            "known": "\n".join(await known_memories(pending, scope, resources, count=config.related)),
            "summary": "\n".join(await summaries(scope, resources, tokens=config.summary_tokens)),
        },
        intake=intake,
        session=scope.session,
        types=types,
        known_types=resources.settings.item_types,
        zone=zone_,
        done=count,
        rules=config.rules,
        infers=resources.settings.privacy.inference == "keep",
    )
    parts = await _windows(reader, intake, shown, scope, resources, config)
    found = await reader.read(parts)
    ctx.note(
        mode="llm",
        windows=len(parts),
        drafts=len(found.drafts),
        unsourced=found.unsourced,
        inferred=found.inferred,
        dropped=found.dropped,
        failed=len(found.failed),
    )
    return Extracted(list(found.drafts), judged(shown, found), dict(found.topics), dict(found.proposed))


async def _windows(
    reader: Reader,
    intake: Intake,
    segments: list[Segment],
    scope: Scope,
    resources: MemoryResources,
    config: ExtractEntitiesConfig,
) -> list[Window]:
    """Return the windows of a run's segments, and what the resource already held right before the first."""
    first = segments[0].ordinal
    earlier = await resources.store.passage(
        scope, intake.resource.id, max(first - config.overlap, 0), first - 1
    )
    return windows(
        [*earlier, *(segment for segment in segments if segment.role != SYSTEM)],
        budget=config.window_tokens,
        overlap=config.overlap,
        wanted=lambda segment: segment.outcome == "pending" and segment.ordinal >= first,
        line=reader.line,
    )
