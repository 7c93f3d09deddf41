"""Originals from one store into another."""

from collections.abc import Callable, Iterable

from memu_py.blobs.store import BlobStore, is_blob_key
from memu_py.errors import NotFound


async def copy_blobs(
    source: BlobStore,
    target: BlobStore,
    keys: Iterable[str],
    *,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[str]:
    """Copy originals that are not there yet, each checked against the hash in its key.

    Args:
        source: where they are.
        target: where to.
        keys: of those that are wanted.
        progress: told after each how many are there, and how many there will be.

    Returns:
        The keys of those that the source has not.

    Raises:
        StoreError: one cannot be read or written, or is not what was written.
    """
    present = set(await target.keys())
    wanted = [key for key in keys if is_blob_key(key)]
    lost: list[str] = []
    for done, key in enumerate(wanted, start=1):
        if key not in present and not await _copied(source, target, key):
            lost.append(key)
        progress(done, len(wanted))
    return lost


async def _copied(source: BlobStore, target: BlobStore, key: str) -> bool:
    try:
        data = await source.get(key)
    except NotFound:
        return False
    await target.put(bytes.fromhex(key.partition("/")[0]), data)
    return True
