"""How the records of one kind are read."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from memu_py.records.page import Page, Query, Where
from memu_py.records.scope import Scope

T = TypeVar("T")


class Collection(Protocol[T]):
    """Records of one kind."""

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, T]:
        """Return the records with these ids that lie in the scope, by id; ids that do not are left out."""
        ...

    async def page(self, scope: Scope, query: Query) -> Page[T]:
        """Return one page.

        Raises:
            InvalidFilter: `query.where`, its order or its cursor is not usable.
            InvalidInput: `query.limit` is outside 1 to 1000.
        """
        ...

    async def count(self, scope: Scope, where: Where | None = None) -> int:
        """Count the (live) records that match."""
        ...

    async def ids(self, scope: Scope, where: Where | None = None) -> list[str]:
        """Return the ids of all records that match, superseded ones included, in order of id."""
        ...
