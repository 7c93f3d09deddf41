"""Originals of stored resources, which come and go with them."""

import logging
from collections.abc import Sequence

from memu_py.blobs.store import BlobStore
from memu_py.errors import Conflict, NotFound, StoreError
from memu_py.records.resource import Resource
from memu_py.storage.store import Store

LOGGER = logging.getLogger("memu_py.steps")


async def read_blob(resource: Resource, *, store: Store, blobs: BlobStore) -> bytes:
    """Return the original of a resource as it was when it was read from the store.

    Raises:
        Conflict: it has another one by now, or is gone; read it again.
        NotFound: its original is not where it should be, or was deleted apart from what was found in it.
        StoreError: it cannot be read, or is damaged.
    """
    if resource.status == "gone":
        msg = f"resource {resource.id} has no original any more: {resource.reason}"
        raise NotFound(msg)
    try:
        return await blobs.get(resource.blob)
    except NotFound:
        now = (await store.resources.get(resource.scope.owner, [resource.id])).get(resource.id)
        if now is not None and now.blob == resource.blob:
            raise
    msg = f"the original of resource {resource.id} was replaced or deleted since it was read; read again"
    raise Conflict(msg)


async def drop_blobs(keys: Sequence[str], *, blobs: BlobStore) -> None:
    """Delete originals that nothing uses any more; what cannot be deleted now is left to a sweep."""
    try:
        await blobs.delete(keys)
    except StoreError as error:
        LOGGER.warning("an original that nothing uses could not be deleted: %s", error)
