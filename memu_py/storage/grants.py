"""The store's contract for grants: what agents of a user may see and change of one another's memory."""

from collections.abc import Sequence
from typing import Protocol

from memu_py.records.grant import Grant
from memu_py.records.scope import Scope


class GrantStore(Protocol):
    """Grants. Who may give and revoke them is decided above: each method sees those of the partition."""

    async def all(self, scope: Scope) -> Sequence[Grant]:
        """Return the grants of the partition, in order of the agents' names: whose memory, then who sees it."""
        ...

    async def give(self, scope: Scope, grant: Grant) -> Grant:
        """Write a grant, with its history; one between the same agents keeps its id, and gets these rights.

        Returns:
            The grant as it is now. With the same rights as before, nothing is written.

        Raises:
            Conflict: somebody else gave or revoked it at the same time; try again.
        """
        ...

    async def revoke(self, scope: Scope, from_agent: str, to_agent: str, *, actor: str) -> Grant | None:
        """Delete a grant, with its history; return it as it was, or None where there is none."""
        ...
