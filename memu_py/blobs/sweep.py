"""Remove originals that no resource uses: left by a crash between writing them and the commit."""

from collections.abc import Callable
from datetime import datetime, timedelta

from memu_py.blobs.store import BlobStore

GRACE = timedelta(hours=24)
"""A blob is written before the transaction that names it commits; a younger one may still be about to be used."""


async def sweep(
    blobs: BlobStore,
    used: set[str],
    *,
    clock: Callable[[], datetime],
    older_than: timedelta = GRACE,
) -> int:
    """Delete blobs that are not used, if they were last put longer ago than a grace time.

    Args:
        blobs: the store of originals.
        used: keys that resources use, read after the clock.
        clock: returns the present moment, aware.
        older_than: the grace time.

    Returns:
        How many were deleted.
    """
    orphans = [key for key in await blobs.keys() if key not in used]
    return await blobs.delete(orphans, written_before=clock() - older_than)
