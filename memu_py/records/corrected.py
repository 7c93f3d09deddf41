"""What a correction did."""

import dataclasses
from typing import Literal

from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Corrected(Record):
    """What became of a correction; true when it was done.

    Attributes:
        done: whether anything was changed.
        how: what was corrected: a `date`, a `piece` of the text, the whole `statement`; or it was ended (`end`). None
            when nothing was done.
        by: who told which memory is meant, and what it becomes: `id`, `rules`, or `model`.
        before: the memory that was wrong, ended now.
        after: the memory in its place; None when there is none.
        candidates: memories that may be meant, best first, when nothing was done: correct one of them by its id.
    """

    done: bool = False
    how: Literal["date", "piece", "statement", "end"] | None = None
    by: Literal["id", "rules", "model"] | None = None
    before: Item | None = None
    after: Item | None = None
    candidates: tuple[Hit[Item], ...] = ()

    def __bool__(self) -> bool:
        return self.done
