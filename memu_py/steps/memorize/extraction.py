"""What a model answers when it extracts items, and how that becomes drafts."""

import math
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from memu_py.language.dates import first_date
from memu_py.llm.sifting import SIFTED
from memu_py.prompts.ids import bare_id
from memu_py.records.item import Emotion, ItemDraft, Source
from memu_py.records.relation import MODELLED, RelationDraft
from memu_py.records.resource import Segment
from memu_py.records.span import TimeSpan
from memu_py.records.tool import ToolUse, with_uses

LOWEST_IMPORTANCE, HIGHEST_IMPORTANCE = 1.0, 10.0
MOST = 10**12
"""No tool is used so often, nor takes so long."""


def _within(low: float, high: float) -> BeforeValidator:
    """Return a validator that moves a number into its bounds: a model that says 12 of 10 means much; NaN is none."""

    def bounded(value: Any) -> Any:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return value
        return None if math.isnan(number) else min(max(number, low), high)

    return BeforeValidator(bounded)


class ExtractedRelation(BaseModel):
    """A triple of names."""

    subject: str = Field(min_length=1)
    predicate: str = Field(min_length=1)
    object: str = Field(min_length=1)


def _counted(value: Any) -> Any:
    """Return a number that is none, or out of all bounds, as 0: a figure that is wrong costs no memory."""
    return value if isinstance(value, int | float) and 0 <= value <= MOST else 0


Count = Annotated[int, BeforeValidator(lambda value: int(_counted(value)))]


class ExtractedTool(BaseModel):
    """What came of using a tool."""

    name: str = Field(min_length=1)
    succeeded: Count = 0
    failed: Count = 0
    seconds: Annotated[float, BeforeValidator(_counted)] = Field(
        default=0, description="of all its uses together"
    )
    tokens: Count = Field(default=0, description="of all its uses together")

    def use(self) -> ToolUse:
        """Return it as it is kept."""
        uses = self.succeeded + self.failed
        return ToolUse(
            name=self.name.strip(),
            succeeded=self.succeeded,
            failed=self.failed,
            seconds=self.seconds,
            timed=uses if self.seconds else 0,
            tokens=self.tokens,
            counted=uses if self.tokens else 0,
        )


class ExtractedItem(BaseModel):
    """One item as a model writes it."""

    type: str
    text: str = Field(min_length=1)
    source: list[str] = Field(description="ids of the turns that say it, such as t12")
    happened_at: str | None = Field(default=None, description="ISO 8601 date or date and time")
    happened_words: str | None = Field(default=None, description="the words of the turn that say when")
    importance: Annotated[float | None, _within(LOWEST_IMPORTANCE, HIGHEST_IMPORTANCE)] = None
    valence: Annotated[float | None, _within(-1.0, 1.0)] = None
    arousal: Annotated[float | None, _within(0.0, 1.0)] = None
    emotion: str | None = None
    entities: list[str] = []
    relations: list[ExtractedRelation] = []
    attribution: Literal["user", "agent"] | None = None
    tool: ExtractedTool | None = Field(default=None, description="for the type tool: what came of using it")
    topic: str | None = Field(default=None, description="name of the topic that it belongs to")
    new_topic: str | None = Field(
        default=None, description="what belongs in that topic, where it is a new one"
    )


class Extraction(BaseModel):
    """All items of some turns."""

    items: Annotated[list[ExtractedItem], SIFTED]


def turn_id(segment: Segment) -> str:
    """Return how a segment is called in a prompt."""
    return f"t{segment.ordinal}"


def cited(item: ExtractedItem, turns: Mapping[str, Segment]) -> list[Segment]:
    """Return the segments that an item cites and that the model was given, in order."""
    names = {bare_id(name) for name in item.source}
    return [segment for name, segment in turns.items() if name in names]


def sources(segments: list[Segment], *, resource_id: str, session: str | None) -> tuple[Source, ...]:
    """Return where an item was found."""
    return tuple(
        Source(
            resource_id=resource_id,
            ordinal=segment.ordinal,
            start=segment.start,
            end=segment.end,
            said_at=segment.said_at,
            session=session,
            metadata=segment.metadata,
        )
        for segment in segments
    )


def happened(item: ExtractedItem, *, anchor: datetime, zone: tzinfo) -> TimeSpan | None:
    """Return when an item's content was.

    The original words are worked out here where they can be, since models reckon badly; what the model worked out
    counts where the words say nothing to us. The first and the last year that a calendar here has are no dates: models
    write them for "unknown", and other zones have no such days.

    Args:
        item: with the model's date and the words of the turn.
        anchor: when the turn was said; aware.
        zone: the speaker's.
    """
    words = (item.happened_words or "").strip()
    found = first_date(words, said_at=anchor, zone=zone) if words else None
    return found or _given(item.happened_at, words, zone)


def _given(text: str | None, words: str, zone: tzinfo) -> TimeSpan | None:
    try:
        day = date.fromisoformat((text or "").strip())
    except ValueError:
        return _instant(text, words, zone)
    if not MINYEAR < day.year < MAXYEAR:
        return None
    start = datetime(day.year, day.month, day.day, tzinfo=zone)
    until = start + timedelta(days=1)
    return TimeSpan(
        start=start.astimezone(UTC),
        until=until.astimezone(UTC),
        precision="day",
        words=words or day.isoformat(),
    )


def _instant(text: str | None, words: str, zone: tzinfo) -> TimeSpan | None:
    try:
        moment = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    if not MINYEAR < moment.year < MAXYEAR:
        return None
    aware = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    return TimeSpan(start=aware, until=aware, precision="instant", words=words or moment.isoformat())


def feeling(item: ExtractedItem) -> Emotion | None:
    """Return an item's emotion, where the model tells one."""
    if item.valence is None or item.arousal is None:
        return None
    return Emotion(valence=item.valence, arousal=item.arousal, label=item.emotion or None)


def draft_of(
    item: ExtractedItem,
    segments: list[Segment],
    *,
    found: tuple[Source, ...],
    span: TimeSpan | None,
    type_: str,
    metadata: Mapping[str, Any],
) -> ItemDraft:
    """Return an item as a draft.

    Args:
        item: as the model wrote it.
        segments: that it cites, at least one.
        found: its sources.
        span: when its content was.
        type_: its type, a known one.
        metadata: of the resource.
    """
    first = segments[0]
    return ItemDraft(
        type=type_,
        text=item.text.strip(),
        speaker=first.speaker,
        said_at=first.said_at,
        happened=span,
        entities=tuple(dict.fromkeys(name.strip() for name in item.entities if name.strip())),
        relations=tuple(
            RelationDraft(
                subject=one.subject.strip(),
                predicate=one.predicate.strip(),
                object=one.object.strip(),
                confidence=MODELLED,
            )
            for one in item.relations
        ),
        attribution=item.attribution,
        importance=item.importance,
        emotion=feeling(item),
        sources=found,
        metadata=with_uses({**metadata, **first.metadata}, item.tool.use() if item.tool else None),
    )
