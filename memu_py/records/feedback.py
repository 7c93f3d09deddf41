"""Feedback: what became of a memory that was retrieved."""

import dataclasses

from memu_py.records.record import Record

USED_READS = 1
HELPFUL_READS = 2
UNHELPFUL_READS = -4
"""What one word of feedback counts for among the reads of an item. One that does not help outweighs three that are
merely reads; at the least, an item counts for less than one that was never read, and is found all the same."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Feedback(Record):
    """What is said of one item in one run. A field that is None says nothing.

    Attributes:
        item_id: the item.
        run_id: the retrieve that returned it; a second word on the same run and item takes the place of the first.
        used: whether it was used for what it was retrieved for.
        helpful: whether it helped.
    """

    item_id: str
    run_id: str
    used: bool | None = None
    helpful: bool | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MemoryUse(Record):
    """What became of the memories of a user (or agent), of those that are still there.

    Attributes:
        retrieved: how often items were returned by `retrieve`, as far as that is written.
        used: how often one was used, as told by `feedback`.
        unused: how often one was not.
        helpful: how often one helped.
        unhelpful: how often one did not.
    """

    retrieved: int = 0
    used: int = 0
    unused: int = 0
    helpful: int = 0
    unhelpful: int = 0

    @property
    def share(self) -> float | None:
        """The share of what was retrieved that was used, in [0, 1]; None when nothing was retrieved."""
        return min(1.0, self.used / self.retrieved) if self.retrieved else None
