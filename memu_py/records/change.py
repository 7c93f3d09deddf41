"""One row of the append-only change log."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from memu_py.records.record import Record

RecordKind = Literal["resource", "item", "category", "link", "block", "relation", "grant"]
Operation = Literal["create", "update", "delete"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Change(Record):
    """What happened to one record.

    Attributes:
        seq: its place in the log, growing.
        kind: of the record.
        record_id: the record; for links `source>target:kind`.
        op: create logs the id only, update the changed fields, delete the whole record as `before`.
        before: old values; None for a create, or once erased.
        after: new values; None for a create or a delete, or once erased.
        reason: why, where somebody said so, such as a model that found it contradicted; None once erased.
        actor: who did it, such as `memorize`, `api`, `update_categories`.
        at: when, UTC.
    """

    seq: int
    kind: RecordKind
    record_id: str
    op: Operation
    actor: str
    at: datetime
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str | None = None
