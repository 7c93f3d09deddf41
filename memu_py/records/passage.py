"""A passage: what was said around hits, in order."""

import dataclasses

from memu_py.records.record import Record
from memu_py.records.resource import Segment


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Passage(Record):
    """Segments of one resource that stand together, among them at least one hit.

    Attributes:
        resource_id: where they stand.
        segments: in order.
        item_ids: the hits in it, best first.
    """

    resource_id: str
    segments: tuple[Segment, ...]
    item_ids: tuple[str, ...]
