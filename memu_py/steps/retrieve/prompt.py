"""The prompt block: what was found, as text for a model, within a token budget.

Facts come by relevance, events in the order in which they happened, each with what its date means. The words around
them are templates, one set per language; every one can be replaced from the workflow's YAML.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from memu_py.language.budget import count_tokens
from memu_py.records.hit import Hit
from memu_py.records.identity import DATED_TYPES
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.records.resource import Segment
from memu_py.records.span import TimeSpan

RESOLUTION = timedelta.resolution

FIELDS = {
    "title": {"today"},
    "facts": set[str](),
    "events": set[str](),
    "item": {"text", "notes"},
    "said_by": {"speaker"},
    "said": {"date"},
    "happened": {"date"},
    "separator": set[str](),
}

_POINT = re.compile(r"^[ \t]*[-*+•][ \t]+", re.MULTILINE)


class Template(BaseModel):
    """The words of one language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = "What is remembered (today is {today}):"
    facts: str = "Facts, the most relevant first:"
    events: str = "Events, in order of time:"
    item: str = "- {text}{notes}"
    said_by: str = "{speaker} said it"
    said: str = "said on {date}"
    happened: str = "happened {date}"
    separator: str = "; "

    @field_validator("*")
    @classmethod
    def _known_fields(cls, value: str, info: ValidationInfo) -> str:
        allowed = FIELDS[str(info.field_name)]
        try:
            value.format(**dict.fromkeys(allowed, "x"))
        except (LookupError, ValueError, AttributeError) as error:
            names = ", ".join(f"{{{name}}}" for name in sorted(allowed)) or "no field"
            msg = f"`{info.field_name}` may use {names}, and {{{{ and }}}} for braces; {value!r} does not fit"
            raise ValueError(msg) from error
        return value


CHINESE = Template(
    title="记忆（今天是{today}）：",
    facts="事实，最相关的在前：",
    events="事件，按时间顺序：",
    item="- {text}{notes}",
    said_by="{speaker}说的",
    said="说于{date}",
    happened="发生于{date}",
    separator="；",
)


def default_templates() -> dict[str, Template]:
    """Return the packaged templates by language."""
    return {"en": Template(), "zh": CHINESE}


class PromptConfig(BaseModel):
    """How the prompt block is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    templates: dict[str, Template] = Field(default_factory=default_templates, description="by language")
    caps: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default={}, description="at most so many items of a type in the block"
    )

    @field_validator("templates", mode="before")
    @classmethod
    def _over_the_packaged(cls, given: Any) -> Any:
        """What a template leaves out stays as packaged for its language."""
        if not isinstance(given, Mapping):
            return given
        packaged = default_templates()
        return {
            language: {**packaged[language].model_dump(), **words}
            if language in packaged and isinstance(words, Mapping)
            else words
            for language, words in given.items()
        }

    def template(self, language: str) -> Template:
        """Return a language's template, English where there is none."""
        packaged = default_templates()
        return self.templates.get(language) or packaged.get(language) or packaged["en"]


def write_prompt(
    hits: Sequence[Hit[Item]],
    passages: Sequence[Passage] = (),
    *,
    template: Template,
    caps: Mapping[str, int],
    max_tokens: int,
    now: datetime,
    zone: tzinfo,
) -> str:
    """Write the block.

    Items are taken by relevance while they fit the budget; one that does not fit is passed over for a shorter one. An
    item in a passage brings the passage, where that fits, and stands in it.

    Args:
        hits: best first.
        passages: what was said around some of them.
        template: the words.
        caps: at most so many items of a type.
        max_tokens: budget for the whole block.
        now: today.
        zone: for dates.

    Returns:
        The block, or an empty string when nothing fits.
    """
    title = template.title.format(today=now.astimezone(zone).date().isoformat())
    room = max_tokens - sum(count_tokens(line) for line in (title, template.facts, template.events))
    facts: list[str] = []
    events: list[tuple[datetime, str]] = []
    taken: dict[str, int] = {}
    around = {item_id: passage for passage in passages for item_id in passage.item_ids}
    written: set[str] = set()
    for hit in hits:
        item = hit.record
        if item.id in written or taken.get(item.type, 0) >= caps.get(item.type, len(hits)):
            continue
        line, cost, told = _fitting(item, around.get(item.id), room, template, zone)
        if cost > room:
            continue
        written |= told
        room -= cost
        taken[item.type] = taken.get(item.type, 0) + 1
        if item.type in DATED_TYPES and item.happened:
            events.append((item.happened.start, line))
        else:
            facts.append(line)
    if not facts and not events:
        return ""
    blocks = [title]
    blocks += [template.facts, *facts] if facts else []
    blocks += [template.events, *(line for _, line in sorted(events))] if events else []
    return "\n".join(blocks)


def _fitting(
    item: Item, passage: Passage | None, room: int, template: Template, zone: tzinfo
) -> tuple[str, int, set[str]]:
    """Return an item's line with its cost and the items in it: with what was said around it if that fits."""
    if passage is not None:
        line = _exchange(item, passage, _notes(item.evolve(speaker=None), template, zone), template)
        cost = count_tokens(line)
        if cost <= room:
            return line, cost, set(passage.item_ids)
    line = template.item.format(text=_on_one_line(item.text), notes=_notes(item, template, zone))
    return line, count_tokens(line), {item.id}


def _exchange(item: Item, passage: Passage, notes: str, template: Template) -> str:
    """Return a passage with the notes on an item beside its own words."""
    own = {source.ordinal for source in item.sources if source.resource_id == passage.resource_id}
    there = [segment.ordinal for segment in passage.segments if segment.ordinal in own]
    noted = there[0] if there else passage.segments[-1].ordinal
    turns = [f"{_turn(one)}{notes if one.ordinal == noted else ''}" for one in passage.segments]
    return template.item.format(text="\n  ".join(turns), notes="")


def _turn(segment: Segment) -> str:
    text = _on_one_line(segment.text)
    return f"{segment.speaker}: {text}" if segment.speaker else text


def _on_one_line(text: str) -> str:
    """Return a text without line breaks; the points of a list are parted by semicolons."""
    points = _POINT.split(text.strip())
    return "; ".join(" ".join(point.split()) for point in points if point)


def _notes(item: Item, template: Template, zone: tzinfo) -> str:
    notes = []
    if item.speaker:
        notes.append(template.said_by.format(speaker=item.speaker))
    if item.said_at:
        notes.append(template.said.format(date=item.said_at.astimezone(zone).date().isoformat()))
    if item.happened:
        notes.append(template.happened.format(date=show_span(item.happened, zone)))
    return f" ({template.separator.join(notes)})" if notes else ""


def show_span(span: TimeSpan, zone: tzinfo) -> str:
    """Return a span as a date of its own precision: 2023, 2023-05, 2023-05-07, or both ends of a longer one."""
    start = span.start.astimezone(zone)
    if span.precision == "year":
        return f"{start:%Y}"
    if span.precision == "month":
        return f"{start:%Y-%m}"
    if span.precision == "instant":
        return f"{start:%Y-%m-%d %H:%M}"
    last = (span.until - RESOLUTION).astimezone(zone)
    return f"{start:%Y-%m-%d}" if last.date() <= start.date() else f"{start:%Y-%m-%d} … {last:%Y-%m-%d}"
