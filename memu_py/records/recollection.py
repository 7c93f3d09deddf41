"""Recollection: everything that a question calls to mind, in one."""

import dataclasses
from collections.abc import Iterator

from memu_py.records.facet import PersonProfile
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.passage import Passage
from memu_py.records.place import Place
from memu_py.records.record import Record
from memu_py.records.relation import Relation


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Recalled(Record):
    """A hit, and where it comes from.

    Attributes:
        hit: the item with its score.
        places: the originals that say it, with the places in them; none for what was written down by hand.
    """

    hit: Hit[Item]
    places: tuple[Place, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Recollection(Record):
    """What a question calls to mind. Falsy when nothing was found; iterates over what was merged.

    Attributes:
        merged: items from all recalls on one scale, best first, each with its sources.
        insights: those of them that memory thought of itself.
        snippets: what was said around the best, each turn with its speaker and date.
        profile: what is known of the person.
        relations: those around the names in the question and in what was found, as sentences.
        graph: the same as rows, in the same order.
        context: all of it as a block for a prompt, within the token budget.
        run_id: of the retrieve, for `feedback`.
    """

    merged: tuple[Recalled, ...] = ()
    insights: tuple[Recalled, ...] = ()
    snippets: tuple[Passage, ...] = ()
    profile: PersonProfile
    relations: tuple[str, ...] = ()
    graph: tuple[Relation, ...] = ()
    context: str = ""
    run_id: str

    def __bool__(self) -> bool:
        return bool(self.merged or self.graph or len(self.profile))

    def __iter__(self) -> Iterator[Recalled]:
        return iter(self.merged)
