"""Category: a named topic with a living summary."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import Record
from memu_py.records.scope import Scope

CategoryOrigin = Literal["config", "auto", "manual"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Category(Record):
    """A topic of one partition.

    Attributes:
        id: UUIDv7.
        scope: the partition's owner; a category has no session.
        name: unique in a partition, without regard to case.
        description: what belongs in it; embedded together with the name.
        summary: what is known, drawn from its items.
        origin: configured, found in the data, or made by hand.
        stale: true while its summary does not yet reflect all of its items.
        item_count: live items linked to it.
        version: grows by one with every change; for compare-and-swap.
        created_at: when it was made, UTC.
        updated_at: when it last changed, UTC.
        metadata: the caller's own.
    """

    id: str
    scope: Scope
    name: str
    created_at: datetime
    updated_at: datetime
    description: str = ""
    summary: str = ""
    origin: CategoryOrigin = "config"
    stale: bool = False
    item_count: int = 0
    version: int = 1
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
