"""When a recording began, by what its file says of itself."""

from collections.abc import Mapping
from datetime import datetime, tzinfo

from memu_py.modality.moment import moment

TIME_KEYS = ("com.apple.quicktime.creationdate", "creation_time")
"""Keys that hold a moment; the first knows its zone, which the second is often wrong about."""
DAY_KEYS = ("date", "origination_date")
"""Keys that hold a day in a broadcast WAV, whose `creation_time` is the time of that day."""
FIRST_YEAR = 1990
"""An earlier one is a clock that was never set."""


def began(tags: Mapping[str, str], zone: tzinfo) -> datetime | None:
    """Return when a recording began, UTC; None where it does not say. A day without a time is none.

    Args:
        tags: of the file, keys in lower case.
        zone: of times that carry none.

    >>> from datetime import UTC
    >>> began({"creation_time": "2024-05-01T10:00:00.000000Z"}, UTC).isoformat()
    '2024-05-01T10:00:00+00:00'
    >>> began({"date": "2024-05-01", "creation_time": "10:00:00"}, UTC).isoformat()
    '2024-05-01T10:00:00+00:00'
    >>> began({"date": "1969"}, UTC) is None
    True
    """
    days = [tags[key] for key in DAY_KEYS if key in tags]
    said = [tags[key] for key in TIME_KEYS if key in tags]
    written = [
        *said,
        *(f"{day}T{time}" for day in days for time in said),
        *(day for day in days if "T" in day),
    ]
    found = (moment(one, zone) for one in written if len(one) > len("2024-05-01"))
    return next((one for one in found if one is not None and one.year >= FIRST_YEAR), None)
