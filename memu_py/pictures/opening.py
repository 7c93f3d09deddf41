"""Opening pictures that anybody may have made: bounded, and with errors that a person understands.

The size stands in a file's header, and is looked at before anything is decoded: a few bytes can unpack to gigabytes.
"""

import contextlib
import dataclasses
import io
import threading
import warnings
from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import Any

from memu_py.config.images import ImageSettings
from memu_py.errors import InvalidInput, MemuError
from memu_py.modality.signature import signature
from memu_py.pictures.exif import Exif, orientation, read_exif
from memu_py.pictures.formats import FORMATS, PAGES, Format, format_of
from memu_py.pictures.pixels import Pixels, Thumb, alike, pillow, rgb, thumbnail
from memu_py.records.record import Record

MAX_SCANNED = 400
"""Frames of an animation that are looked at for one that shows something new."""
HELD_PICTURES = 2
"""Frames hold together at most so many times `images.max_pixels`."""
DAMAGED = "is it damaged?"

_ONE_AT_A_TIME = threading.Lock()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Frame(Record):
    """One picture of a file.

    Attributes:
        number: its place, from 1.
        pixels: (h, w, 3) of RGB, upright.
    """

    number: int
    pixels: Pixels


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Picture(Record):
    """A file of one or more pictures, opened.

    Attributes:
        format: what kind it is.
        frames: at least one; of an animation those that show something new, of a TIFF its pages.
        several: whether the file holds more than one.
        exif: what the camera wrote.
        warnings: what was left out.
    """

    format: Format
    frames: tuple[Frame, ...]
    several: bool = False
    exif: Exif = dataclasses.field(default_factory=Exif)
    warnings: tuple[str, ...] = ()


def open_picture(data: bytes, *, settings: ImageSettings, zone: tzinfo = UTC) -> Picture:
    """Read a file. Blocking: call it in a thread.

    Args:
        data: the file.
        settings: its limits.
        zone: of a time of taking without an offset.

    Raises:
        InvalidInput: it is no picture, damaged, or larger than `images.max_pixels`.
        ConfigError: Pillow is not installed.
    """
    kind = format_of(data)
    if kind is None:
        msg = f"this is no picture that is read: it looks like {signature(data) or 'nothing known'}"
        raise InvalidInput(msg, hint=f"read are {_read()}")
    image = pillow()
    with _quietly(image, kind, settings):
        _check_format(image, kind)
        opened = image.open(io.BytesIO(data), formats=[kind.name])
        _check_size(opened, kind, settings)
        exif = read_exif(opened, zone)
        first = Frame(number=1, pixels=_upright(image, opened))
        count = getattr(opened, "n_frames", 1) if kind.frames else 1
        if count <= 1:
            return Picture(format=kind, frames=(first,), exif=exif)
        frames, left_out = _frames(image, opened, first, count, kind, settings)
        return Picture(format=kind, frames=frames, several=True, exif=exif, warnings=left_out)


@contextlib.contextmanager
def _quietly(image: Any, kind: Format, settings: ImageSettings) -> Iterator[None]:
    """Turn whatever Pillow says of a file, or raises, into one of our errors; its decoders raise anything.

    Filters of warnings belong to the process: pictures are opened one after the other.
    """
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"PIL\..*")
        warnings.simplefilter("error", image.DecompressionBombWarning)
        try:
            yield
        except MemuError:
            raise
        except (image.DecompressionBombWarning, image.DecompressionBombError) as error:
            raise _too_large("it", kind, settings) from error
        except MemoryError as error:
            msg = f"this {kind.name} picture takes more memory than there is"
            raise InvalidInput(msg, hint="make it smaller") from error
        except Exception as error:
            msg = f"this {kind.name} picture cannot be read: {str(error)[:200] or type(error).__name__}"
            raise InvalidInput(msg, hint=DAMAGED) from error


def _read() -> str:
    return ", ".join(kind.name for kind in FORMATS.values())


def _check_format(image: Any, kind: Format) -> None:
    image.init()
    if kind.name not in image.OPEN:
        msg = f"the installed Pillow reads no {kind.name} pictures"
        raise InvalidInput(msg, hint="save it as JPEG or PNG")


def _check_size(opened: Any, kind: Format, settings: ImageSettings) -> None:
    width, height = opened.size
    if width < 1 or height < 1:
        msg = f"this {kind.name} picture has no pixels"
        raise InvalidInput(msg, hint=DAMAGED)
    if width * height > settings.max_pixels:
        raise _too_large(f"{width} × {height}", kind, settings)


def _too_large(size: str, kind: Format, settings: ImageSettings) -> InvalidInput:
    msg = f"this {kind.name} picture is too large: {size} is more than {settings.max_pixels} pixels"
    return InvalidInput(msg, hint="make it smaller, or raise `images.max_pixels`")


def _upright(image: Any, opened: Any) -> Pixels:
    """Decode the frame that a picture stands at, and turn it as it was held."""
    opened.load()
    turns = image.Transpose
    # After loading: Pillow has turned a TIFF by itself then.
    method = {
        2: turns.FLIP_LEFT_RIGHT,
        3: turns.ROTATE_180,
        4: turns.FLIP_TOP_BOTTOM,
        5: turns.TRANSPOSE,
        6: turns.ROTATE_270,
        7: turns.TRANSVERSE,
        8: turns.ROTATE_90,
    }.get(orientation(opened))
    return rgb(opened if method is None else opened.transpose(method))


def _frames(
    image: Any, opened: Any, first: Frame, count: int, kind: Format, settings: ImageSettings
) -> tuple[tuple[Frame, ...], tuple[str, ...]]:
    """Return the frames that are read, and what to say of the others."""
    kept = [first]
    shown: Thumb | None = None if kind.frames == PAGES else thumbnail(first.pixels)
    room = HELD_PICTURES * settings.max_pixels - first.pixels[:, :, 0].size
    for place in range(1, min(count, MAX_SCANNED)):
        try:
            opened.seek(place)
            _check_size(opened, kind, settings)
            if len(kept) >= settings.max_frames or opened.size[0] * opened.size[1] > room:
                return tuple(kept), (_left_out(count - place, kind),)
            pixels = _upright(image, opened)
        except MemuError:
            raise
        except Exception as error:
            return tuple(kept), (f"{kind.frames} from {place + 1} on cannot be read: {str(error)[:200]}",)
        if shown is not None and alike(shown, thumb := thumbnail(pixels)):
            continue
        shown = None if shown is None else thumb
        room -= pixels[:, :, 0].size
        kept.append(Frame(number=place + 1, pixels=pixels))
    return tuple(kept), (_left_out(count - MAX_SCANNED, kind),) if count > MAX_SCANNED else ()


def _left_out(count: int, kind: Format) -> str:
    return f"{count} more {kind.frames} were not read; `images.max_frames` says how many are"
