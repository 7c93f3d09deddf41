"""Pictures that stand on a page of a PDF in place of its text."""

import dataclasses
import io
from collections.abc import Iterator
from typing import Any

import pypdf

from memu_py.documents.figures import MAX_PIXELS, MIN_PIXELS, Room
from memu_py.documents.reading import Scan
from memu_py.records.locator import Locator

MAX_PER_PAGE = 20
"""A page may be scanned in strips."""


@dataclasses.dataclass(slots=True)
class Scanner:
    """Takes pictures out of pages, as long as there is room for them.

    Attributes:
        room: for more.
    """

    room: Room = dataclasses.field(default_factory=Room)

    def scans(self, page: pypdf.PageObject, number: int) -> list[Scan]:
        """Return the pictures of a page that may be of text, one at least; none for a page without any.

        Args:
            page: with little text or none.
            number: from 1.
        """
        keys = large_pictures(page)
        if not keys:
            return []
        place = Locator(page=number)
        images = [image for key in keys[:MAX_PER_PAGE] if (image := self._image(page, key)) is not None]
        return [Scan(place=place, image=one) for one in images] or [Scan(place=place)]

    def _image(self, page: pypdf.PageObject, key: Any) -> bytes | None:
        """A picture as a file; None where it cannot be taken: it is damaged, too much, or Pillow is not there."""
        if self.room.left < 1:
            return None
        try:
            taken = _upright(page.images[key], page.rotation)
        except (MemoryError, RecursionError):
            raise
        except Exception:
            # Decoders of damaged pictures break in any way, and an unread page is told of anyhow.
            return None
        return taken if self.room.takes(taken) else None


def large_pictures(page: pypdf.PageObject) -> list[Any]:
    """Return the names of the pictures of a page that are large enough for text and small enough to unpack."""
    try:
        return list(_keys(page))
    except (MemoryError, RecursionError):
        raise
    except Exception:
        # What stands on a damaged page cannot be told.
        return []


def _keys(page: pypdf.PageObject) -> Iterator[Any]:
    for key in page.images.keys():  # noqa: SIM118 - it is a sequence with keys
        width, height = _size(page, key)
        if MIN_PIXELS <= width * height <= MAX_PIXELS:
            yield key


def _size(page: Any, key: Any) -> tuple[int, int]:
    if isinstance(key, str) and key.startswith("~"):
        return page.images[key].image.size if page.images[key].image else (0, 0)
    found = page
    for name in [key] if isinstance(key, str) else key:
        found = found["/Resources"]["/XObject"][name].get_object()
    return int(found["/Width"]), int(found["/Height"])


def _upright(image: Any, rotation: int) -> bytes:
    if not rotation % 360 or image.image is None:
        return bytes(image.data)
    turned = io.BytesIO()
    image.image.convert("RGB").rotate(-rotation, expand=True).save(turned, format="PNG")
    return turned.getvalue()
