"""A named value that an application keeps beside memories."""

import dataclasses
from datetime import datetime
from typing import Any

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class KeyValue(Record):
    """A value by name, as stored.

    Attributes:
        namespace: the group that it belongs to.
        key: its name in the group.
        value: anything that JSON can say.
        version: 1 when it is new, and one more with every change.
        updated_at: when it was set last, UTC.
        expires_at: when it will be gone, UTC; None for never.
    """

    namespace: str
    key: str
    value: Any
    version: int
    updated_at: datetime
    expires_at: datetime | None = None
