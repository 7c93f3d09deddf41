"""When a picture was taken: what is in it was so at that moment, and its relative dates count from it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memu_py.records.resource import Segment
from memu_py.records.span import TimeSpan

TAKEN_AT = "taken_at"
"""Key of a segment's metadata under which the moment stands: ISO 8601 with an offset."""


def taken_at(metadata: Mapping[str, Any]) -> datetime | None:
    """Return the moment that metadata of a segment or an item names, in UTC; None without one.

    >>> taken_at({"taken_at": "2023-05-08T14:03:00+02:00"}).isoformat()
    '2023-05-08T12:03:00+00:00'
    """
    try:
        moment = datetime.fromisoformat(str(metadata.get(TAKEN_AT, "")))
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def taken(segment: Segment) -> TimeSpan | None:
    """Return when what a segment of a picture shows was so; None without a moment, and for turns of a chat.

    A chat went on before somebody took a picture of it: its turns have times of their own, or none.
    """
    moment = None if segment.kind == "turn" else taken_at(segment.metadata)
    if moment is None:
        return None
    return TimeSpan(start=moment, until=moment, precision="instant", words=str(segment.metadata[TAKEN_AT]))
