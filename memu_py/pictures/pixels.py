"""Pictures as arrays of their pixels, (height, width, 3) of RGB, and back."""

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import ConfigError
from memu_py.modality.media import locked_out

Pixels = NDArray[np.uint8]
"""(height, width, 3), red first."""

JPEG_QUALITY = 88
"""Small letters stay letters."""
DEEP_MODES = ("I", "F")
"""Modes, and beginnings of modes, whose values have no common top."""
SEEN_THROUGH = ("RGBA", "LA", "PA", "RGBa", "La")
THUMB_SIDE = 64
CHANGED_BY = 32
"""A point of a thumbnail that changed by so much of 255 shows something else."""
CHANGED_SHARE = 0.004
"""So much of a thumbnail has to change for another picture."""

Thumb = NDArray[np.int16]


def pillow() -> Any:
    """Return the module `PIL.Image`.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        from PIL import Image  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(locked_out("a picture", "images", ["pillow"])) from error
    return Image


def rgb(image: Any) -> Pixels:
    """Return the pixels of a picture of Pillow's, whatever its mode; what is seen through lies on white."""
    mode: str = image.mode
    if mode.startswith(DEEP_MODES):
        grey = _levelled(np.asarray(image, dtype=np.float64))
        return np.repeat(grey[:, :, None], 3, axis=2)
    if mode in SEEN_THROUGH or "transparency" in image.info:
        image = image.convert("RGBA")
        white = pillow().new("RGBA", image.size, (255, 255, 255, 255))
        white.alpha_composite(image)
        image = white
    return np.array(image.convert("RGB"), dtype=np.uint8)


def _levelled(values: NDArray[np.float64]) -> Pixels:
    """Spread values from the darkest to the brightest one."""
    values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    spread = (values - low) / (high - low) if high > low else np.full_like(values, high > 0)
    return (spread * 255).astype(np.uint8)


def scaled(pixels: Pixels, factor: float) -> Pixels:
    """Return a picture made larger or smaller.

    Args:
        pixels: (h, w, 3).
        factor: 1 changes nothing.
    """
    if factor == 1:
        return pixels
    height, width = pixels.shape[:2]
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    image = pillow()
    return np.array(image.fromarray(pixels).resize(size, image.Resampling.LANCZOS), dtype=np.uint8)


def jpeg(pixels: Pixels, *, max_side: int) -> bytes:
    """Return a picture as a JPEG file, made smaller where it is longer than a model takes.

    Args:
        pixels: (h, w, 3).
        max_side: pixels of its longer side at most.
    """
    smaller = scaled(pixels, min(1.0, max_side / max(pixels.shape[:2])))
    file = io.BytesIO()
    pillow().fromarray(smaller).save(file, format="JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def thumbnail(pixels: Pixels) -> Thumb:
    """Return a small grey picture, to compare with others."""
    image = pillow()
    small = image.fromarray(pixels).resize((THUMB_SIDE, THUMB_SIDE), image.Resampling.BOX).convert("L")
    return np.asarray(small, dtype=np.int16)


def alike(one: Thumb, other: Thumb) -> bool:
    """Tell whether two pictures show nearly the same."""
    return bool(np.mean(np.abs(one - other) >= CHANGED_BY) < CHANGED_SHARE)
