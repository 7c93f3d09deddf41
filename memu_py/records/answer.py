"""Answer: what a model says to a question, and what it rests on."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Answer(Record):
    """A question's answer. Its `str()` is the text.

    Attributes:
        text: in the language of the question.
        item_ids: items of the result that it rests on.
        category_ids: categories of the result, likewise.
        sufficient: whether the model held what it had read for enough.
    """

    text: str
    item_ids: tuple[str, ...] = ()
    category_ids: tuple[str, ...] = ()
    sufficient: bool = False

    def __str__(self) -> str:
        return self.text
