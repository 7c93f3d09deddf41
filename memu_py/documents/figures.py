"""Pictures in office files, each taken once, as long as there is room for them."""

import dataclasses
import hashlib
import io
from collections.abc import Iterator

from memu_py.documents.reading import Scan, spot
from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator

MIN_PIXELS = 40_000
"""Smaller pictures are signs, lines and ornaments, and hold no text worth reading."""
MAX_PIXELS = 100_000_000
MAX_SCANS = 400
MAX_BYTES = 64 * 1024 * 1024
NO_PIXELS = frozenset({"EMF", "WMF", "EPS"})
"""Drawings, which need the program that drew them."""


@dataclasses.dataclass(slots=True)
class Room:
    """How many pictures of a document are taken yet.

    Attributes:
        left: pictures.
        bytes_left: their bytes, in all.
    """

    left: int = MAX_SCANS
    bytes_left: int = MAX_BYTES

    def takes(self, image: bytes) -> bool:
        """Tell whether there is room for a picture, and keep it."""
        if self.left < 1 or len(image) > self.bytes_left:
            return False
        self.left -= 1
        self.bytes_left -= len(image)
        return True


@dataclasses.dataclass(slots=True)
class Figures:
    """Takes the pictures of one document.

    Attributes:
        scans: taken so far.
        room: for more.
        left_out: how many there was no room for.
        linked: how many are not in the file, but named by an address.
    """

    scans: list[Scan] = dataclasses.field(default_factory=list)
    room: Room = dataclasses.field(default_factory=Room)
    left_out: int = 0
    linked: int = 0
    _seen: set[bytes] = dataclasses.field(default_factory=set)

    def block(self, image: bytes, place: Locator) -> Iterator[Block]:
        """Yield the block in whose place stands what a picture says; none for an ornament, or for one seen before."""
        mark = hashlib.sha256(image).digest()
        if mark in self._seen:
            return
        self._seen.add(mark)
        size = _size(image)
        if size is not None and size[0] * size[1] < MIN_PIXELS:
            return
        is_read = size is not None and size[0] * size[1] <= MAX_PIXELS
        if is_read and not self.room.takes(image):
            self.left_out += 1
            return
        yield spot(len(self.scans), place)
        self.scans.append(Scan(place=place, image=image if is_read else None))

    @property
    def warnings(self) -> list[str]:
        """What was left out."""
        said = []
        if self.left_out:
            said.append(f"pictures beyond the first {len(self.scans)} are left out: {self.left_out}")
        if self.linked:
            said.append(f"pictures that are not in it are not fetched: {self.linked}")
        return said


def _size(image: bytes) -> tuple[int, int] | None:
    """Width and height as the head of a picture says; None where it has a form that is not known."""
    from PIL import Image  # noqa: PLC0415 - an extra

    try:
        with Image.open(io.BytesIO(image)) as opened:
            return None if opened.format in NO_PIXELS else opened.size
    except (MemoryError, RecursionError):
        raise
    except Exception:
        # Decoders of damaged pictures break in any way, and what was not read is told of.
        return None
