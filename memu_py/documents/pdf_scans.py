"""Pictures that stand on a page of a PDF in place of its text."""

import dataclasses
import io
from collections.abc import Iterator
from typing import Any

import pypdf

from memu_py.documents.reading import Scan

MIN_PIXELS = 40_000
"""Smaller pictures are signs and lines, and no page of text."""
MAX_PIXELS = 100_000_000
MAX_PER_PAGE = 20
"""A page may be scanned in strips."""
MAX_SCANS = 400
MAX_BYTES = 64 * 1024 * 1024


@dataclasses.dataclass(slots=True)
class Scanner:
    """Takes pictures out of pages, as long as there is room for them.

    Attributes:
        bytes_left: that may be taken yet, in all.
        left: pictures that may be taken yet.
    """

    bytes_left: int = MAX_BYTES
    left: int = MAX_SCANS

    def scans(self, page: pypdf.PageObject, number: int) -> list[Scan]:
        """Return the pictures of a page that may be of text, one at least; none for a page without any.

        Args:
            page: without text.
            number: from 1.
        """
        try:
            keys = list(_keys(page))
        except (MemoryError, RecursionError):
            raise
        except Exception:
            # What stands on a damaged page cannot be told.
            return []
        if not keys:
            return []
        images = [image for key in keys[:MAX_PER_PAGE] if (image := self._image(page, key)) is not None]
        return [Scan(page=number, image=one) for one in images] or [Scan(page=number)]

    def _image(self, page: pypdf.PageObject, key: Any) -> bytes | None:
        """A picture as a file; None where it cannot be taken: it is damaged, too much, or Pillow is not there."""
        if self.left < 1:
            return None
        try:
            taken = _upright(page.images[key], page.rotation)
        except (MemoryError, RecursionError):
            raise
        except Exception:
            # Decoders of damaged pictures break in any way, and an unread page is told of anyhow.
            return None
        if len(taken) > self.bytes_left:
            return None
        self.left -= 1
        self.bytes_left -= len(taken)
        return taken


def _keys(page: pypdf.PageObject) -> Iterator[Any]:
    """Yield the names of the pictures that are large enough for text and small enough to unpack."""
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
