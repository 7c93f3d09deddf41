"""Questions to a list of records, and the pages that answer them."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Generic, Literal, TypeVar

from memu_py.records.record import Record

T = TypeVar("T")

Where = Mapping[str, Any]
"""A filter as a person writes it, such as `{"type": "event", "importance": {"gte": 5}}`."""

MAX_PAGE = 1000


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Query(Record):
    """Which records of a scope, in what order.

    Attributes:
        where: conditions on fields and metadata; see `memu_py.records.filter`.
        order: a field to sort by, `id` breaking ties; ids sort by time of creation.
        descending: newest or largest first.
        limit: records a page, 1 to 1000.
        cursor: `Page.next_cursor` of the page before.
        live: true leaves out superseded items; of no effect on other kinds.
        archived: true takes in items that are put away or have expired; likewise.
    """

    where: Where | None = None
    order: str = "id"
    descending: bool = False
    limit: int = 100
    cursor: str | None = None
    live: bool = True
    archived: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Page(Record, Generic[T]):
    """Some records, and where the next ones begin.

    Attributes:
        records: in the order asked for.
        next_cursor: pass it as `cursor` for the next page; None on the last.
    """

    records: tuple[T, ...]
    next_cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> T:
        return self.records[index]


Direction = Literal["out", "in"]
