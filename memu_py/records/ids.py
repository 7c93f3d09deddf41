"""Record ids: UUIDv7, so that ids sort by the time they were made."""

import uuid_utils


def new_id() -> str:
    """Return a fresh UUIDv7 in its 36-character form."""
    return str(uuid_utils.uuid7())
