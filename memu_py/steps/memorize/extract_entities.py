"""Extract items from segments. Without a model: verbatim, each segment is an item."""

from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from memu_py.errors import ConfigError
from memu_py.language.dates import first_date
from memu_py.language.entities import entities
from memu_py.language.zones import zone
from memu_py.nearest import unknown
from memu_py.records.item import ItemDraft, Source
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Segment
from memu_py.records.scope import Scope
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

Mode = Literal["auto", "verbatim"]


class ExtractEntitiesConfig(BaseModel):
    """How items are made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Field(
        default="auto", description="`verbatim` needs no model; `auto` is the same in this version"
    )
    turn_type: str = Field(default="fact", description="type of what was said in a conversation")
    dated_type: str = Field(default="event", description="type of what was said to happen at a time")
    document_type: str = Field(default="knowledge", description="type of what stands in a document")

    def check_types(self, known: Collection[str]) -> None:
        """Check that the types exist.

        Raises:
            ConfigError: one is not among `item_types`.
        """
        for name in ("turn_type", "dated_type", "document_type"):
            if getattr(self, name) not in known:
                msg = f"extract_entities.{name}: {unknown('item type', getattr(self, name), known)}"
                raise ConfigError(msg, hint="add it to `item_types`, or choose another")


@step("extract_entities", produces={"drafts": list[ItemDraft]})
def extract_entities(
    request: MemorizeRequest,
    intake: Intake,
    segments: list[Segment],
    scope: Scope,
    *,
    ctx: StepContext[MemoryResources],
    config: ExtractEntitiesConfig,
) -> list[ItemDraft]:
    """Make one draft of each pending segment, with its speaker, dates, entities and place in the resource.

    Raises:
        ConfigError: `infer=True` asks for a model, and extraction by a model is not available; or a type is not among
            `item_types`.
    """
    if request.infer:
        msg = "infer=True asks for a model, and this version extracts verbatim only"
        raise ConfigError(msg, hint="leave infer out, or set it to False")
    config.check_types(ctx.resources.settings.item_types)
    maker = _DraftMaker(
        intake=intake,
        scope=scope,
        config=config,
        names=sorted({segment.speaker for segment in segments if segment.speaker}),
        zone_name=request.timezone or ctx.resources.settings.timezone_of(scope.user),
    )
    pending = [segment for segment in segments if segment.outcome == "pending"]
    drafts: list[ItemDraft] = []
    for done, segment in enumerate(pending):
        drafts.append(maker.draft(segment))
        ctx.progress(done + 1, len(pending), "extracting")
        ctx.cancel.check()
    ctx.note(mode="verbatim", drafts=len(drafts))
    return drafts


class _DraftMaker:
    def __init__(
        self,
        *,
        intake: Intake,
        scope: Scope,
        config: ExtractEntitiesConfig,
        names: list[str],
        zone_name: str,
    ) -> None:
        self._intake = intake
        self._resource = intake.resource
        self._scope = scope
        self._config = config
        self._names = names
        self._zone = zone(zone_name)

    def draft(self, segment: Segment) -> ItemDraft:
        happened = first_date(segment.text, said_at=self._intake.anchor(segment), zone=self._zone)
        return ItemDraft(
            type=self._type(segment, dated=happened is not None),
            text=segment.text,
            speaker=segment.speaker,
            said_at=segment.said_at,
            happened=happened,
            entities=entities(segment.text, speaker=segment.speaker, names=self._names),
            sources=(
                Source(
                    resource_id=self._resource.id,
                    ordinal=segment.ordinal,
                    start=segment.start,
                    end=segment.end,
                    said_at=segment.said_at,
                    session=self._scope.session,
                    metadata=segment.metadata,
                ),
            ),
            metadata={**self._resource.metadata, **segment.metadata},
        )

    def _type(self, segment: Segment, *, dated: bool) -> str:
        if segment.kind != "turn":
            return self._config.document_type
        return self._config.dated_type if dated else self._config.turn_type
