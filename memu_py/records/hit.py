"""A record that answers a question, with why."""

import dataclasses
from collections.abc import Mapping
from typing import Generic, TypeVar

from memu_py.records.record import Record

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Hit(Record, Generic[T]):
    """A record that answers.

    Attributes:
        record: the item, category or resource.
        score: in [0, 1].
        scores: every factor of the score, unrounded.
    """

    record: T
    score: float
    scores: Mapping[str, float] = dataclasses.field(default_factory=dict)
