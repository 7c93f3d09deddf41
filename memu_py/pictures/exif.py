"""What a camera wrote into a picture: when and where it was taken, and with what. Any of it may be nonsense."""

import contextlib
import dataclasses
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, TypeVar

from memu_py.modality.encoding import storable
from memu_py.records.record import Record
from memu_py.records.taken import TAKEN_AT

ORIENTATION = 0x0112
MAKE, MODEL = 0x010F, 0x0110
EXIF_FOLDER, GPS_FOLDER = 0x8769, 0x8825
TAKEN, TAKEN_OFFSET = 0x9003, 0x9011
LATITUDE_SIDE, LATITUDE, LONGITUDE_SIDE, LONGITUDE = 1, 2, 3, 4
"""Tags of Exif 2.32."""

DATE_FORM = "%Y:%m:%d %H:%M:%S"
PLACES = 6
"""Decimals of a degree that are kept: a tenth of a metre."""
MAX_NAME_CHARS = 80

R = TypeVar("R")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Exif(Record):
    """What is known of a photograph.

    Attributes:
        taken_at: when it was taken; aware.
        latitude: in degrees, north positive.
        longitude: in degrees, east positive.
        camera: maker and model.
    """

    taken_at: datetime | None = None
    latitude: float | None = None
    longitude: float | None = None
    camera: str | None = None

    def metadata(self) -> dict[str, Any]:
        """Return it as it is kept with segments, without what is not known."""
        given = {
            TAKEN_AT: self.taken_at and self.taken_at.isoformat(),
            "latitude": self.latitude,
            "longitude": self.longitude,
            "camera": self.camera,
        }
        return {name: value for name, value in given.items() if value is not None}


def read_exif(image: Any, zone: tzinfo) -> Exif:
    """Return what a picture of Pillow's tells; malformed values are left out.

    Args:
        image: opened.
        zone: of a time without an offset.
    """
    nothing: Any = {}
    tags = _safe(image.getexif, nothing)
    own = _safe(lambda: tags.get_ifd(EXIF_FOLDER), nothing)
    gps = _safe(lambda: tags.get_ifd(GPS_FOLDER), nothing)
    latitude = _safe(lambda: _degrees(gps, LATITUDE, LATITUDE_SIDE, most=90), None)
    longitude = _safe(lambda: _degrees(gps, LONGITUDE, LONGITUDE_SIDE, most=180), None)
    placed = latitude is not None and longitude is not None and (latitude, longitude) != (0.0, 0.0)
    return Exif(
        taken_at=_safe(lambda: _taken(own, zone), None),
        latitude=latitude if placed else None,
        longitude=longitude if placed else None,
        camera=_safe(lambda: _camera(tags), None),
    )


def orientation(image: Any) -> int:
    """Return how a picture of Pillow's lies: 1 upright, up to 8."""
    found: Any = _safe(lambda: image.getexif().get(ORIENTATION, 1), 1)
    return int(found) if isinstance(found, int) else 1


def _safe(read: Callable[[], R], otherwise: R) -> R:
    """Read a value; what is malformed, in whichever way, is as good as absent."""
    with contextlib.suppress(Exception):
        return read()
    return otherwise


def _taken(tags: Mapping[int, Any], zone: tzinfo) -> datetime | None:
    written = _text(tags.get(TAKEN))
    if not written or written.startswith("0000"):
        return None
    moment = datetime.strptime(written, DATE_FORM)  # noqa: DTZ007 - its zone is another tag
    offset = _safe(lambda: _offset(_text(tags.get(TAKEN_OFFSET))), None)
    aware = moment.replace(tzinfo=offset or zone)
    # A moment that has no place in UTC is no moment.
    aware.astimezone(UTC)
    return aware


def _offset(written: str) -> tzinfo | None:
    offset = datetime.fromisoformat(f"2000-01-01T00:00:00{written}").tzinfo
    return offset if offset and abs(offset.utcoffset(None) or timedelta()) < timedelta(days=1) else None


def _degrees(tags: Mapping[int, Any], tag: int, side: int, *, most: int) -> float | None:
    parts = tags.get(tag)
    if not isinstance(parts, tuple | list) or len(parts) != 3:
        return None
    degrees, minutes, seconds = (float(part) for part in parts)
    size = degrees + minutes / 60 + seconds / 3600
    if not math.isfinite(size) or not 0 <= size <= most:
        return None
    negative = _text(tags.get(side)).upper() in ("S", "W")
    return round(-size if negative else size, PLACES)


def _camera(tags: Mapping[int, Any]) -> str | None:
    make, model = _text(tags.get(MAKE)), _text(tags.get(MODEL))
    # Most models begin with the maker's name.
    named = model if model.casefold().startswith(make.casefold()) else f"{make} {model}"
    return named.strip()[:MAX_NAME_CHARS] or None


def _text(value: Any) -> str:
    words = value.decode("ascii", "replace") if isinstance(value, bytes) else value
    return storable(words.split("\0")[0]).strip() if isinstance(words, str) else ""
