"""What memorize and retrieve give back."""

import dataclasses
from collections.abc import Iterator

from memu_py.records.answer import Answer
from memu_py.records.category import Category
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.outcome import Outcome
from memu_py.records.passage import Passage
from memu_py.records.record import Record
from memu_py.records.resource import Resource
from memu_py.records.usage import Usage
from memu_py.workflow.trace import Trace


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MemorizeResult(Record):
    """What a memorize did.

    Attributes:
        resource: what came in, as stored.
        added: new items.
        reinforced: existing items that were said again.
        categories: categories whose summary was brought up to date.
        outcomes: what became of each new segment.
        warnings: what could not be read as it was probably meant, such as a page without text.
        unchanged: true when everything was known already and nothing was written.
        trace: how the run went; None for a run id that was known.
        usage: what it cost.
    """

    resource: Resource
    added: tuple[Item, ...] = ()
    reinforced: tuple[Item, ...] = ()
    categories: tuple[Category, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    warnings: tuple[str, ...] = ()
    unchanged: bool = False
    trace: Trace | None = None
    usage: Usage = dataclasses.field(default_factory=Usage)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class RetrieveResult(Record):
    """What a retrieve found. Falsy when it found nothing; iterates over its items.

    Attributes:
        items: best first.
        categories: best first.
        resources: best first.
        passages: what was said right around the best items, as far as anything was.
        context: a block ready for a prompt, within the token budget.
        answer: what a model said, with `method="llm"`; None where none was asked, or it said nothing.
        needs_retrieval: false when the query needs no memory.
        rewritten_query: the query as it was searched, when it was changed.
        trace: how the run went.
        usage: what it cost.
    """

    items: tuple[Hit[Item], ...]
    categories: tuple[Hit[Category], ...]
    resources: tuple[Hit[Resource], ...]
    passages: tuple[Passage, ...] = ()
    context: str
    answer: Answer | None = None
    needs_retrieval: bool = True
    rewritten_query: str | None = None
    trace: Trace
    usage: Usage

    def __bool__(self) -> bool:
        return bool(self.items or self.categories or self.resources)

    def __iter__(self) -> Iterator[Hit[Item]]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
