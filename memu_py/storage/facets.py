"""The store's contract for what items claim of a person; all rows go with the items that they are read from."""

from collections.abc import Sequence
from typing import Protocol

from memu_py.records.facet import FacetClaim, FacetMark, HeldClaim, Uttered
from memu_py.records.scope import Scope


class Facets(Protocol):
    """Claims of a partition, kept up with its items by a mark in the change log."""

    async def mark(self, scope: Scope) -> FacetMark | None:
        """Return how far claims of the partition were read; None for not at all."""
        ...

    async def uttered(self, scope: Scope, ids: Sequence[str] | None = None) -> list[Uttered]:
        """Return what claims are read from, of items of the whole partition, ended ones too, in order of id.

        Args:
            scope: whose.
            ids: of these items only; None for all.
        """
        ...

    async def keep(
        self,
        scope: Scope,
        claims: Sequence[FacetClaim],
        *,
        ids: Sequence[str] | None,
        mark: FacetMark,
        over: FacetMark | None,
    ) -> bool:
        """Replace the claims of items, and move the mark, in one transaction.

        Args:
            scope: whose.
            claims: of these items; those of items that are gone by now are left out.
            ids: the items; None replaces all claims of the partition.
            mark: the new mark.
            over: the mark that the claims were read at.

        Returns:
            False, with nothing written, when another call has moved the mark meanwhile.
        """
        ...

    async def held(self, scope: Scope, facet: str | None = None) -> list[HeldClaim]:
        """Return the claims of the items of a scope, with what became of the items."""
        ...
