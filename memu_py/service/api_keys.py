"""Keys to the server: made, found, taken back."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import timedelta

from memu_py.errors import InvalidInput, NotFound
from memu_py.nearest import unknown
from memu_py.records.api_key import ROLES, ApiKey, Role
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.runtime import Runtime

PREFIX = "memu"
SECRET_BYTES = 32
ID_BYTES = 6


@checks_arguments
class ApiKeys:
    """The keys of a database. It is for operators: a view of one user sees all of them, too."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def create(
        self,
        name: str,
        *,
        role: Role = "write",
        scope: Scope | None = None,
        expires_days: float | None = None,
    ) -> tuple[str, ApiKey]:
        """Make a key.

        Args:
            name: what it is for.
            role: `read`, `write`, or `admin`, who may also erase and see the whole store's figures.
            scope: where it may do so; None for everywhere.
            expires_days: it ends after so many days; None for never.

        Returns:
            The key itself, which is kept nowhere and cannot be shown again, and what is known of it.

        Raises:
            InvalidInput: the name is empty, there is no such role, or it would end at once.
        """
        if role not in ROLES:
            raise InvalidInput(unknown("role", str(role), ROLES))
        if not name.strip() or (expires_days is not None and expires_days <= 0):
            msg = "a key needs a name, and days that are more than 0"
            raise InvalidInput(msg)
        await self._runtime.open()
        now = self._runtime.clock()
        key_id = secrets.token_hex(ID_BYTES)
        secret = f"{PREFIX}_{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        ends = None if expires_days is None else now + timedelta(days=expires_days)
        key = ApiKey(id=key_id, name=name, role=role, scope=scope, created_at=now, expires_at=ends)
        await self._runtime.store.keys.add(key, _digest(secret))
        return secret, key

    async def find(self, secret: str) -> ApiKey | None:
        """Return what is known of a key; None for one that opens nothing.

        Args:
            secret: the key itself.
        """
        parts = secret.split("_", 2)
        if len(parts) != 3 or parts[0] != PREFIX:
            return None
        await self._runtime.open()
        found = await self._runtime.store.keys.find(parts[1])
        if found is None or not hmac.compare_digest(found[1], _digest(secret)):
            return None
        return found[0] if found[0].holds(self._runtime.clock()) else None

    async def list(self) -> Sequence[ApiKey]:
        """Return all keys, the oldest first, also those that open nothing any more."""
        await self._runtime.open()
        return await self._runtime.store.keys.all()

    async def revoke(self, key_id: str) -> None:
        """Take a key back, in all processes at once.

        Raises:
            NotFound: there is no such key, or it is taken back already.
        """
        await self._runtime.open()
        if not await self._runtime.store.keys.end(key_id, revoked_at=self._runtime.clock()):
            raise _missing(key_id)

    async def rotate(self, key_id: str, *, overlap_minutes: float = 0) -> tuple[str, ApiKey]:
        """Make a key that may do the same as another one, which ends.

        Args:
            key_id: of the old one.
            overlap_minutes: the old one goes on for so long, so that its holder can change over.

        Returns:
            As `create`.

        Raises:
            NotFound: there is no such key, or it opens nothing any more.
        """
        await self._runtime.open()
        found = await self._runtime.store.keys.find(key_id)
        now = self._runtime.clock()
        if found is None or not found[0].holds(now):
            raise _missing(key_id)
        old = found[0]
        made = await self.create(old.name, role=old.role, scope=old.scope)
        if overlap_minutes > 0:
            later = now + timedelta(minutes=overlap_minutes)
            ends = later if old.expires_at is None else min(later, old.expires_at)
            await self._runtime.store.keys.end(key_id, expires_at=ends)
        else:
            await self._runtime.store.keys.end(key_id, revoked_at=now)
        return made


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def _missing(key_id: str) -> NotFound:
    msg = f"no key {key_id!r} that opens anything"
    return NotFound(msg, hint="`memu keys list` shows the ids")
