"""The store's contract for the graph: relations between names, with the time in which they hold."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memu_py.records.graph import Alias, Edges, Neighbor, Path, RelationQuery, Sighting
from memu_py.records.relation import Relation, RelationDraft
from memu_py.records.scope import Scope


class Graph(Protocol):
    """Who or what stands in which relation to whom. What items say is written with them, and goes with them."""

    async def relations(self, scope: Scope, query: RelationQuery) -> list[Relation]:
        """Return relations, the last to begin first."""
        ...

    async def neighbors(
        self, scope: Scope, name: str, *, hops: int, edges: Edges, limit: int
    ) -> list[Neighbor]:
        """Return what is near a name, the nearest first; empty for a name that the graph does not have."""
        ...

    async def paths(
        self, scope: Scope, ends: tuple[str, str], *, max_hops: int, edges: Edges, limit: int
    ) -> list[Path]:
        """Return ways from the first name to the second that visit none twice, of those found the shortest first."""
        ...

    async def sight(self, scope: Scope, keys: Sequence[str], as_of: datetime | None) -> Sighting:
        """Return what items say within two hops of names.

        Args:
            scope: whose.
            keys: of names that may be there, see `entity_key`.
            as_of: what held at this moment, UTC; None for what holds now.
        """
        ...

    async def add(
        self, scope: Scope, said: RelationDraft, *, valid_from: datetime | None, valid_to: datetime | None
    ) -> Relation:
        """Add a relation that no item says; what a subject has one of at a time ends with it."""
        ...

    async def end(self, scope: Scope, relation_id: str, at: datetime | None) -> Relation:
        """End a relation; None as the moment is now.

        Raises:
            NotFound: it is not in the scope.
        """
        ...

    async def delete(self, scope: Scope, relation_id: str) -> None:
        """Delete a relation; what it ended holds again.

        Raises:
            NotFound: it is not in the scope.
        """
        ...

    async def alias(self, scope: Scope, name: str, same_as: str | None) -> Alias:
        """Take a name for another one, from now on and in all that there is; None for nobody else.

        Raises:
            NotFound: the graph has no such name, or none to take it for.
        """
        ...

    async def aliases(self, scope: Scope) -> list[Alias]:
        """Return what names are taken for others, or kept apart by hand, in order of name."""
        ...
