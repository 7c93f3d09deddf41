"""Intent: what somebody is likely to need next, and what it rests on."""

import dataclasses
from collections.abc import Iterator
from typing import Literal

from memu_py.records.item import Item
from memu_py.records.record import Record
from memu_py.records.usage import Usage

PredictedBy = Literal["model", "statistic"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Need(Record):
    """One thing that is likely to be needed. Its `str()` is the text.

    Attributes:
        text: what it is, in the language of the context.
        confidence: in [0, 1].
        item_ids: the items that it rests on, all of them in `Intent.items`; never empty.
    """

    text: str
    confidence: float
    item_ids: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Intent(Record):
    """What is likely to be wanted next. Its `str()` is the sentence; falsy when nothing is; iterates over its needs.

    Attributes:
        sentence: the intent in one sentence; empty when there is none.
        needs: the likeliest first.
        items: what the needs rest on, each once.
        context: a prompt block with what answers the needs, within the budget.
        by: who predicted: a chat model, or the statistic.
        failure: why the model that was asked could not tell, so that the statistic did; None when it could.
        dropped: needs of the model that rested on nothing that there is.
        usage: what it cost.
    """

    sentence: str = ""
    needs: tuple[Need, ...] = ()
    items: tuple[Item, ...] = ()
    context: str = ""
    by: PredictedBy = "statistic"
    failure: str | None = None
    dropped: int = 0
    usage: Usage = dataclasses.field(default_factory=Usage)

    def __str__(self) -> str:
        return self.sentence

    def __bool__(self) -> bool:
        return bool(self.needs)

    def __iter__(self) -> Iterator[Need]:
        return iter(self.needs)

    def __len__(self) -> int:
        return len(self.needs)
