"""When something was said: what the habit of a user is read from."""

import dataclasses
from datetime import datetime

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Said(Record):
    """One time that an item was said.

    Attributes:
        item_id: the item.
        at: when, UTC.
        category_ids: the categories that the item is in.
    """

    item_id: str
    at: datetime
    category_ids: tuple[str, ...] = ()
