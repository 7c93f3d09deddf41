"""Keys to the server: the contract of where they are kept."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memu_py.records.api_key import ApiKey


class KeyStore(Protocol):
    """Keeps what is known of keys, and never a key."""

    async def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a key.

        Args:
            key: what is known of it; its id is new.
            digest: SHA-256 of the key, 32 bytes.
        """
        ...

    async def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Return a key and its digest; None for an unknown id."""
        ...

    async def all(self) -> Sequence[ApiKey]:
        """Return all keys, the oldest first, also those that open nothing any more."""
        ...

    async def end(
        self, key_id: str, *, revoked_at: datetime | None = None, expires_at: datetime | None = None
    ) -> bool:
        """Take a key back, or have it end at a moment. False when there is none that was not taken back."""
        ...
