"""The store's contract for what people have a right to: to take all that is theirs along, and that it is gone."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from memu_py.records.audit import AuditLine
from memu_py.records.record import Record
from memu_py.records.scope import Scope
from memu_py.storage.upkeep import Fingerprint

Take = Callable[[str, Iterator[Mapping[str, Any]]], None]
"""Given a table's name and its rows as JSON data, once for each table; runs in a thread, and must read all of them."""
Rows = Callable[[str], Iterator[Mapping[str, Any]]]
"""Gives the rows of a table as JSON data, in the order in which they were exported; runs in a thread."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Belongings(Record):
    """What an export has beside rows.

    Attributes:
        fingerprint: what filled the indexes; None where nothing has.
        blobs: keys of the originals, in order.
    """

    fingerprint: Fingerprint | None
    blobs: Sequence[str]


class Rights(Protocol):
    """Whole partitions, table by table; every table that has the columns of a partition takes part."""

    async def export(self, scope: Scope, take: Take) -> Belongings:
        """Hand over all rows of the scope's partition, of one state of the database."""
        ...

    async def restore(
        self, scope: Scope, rows: Rows, *, run_id: str, summary: Mapping[str, Any]
    ) -> Mapping[str, int]:
        """Write all rows of an export into an empty partition, in one transaction.

        Positions of the log (columns `seq` and `…_seq`) become those that the rows get here; identities of items are
        made anew.

        Args:
            scope: who is to have them.
            rows: of each table.
            run_id: of this import: again, it writes nothing.
            summary: kept with the run, and returned with it.

        Returns:
            How many rows were written, by table; empty when the run is known.

        Raises:
            Conflict: the partition holds something already.
            InvalidInput: a row is not of its form.
        """
        ...

    async def audit(self, limit: int) -> list[AuditLine]:
        """Return what is kept of erasures, of everybody, newest first."""
        ...
