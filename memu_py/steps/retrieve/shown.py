"""What a model is shown of memory: a line a record, with an id that is short, in pages that keep to a budget."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo

from memu_py.language.budget import count_tokens
from memu_py.records.category import Category
from memu_py.records.cited import uncited
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.steps.spoken import day_of, spoken

CATEGORY, ITEM, PASSAGE = "category", "item", "passage"
LETTERS: Mapping[str, str] = {CATEGORY: "c", ITEM: "i", PASSAGE: "p"}
"""The first letter of an id that is shown, by layer; the rest is a number from 1."""

CUT = "…"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One record as it is shown.

    Attributes:
        text: what is shown of it.
        ids: of the records that it stands for: one, or the items of a passage.
    """

    text: str
    ids: tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Records that are shown together.

    Attributes:
        layer: `category`, `item` or `passage`.
        lines: by the id that is shown.
    """

    layer: str
    lines: Mapping[str, Line]

    def __str__(self) -> str:
        return "\n".join(f"[{name}] {line.text}" for name, line in self.lines.items())


def pages_of(layer: str, lines: Sequence[Line], tokens: int) -> Iterator[Page]:
    """Yield the pages of a layer in order; ids count on from page to page.

    Args:
        layer: `category`, `item` or `passage`.
        lines: the best first.
        tokens: of a page at most; a line that is longer alone is cut.
    """
    page: dict[str, Line] = {}
    left = tokens
    for number, line in enumerate(lines, 1):
        shown = dataclasses.replace(line, text=_cut(line.text, tokens))
        left -= count_tokens(shown.text)
        if left < 0 and page:
            yield Page(layer=layer, lines=page)
            page, left = {}, tokens - count_tokens(shown.text)
        page[f"{LETTERS[layer]}{number}"] = shown
    if page:
        yield Page(layer=layer, lines=page)


def category_lines(hits: Sequence[Hit[Category]]) -> list[Line]:
    """Return categories as they are shown; those without a summary say nothing."""
    return [
        Line(text=f"{hit.record.name}: {' '.join(uncited(hit.record.summary).split())}", ids=(hit.record.id,))
        for hit in hits
        if hit.record.summary
    ]


def item_lines(hits: Sequence[Hit[Item]], local: tzinfo) -> list[Line]:
    """Return items as they are shown: when, who, what.

    Args:
        hits: the items.
        local: the zone in which days are told.
    """
    return [Line(text=_item(hit.record, local), ids=(hit.record.id,)) for hit in hits]


def passage_lines(passages: Sequence[Passage]) -> list[Line]:
    """Return passages as they are shown: who said what, in order."""
    return [
        Line(
            text=" / ".join(f"{one.speaker or ''}: {' '.join(one.text.split())}" for one in passage.segments),
            ids=passage.item_ids,
        )
        for passage in passages
    ]


def _item(item: Item, local: tzinfo) -> str:
    said = f"said {day_of(item.said_at, local)}" if item.said_at else ""
    when = f"happened {day_of(item.happened.start, local)}" if item.happened else ""
    about = ", ".join(part for part in (when, said) if part)
    return f"({about}) {spoken(item)}" if about else spoken(item)


def _cut(text: str, tokens: int) -> str:
    """Return a text of at most so many tokens; every character costs one at most."""
    while (count := count_tokens(text)) > tokens:
        text = text[: max(len(text) * tokens // count - len(CUT), 0)] + CUT
    return text
