"""What was known at a moment, as far as it differs from what is known now."""

import dataclasses
from collections.abc import Mapping
from datetime import datetime

from memu_py.records.item import Item


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """Items that have changed since a moment.

    Attributes:
        then: as they were; None for one that was not there.
        as_of: what was true at this moment counts; None for what held when it was known.
    """

    then: Mapping[str, Item | None]
    as_of: datetime | None = None

    @property
    def changed(self) -> tuple[str, ...]:
        """The items whose state of now does not count."""
        return tuple(self.then)

    @property
    def shown(self) -> tuple[str, ...]:
        """Those of them that held, or were true."""
        return tuple(item_id for item_id, item in self.then.items() if item is not None and self._holds(item))

    def records(self, found: Mapping[str, Item]) -> dict[str, Item]:
        """Return records that were loaded as they were then."""
        return {item_id: self.then.get(item_id) or item for item_id, item in found.items()}

    def _holds(self, item: Item) -> bool:
        if item.archived_at is not None:
            return False
        return not item.ended if self.as_of is None else _is_true(item, self.as_of)


def _is_true(item: Item, moment: datetime) -> bool:
    """Tell whether an item was true at a moment, as the indexes do."""
    since = item.said_at or item.created_at
    if item.happened is not None:
        since = min(since, item.happened.start)
    until = item.valid_to or (item.updated_at if item.superseded_by else None)
    return since <= moment and (until is None or moment < until)
