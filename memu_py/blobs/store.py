"""The contract of a store of originals.

A key is made of the partition and the BLAKE3 of the content: equal bytes are kept once in a partition, and no two
partitions share a key, whatever their resources are called.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from memu_py._core import bytes_hash
from memu_py.errors import InvalidInput, NotFound

PARTITION_BYTES = 16
"""Length of `Scope.partition_hash`."""

_KEY = re.compile(r"[0-9a-f]{32}/[0-9a-f]{64}")


class BlobStore(Protocol):
    """Keeps bytes, whole and unaltered."""

    async def put(self, partition_hash: bytes, data: bytes) -> str:
        """Keep bytes; equal bytes of a partition are kept once.

        Args:
            partition_hash: `Scope.partition_hash`, 16 bytes.
            data: any bytes.

        Returns:
            The key they are got by.

        Raises:
            InvalidInput: the partition's hash is not of 16 bytes.
            StoreError: they cannot be written.
        """
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes.

        Raises:
            NotFound: there is no such blob.
            StoreError: they cannot be read, or are not what was written.
        """
        ...

    async def delete(self, keys: Iterable[str], *, written_before: datetime | None = None) -> int:
        """Delete blobs; unknown keys are ignored.

        Args:
            keys: of the blobs.
            written_before: spare what was put at this time or later, again included.

        Returns:
            How many were deleted.

        Raises:
            StoreError: one cannot be deleted.
        """
        ...

    async def keys(self) -> list[str]:
        """Return the keys of all blobs of all partitions, sorted, and of what broken writes left over."""
        ...

    async def close(self) -> None:
        """Let go of everything; idempotent."""
        ...


def blob_key(partition_hash: bytes, data: bytes) -> str:
    """Return the key of some content in a partition.

    Raises:
        InvalidInput: the partition's hash is not of 16 bytes.

    >>> blob_key(bytes(16), b"tea").partition("/")[0]
    '00000000000000000000000000000000'
    """
    if len(partition_hash) != PARTITION_BYTES:
        msg = f"a partition's hash has {PARTITION_BYTES} bytes, not {len(partition_hash)}"
        raise InvalidInput(msg)
    return f"{partition_hash.hex()}/{bytes_hash(data)}"


def is_blob_key(key: str) -> bool:
    """Tell whether a text has the form of a key."""
    return _KEY.fullmatch(key) is not None


def missing_blob(key: str) -> NotFound:
    """Return the error for a blob that is not there."""
    return NotFound(
        f"there is no original under the key {key!r}",
        hint="was the folder of the originals moved, or restored without them? See `blobs.root`",
    )
