"""Which pictures are read, told by their first bytes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from memu_py.modality.signature import signature


class Format(NamedTuple):
    """A kind of picture.

    Attributes:
        name: Pillow's name of it.
        media_type: such as `image/png`.
        frames: what its further pictures are: moments of an animation, or pages; None where only the first is one.
    """

    name: str
    media_type: str
    frames: str | None = None


MOMENTS, PAGES = "frames", "pages"

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "a PNG image": Format("PNG", "image/png", MOMENTS),
        "a JPEG image": Format("JPEG", "image/jpeg"),
        "a GIF image": Format("GIF", "image/gif", MOMENTS),
        "a WebP image": Format("WEBP", "image/webp", MOMENTS),
        "a BMP image": Format("BMP", "image/bmp"),
        "a TIFF image": Format("TIFF", "image/tiff", PAGES),
        "an AVIF image": Format("AVIF", "image/avif", MOMENTS),
        "a HEIC image": Format("HEIF", "image/heic"),
    }
)
"""By what `signature` calls them."""


def format_of(data: bytes) -> Format | None:
    """Return the kind of picture that bytes begin as; None for anything else.

    >>> format_of(b"GIF89a").media_type
    'image/gif'
    >>> format_of(b"%PDF-1.7") is None
    True
    """
    return FORMATS.get(signature(data) or "")
