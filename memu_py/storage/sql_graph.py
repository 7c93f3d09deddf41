"""The graph over a database."""

from collections.abc import Sequence
from datetime import datetime

from memu_py.records.graph import Alias, Edges, Neighbor, Path, RelationQuery, Sighting
from memu_py.records.relation import Relation, RelationDraft
from memu_py.records.scope import Scope
from memu_py.storage import graph_edits, graph_reads
from memu_py.storage.units import Units

API = "api"


class SqlGraph(Units):
    """`Graph` over a database; made as `Units` is."""

    async def relations(self, scope: Scope, query: RelationQuery) -> list[Relation]:
        """See `Graph.relations`."""
        return await self.read_for(scope, lambda c: graph_reads.list_relations(c, scope, query))

    async def neighbors(
        self, scope: Scope, name: str, *, hops: int, edges: Edges, limit: int
    ) -> list[Neighbor]:
        """See `Graph.neighbors`."""
        return await self.read_for(
            scope, lambda c: graph_reads.neighbors(c, scope, name, hops=hops, edges=edges, limit=limit)
        )

    async def paths(
        self, scope: Scope, ends: tuple[str, str], *, max_hops: int, edges: Edges, limit: int
    ) -> list[Path]:
        """See `Graph.paths`."""
        return await self.read_for(
            scope, lambda c: graph_reads.paths(c, scope, ends, max_hops=max_hops, edges=edges, limit=limit)
        )

    async def sight(self, scope: Scope, keys: Sequence[str], as_of: datetime | None) -> Sighting:
        """See `Graph.sight`."""
        return await self.read_for(scope, lambda c: graph_reads.sight(c, scope, keys, as_of))

    async def add(
        self, scope: Scope, said: RelationDraft, *, valid_from: datetime | None, valid_to: datetime | None
    ) -> Relation:
        """See `Graph.add`."""
        return await self.write(
            scope, API, lambda unit: graph_edits.add_relation(unit, said, valid_from, valid_to)
        )

    async def end(self, scope: Scope, relation_id: str, at: datetime | None) -> Relation:
        """See `Graph.end`."""
        return await self.write(scope, API, lambda unit: graph_edits.end_relation(unit, relation_id, at))

    async def delete(self, scope: Scope, relation_id: str) -> None:
        """See `Graph.delete`."""
        await self.write(scope, API, lambda unit: graph_edits.delete_relation(unit, relation_id))

    async def alias(self, scope: Scope, name: str, same_as: str | None) -> Alias:
        """See `Graph.alias`."""
        return await self.write(scope, API, lambda unit: graph_edits.tie(unit, name, same_as))

    async def aliases(self, scope: Scope) -> list[Alias]:
        """See `Graph.aliases`."""
        return await self.read_for(scope, lambda c: graph_reads.aliases(c, scope))
