"""Grants over a database."""

from memu_py.records.grant import Grant
from memu_py.records.scope import Scope
from memu_py.storage import grant_rows
from memu_py.storage.units import Units


class SqlGrants(Units):
    """`GrantStore` over a database; made as `Units` is."""

    async def all(self, scope: Scope) -> list[Grant]:
        """See `GrantStore.all`."""
        return await self.read_for(scope, lambda c: grant_rows.load_grants(c, scope))

    async def give(self, scope: Scope, grant: Grant) -> Grant:
        """See `GrantStore.give`."""
        return await self.write(scope, grant.given_by, lambda unit: grant_rows.write_grant(unit, grant))

    async def revoke(self, scope: Scope, from_agent: str, to_agent: str, *, actor: str) -> Grant | None:
        """See `GrantStore.revoke`."""
        return await self.write(
            scope, actor, lambda unit: grant_rows.delete_grant(unit, from_agent, to_agent)
        )
