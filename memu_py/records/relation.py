"""Relation: who or what stands in which relation to whom."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Relation(Record):
    """An edge between two names.

    Attributes:
        subject: whose it is, as written.
        predicate: in snake_case, such as `works_at`.
        object: what it leads to, as written.
    """

    subject: str
    predicate: str
    object: str
