"""Claims of items over a database."""

from collections.abc import Sequence

from memu_py.records.facet import FacetClaim, FacetMark, HeldClaim, Uttered
from memu_py.records.scope import Scope
from memu_py.storage import facet_rows
from memu_py.storage.units import Units

PROFILE = "profile"


class SqlFacets(Units):
    """`Facets` over a database; made as `Units` is."""

    async def mark(self, scope: Scope) -> FacetMark | None:
        """See `Facets.mark`."""
        return await self.read_for(scope, lambda c: facet_rows.mark(c, scope))

    async def uttered(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Uttered]:
        """See `Facets.uttered`."""
        return await self.read_for(scope, lambda c: facet_rows.uttered(c, scope, ids))

    async def keep(
        self,
        scope: Scope,
        claims: Sequence[FacetClaim],
        *,
        ids: Sequence[str] | None,
        mark: FacetMark,
        over: FacetMark | None,
    ) -> bool:
        """See `Facets.keep`."""
        return await self.write(scope, PROFILE, lambda unit: facet_rows.keep(unit, claims, ids, mark, over))

    async def held(self, scope: Scope, facet: str | None = None) -> list[HeldClaim]:
        """See `Facets.held`."""
        return await self.read_for(scope, lambda c: facet_rows.held(c, scope, facet))
