"""Relation: who or what stands in which relation to whom."""

import dataclasses
from datetime import datetime

from memu_py.records.record import Record
from memu_py.records.scope import Scope

RULED = 0.9
"""Confidence in what a rule found."""

MODELLED = 0.8
"""Confidence in what a model found."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class RelationDraft(Record):
    """What an item says of two names.

    Attributes:
        subject: whose it is, as written.
        predicate: in snake_case, such as `works_at`.
        object: what it leads to, as written; the subject itself, in a denial, for whatever it led to.
        confidence: in [0, 1], how sure it is.
        denied: it says that this holds no longer.
        single: a subject has one object at a time, so that the next one ends it.
    """

    subject: str
    predicate: str
    object: str
    confidence: float = 1.0
    denied: bool = False
    single: bool = False


def whatever(subject: str, predicate: str) -> RelationDraft:
    """Return that nothing of this predicate holds any longer, such as where somebody has lost a job."""
    return RelationDraft(subject=subject, predicate=predicate, object=subject, confidence=RULED, denied=True)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Relation(RelationDraft):
    """An edge as it is stored.

    Attributes:
        id: UUIDv7.
        scope: whose it is.
        item_id: the item that says it; None for one that was added by hand.
        said_by: who said it, where known.
        valid_from: since when it holds, UTC.
        valid_to: when it ended, UTC; None while it holds.
        created_at: when it was stored, UTC.
    """

    id: str
    scope: Scope
    valid_from: datetime
    created_at: datetime
    item_id: str | None = None
    said_by: str | None = None
    valid_to: datetime | None = None

    def holds(self, at: datetime | None = None) -> bool:
        """Whether it holds at a moment; None for now."""
        if at is None:
            return self.valid_to is None
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)
