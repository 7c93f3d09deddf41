"""Keys by which programs are known to the server."""

import dataclasses
from datetime import datetime
from typing import Literal, get_args

from memu_py.records.record import Record
from memu_py.records.scope import Scope

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what those before it may, too."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ApiKey(Record):
    """What is known of a key; the key itself is known to its holder alone.

    Attributes:
        id: what it begins with, by which it is found.
        name: what it is for, as its maker calls it.
        role: what it may do.
        scope: where; None for everywhere.
        created_at: UTC.
        expires_at: when it ends, UTC; None for never.
        revoked_at: when it was taken back, UTC.
    """

    id: str
    name: str
    role: Role
    scope: Scope | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Whether it opens anything at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def may(self, role: Role) -> bool:
        """Whether it may do what a role may."""
        return ROLES.index(self.role) >= ROLES.index(role)
