"""The store's contract for what was: the change log read backwards."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from memu_py.records.batch import StoredItem, Vector
from memu_py.records.change import Change, RecordKind
from memu_py.records.item import Item
from memu_py.records.page import Page
from memu_py.records.rollback import Moment, Rollback
from memu_py.records.scope import Scope


class Past(Protocol):
    """What was known at a moment, and memory put back to it.

    Everything here raises `HistoryGone` where the log does not reach back, or what it said was erased.
    """

    async def changes(
        self, scope: Scope, *, limit: int, before: int | None = None, kind: RecordKind | None = None
    ) -> Page[Change]:
        """Return what happened in a scope, newest first.

        Args:
            scope: whose.
            limit: changes a page.
            before: only those before this position of the log.
            kind: only of records of this kind.
        """
        ...

    async def known(
        self, scope: Scope, to: Moment, ids: Sequence[str] | None = None
    ) -> Mapping[str, Item | None]:
        """Return the items that have changed since a moment as they were then; None for one that was not there.

        What is not among them is as it is now.

        Args:
            scope: whose; its attributes narrow what comes back.
            to: the moment, or a position of the log.
            ids: only these; None for all.
        """
        ...

    async def rehearse(self, scope: Scope, to: Moment) -> tuple[Rollback, Sequence[Item]]:
        """Return what `rollback` would do, and the items whose text it would bring back, as they were."""
        ...

    async def rollback(
        self, scope: Scope, to: int, stored: Mapping[str, StoredItem], names: Mapping[str, Vector]
    ) -> Rollback:
        """Put the records of a partition back to as they were, in one transaction, as changes like any others.

        Args:
            scope: whose; of a whole partition.
            to: the position of the log.
            stored: the items that `rehearse` named, with vectors and tokens, by id.
            names: vectors of the names in them, by `entity_key`.

        Raises:
            Conflict: somebody changed something since; rehearse again.
        """
        ...
