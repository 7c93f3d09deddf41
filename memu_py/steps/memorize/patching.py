"""A summary changed by what is new: what a model is shown, what it answers, and what comes of that. Pure."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import tzinfo
from typing import Annotated

from pydantic import BaseModel, Field

from memu_py.language.budget import count_tokens
from memu_py.llm.sifting import SIFTED
from memu_py.prompts.ids import bare_id
from memu_py.records.batch import StoredItem
from memu_py.records.category import Category
from memu_py.records.cited import CitedLine, citations, cited_lines, uncited, written
from memu_py.records.item import Item
from memu_py.steps.spoken import day_of, spoken


class LineEdit(BaseModel):
    """One change of one summary."""

    category: str = Field(description="id of the topic, such as c2")
    line: str | None = Field(
        default=None, description="id of the line that it replaces, such as s3; none for a new one"
    )
    text: str = Field(default="", description="the line as it shall be; empty to remove it")
    refs: list[str] = Field(default=[], description="ids of the memories that it rests on, such as i4")


class SummaryPatch(BaseModel):
    """What a model answers."""

    edits: Annotated[list[LineEdit], SIFTED]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Topic:
    """A category with what its summary does not tell of yet.

    Attributes:
        category: as it was read.
        lines: of its summary; none where it cites nothing, so that it is made anew.
        new: items to be told of, oldest first.
        gone: items that it cites and that hold no longer.
    """

    category: Category
    lines: tuple[CitedLine, ...]
    new: tuple[Item, ...]
    gone: frozenset[str]

    @classmethod
    def of(
        cls, category: Category, items: Sequence[StoredItem], live: Collection[str], tokens: int
    ) -> "Topic":
        """Put together what a model must know.

        Args:
            category: as it was read.
            items: that its summary does not tell of, newest first.
            live: ids of cited items that hold.
            tokens: what new items may cost; those that do not fit wait.
        """
        lines = tuple(line for line in cited_lines(category.summary) if line.refs)
        new: list[Item] = []
        for stored in reversed(items):
            tokens -= count_tokens(stored.item.text)
            if new and tokens < 0:
                break
            new.append(stored.item)
        return cls(
            category=category,
            lines=lines,
            new=tuple(new),
            gone=frozenset(citations(category.summary)) - frozenset(live),
        )

    @property
    def settled(self) -> bool:
        """Whether there is nothing that a model must read: no line changes but by citations that are gone."""
        return not self.new and all(line.refs and not set(line.refs) & self.gone for line in self.lines)

    @property
    def tokens(self) -> int:
        """What it costs to show, about."""
        return sum(
            count_tokens(text) for text in (*(line.text for line in self.lines), *(i.text for i in self.new))
        )


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Patched:
    """What became of one topic.

    Attributes:
        summary: the new one.
        told: what it tells of now: versions of items by id.
        strangers: citations of what was not shown.
        unsourced: lines that were left out, since they cite nothing that holds.
        trimmed: lines that did not fit.
    """

    summary: str
    told: Mapping[str, int] = dataclasses.field(default_factory=dict)
    strangers: int = 0
    unsourced: int = 0
    trimmed: int = 0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """Topics that a model reads in one call, and the ids by which it calls what is on it.

    Attributes:
        topics: by id, such as `c1`.
        items: ids of items by their id here, such as `i3`.
    """

    topics: Mapping[str, Topic]
    items: Mapping[str, str]

    @classmethod
    def of(cls, topics: Sequence[Topic]) -> "Sheet":
        """Number topics and items."""
        shown = dict.fromkeys(
            item_id
            for topic in topics
            for item_id in (*(ref for line in topic.lines for ref in line.refs), *(i.id for i in topic.new))
        )
        return cls(
            topics={f"c{number}": topic for number, topic in enumerate(topics, 1)},
            items={f"i{number}": item_id for number, item_id in enumerate(shown, 1)},
        )

    def text(self, *, chars: int, zone: tzinfo) -> str:
        """Return it as a model reads it.

        Args:
            chars: length that a summary should have.
            zone: in which days are shown.
        """
        names = {item_id: name for name, item_id in self.items.items()}
        return "\n\n".join(
            _topic_text(name, topic, names, chars=chars, zone=zone) for name, topic in self.topics.items()
        )

    def patched(self, edits: Sequence[LineEdit], *, chars: int, whole: bool) -> dict[str, Patched]:
        """Return what edits make of each topic, by its id here.

        Args:
            edits: as a model gave them.
            chars: length of a summary at most, citations apart.
            whole: whether the answer came to its end; of one that did not, only cited items count as told of.
        """
        by_topic: dict[str, list[LineEdit]] = {name: [] for name in self.topics}
        for edit in edits:
            by_topic.get(bare_id(edit.category), []).append(edit)
        return {
            name: _patched(topic, by_topic[name], self.items, chars=chars, whole=whole)
            for name, topic in self.topics.items()
        }


def _topic_text(name: str, topic: Topic, names: Mapping[str, str], *, chars: int, zone: tzinfo) -> str:
    category = topic.category
    about = f"{category.name}: {category.description}" if category.description else category.name
    has = sum(len(line.text) + 1 for line in topic.lines)
    lines = [f"[{name}] {' '.join(about.split())} (at most {chars} characters; now {has})"]
    for number, line in enumerate(topic.lines, 1):
        refs = ", ".join(names[ref] + (" gone" if ref in topic.gone else "") for ref in line.refs)
        lines.append(f"[s{number}] {line.text} ({refs})")
    for item in topic.new:
        when = (item.happened.start if item.happened else item.said_at) or item.created_at
        lines.append(f"new [{names[item.id]}] ({day_of(when, zone)}) {spoken(item)}")
    return "\n".join(lines)


def _patched(
    topic: Topic, edits: Sequence[LineEdit], items: Mapping[str, str], *, chars: int, whole: bool
) -> Patched:
    old = {f"s{number}": line for number, line in enumerate(topic.lines, 1)}
    lines: dict[str, CitedLine] = dict(old)
    strangers = unsourced = 0
    for number, edit in enumerate(edits):
        place = bare_id(edit.line or "")
        text = " ".join(uncited(edit.text).split())
        if not text:
            lines.pop(place, None)
            continue
        known = [items[ref] for ref in map(bare_id, edit.refs) if ref in items]
        strangers += len(edit.refs) - len(known)
        refs = known or (list(old[place].refs) if place in old else [])
        refs = [ref for ref in dict.fromkeys(refs) if ref not in topic.gone]
        unsourced += not refs
        if refs:
            lines[place if place in old else f"new{number}"] = CitedLine(text=text, refs=tuple(refs))
    kept = [line.without(topic.gone) for line in lines.values()]
    kept = [line for line in kept if line.refs]
    fitting = trimmed_to(kept, chars)
    cited = {ref for line in kept for ref in line.refs}
    return Patched(
        summary=written(fitting),
        told={item.id: item.version for item in topic.new if whole or item.id in cited},
        strangers=strangers,
        unsourced=unsourced,
        trimmed=len(kept) - len(fitting),
    )


def trimmed_to(lines: Sequence[CitedLine], chars: int) -> list[CitedLine]:
    """Return the lines that fit: those that rest on few items go first, the older ones of equals."""
    kept = list(lines)
    while len(kept) > 1 and sum(len(line.text) + 1 for line in kept) > chars:
        del kept[min(range(len(kept)), key=lambda place: (len(kept[place].refs), place))]
    return [line.evolve(text=line.text[:chars]) for line in kept]


def without_items(summary: str, gone: Collection[str]) -> str:
    """Return a summary without the lines that cite any of these items: nobody knows what else of them is left."""
    return written(line for line in cited_lines(summary) if not set(line.refs) & set(gone))
