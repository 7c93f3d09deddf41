"""Originals in memory, for the `memory` backend and for tests."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from memu_py.blobs.store import blob_key, missing_blob


def _utc_now() -> datetime:
    return datetime.now(UTC)


class MemoryBlobs:
    """Keeps bytes as long as it is open."""

    def __init__(self, *, clock: Callable[[], datetime] = _utc_now) -> None:
        self._clock = clock
        self._blobs: dict[str, bytes] = {}
        self._written: dict[str, datetime] = {}

    async def put(self, partition_hash: bytes, data: bytes) -> str:
        """Keep bytes; see `BlobStore.put`."""
        key = blob_key(partition_hash, data)
        self._blobs[key] = bytes(data)
        self._written[key] = self._clock()
        return key

    async def get(self, key: str) -> bytes:
        """Return the bytes.

        Raises:
            NotFound: there is no such blob.
        """
        if key not in self._blobs:
            raise missing_blob(key)
        return self._blobs[key]

    async def delete(self, keys: Iterable[str], *, written_before: datetime | None = None) -> int:
        """Delete blobs; see `BlobStore.delete`."""
        return sum(self._delete(key, written_before) for key in list(keys))

    def _delete(self, key: str, written_before: datetime | None) -> bool:
        written = self._written.get(key)
        if written is None or (written_before is not None and written >= written_before):
            return False
        del self._blobs[key], self._written[key]
        return True

    async def keys(self) -> list[str]:
        """Return the keys of all blobs, sorted."""
        return sorted(self._blobs)

    async def close(self) -> None:
        """Forget everything."""
        self._blobs.clear()
        self._written.clear()
