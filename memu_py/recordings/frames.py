"""Key frames of a video: one picture of each scene, few of them, spread over the whole."""

import dataclasses
import io
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import ConfigError
from memu_py.modality.media import Check, locked_out
from memu_py.records.record import Record
from memu_py.transcription.container import Decoding, opened, picture_track

Thumbnail = NDArray[np.int16]

CELLS = (32, 18)
"""A picture is compared as a grid of so many cells."""
CELL_CHANGE = 20
"""A cell has changed when its brightness did by so much, of 255."""
LEAST_SHARE = 0.1
"""What stands out counts as so much of the picture at least: a pointer that moves is no new scene."""
LOOK_S = 0.25
"""Pictures nearer to the last one looked at are passed over."""
SPARE = 2
"""So many times the wanted frames are held at most before some are let go."""
JPEG_QUALITY = 85


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Frame(Record):
    """A picture of a video.

    Attributes:
        image: a JPEG, upright.
        at_s: second at which it is shown.
    """

    image: bytes
    at_s: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Selection(Record):
    """Which pictures are wanted.

    Attributes:
        max_frames: at most.
        scene_change: share of what stands out that must have changed, in (0, 1].
        min_gap_s: seconds between two at least.
        max_side: longer ones are made smaller, in pixels.
        max_pixels: larger ones are not decoded.
        between: pictures that are not stored whole are decoded too, which takes long.
    """

    max_frames: int
    scene_change: float
    min_gap_s: float
    max_side: int
    max_pixels: int
    between: bool = False


def key_frames(
    data: bytes, wanted: Selection, *, name: str, check: Check
) -> tuple[list[Frame], tuple[str, ...]]:
    """Return key frames in order of time, and what went wrong. Blocking.

    Args:
        data: a video.
        wanted: which.
        name: of the video, for messages.
        check: called between two pictures.

    Raises:
        InvalidInput: it is damaged at its beginning.
        ConfigError: what reads it is not installed.
    """
    _require_pillow()
    with opened(data, name=name) as file:
        track = picture_track(file)
        if track is None or not wanted.max_frames:
            return [], ()
        track.codec_context.options = {"max_pixels": str(wanted.max_pixels)}
        track.codec_context.skip_frame = "NONREF" if wanted.between else "NONKEY"
        decoding = Decoding(file, track)
        found = _selected(decoding, wanted, (file.start_time or 0) / 1_000_000, check)
        damaged = decoding.damaged
    warnings = []
    if damaged and found:
        warnings.append(f"its pictures are damaged: {damaged} pieces were left out")
    elif not found:
        warnings.append("none of its pictures can be decoded")
    return found, tuple(warnings)


def _require_pillow() -> None:
    try:
        import PIL.Image  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(locked_out("the pictures of a video", "video", ["pillow"])) from error


def _selected(decoding: Decoding, wanted: Selection, begins: float, check: Check) -> list[Frame]:
    kept: list[Frame] = []
    last: Thumbnail | None = None
    for frame, at in _looked_at(decoding, begins):
        check()
        if kept and at - kept[-1].at_s < wanted.min_gap_s:
            continue
        seen = _thumbnail(frame)
        if last is None or _changed(last, seen) >= wanted.scene_change:
            kept.append(Frame(image=_jpeg(frame, wanted.max_side), at_s=round(at, 2)))
            last = seen
            if len(kept) > SPARE * wanted.max_frames:
                kept = thinned(kept, wanted.max_frames * SPARE)
    return thinned(kept, wanted.max_frames)


def _looked_at(decoding: Decoding, begins: float) -> Iterator[tuple[Any, float]]:
    last = -LOOK_S
    for frame in decoding.frames():
        at = max(0.0, (frame.time or 0.0) - begins)
        if at - last >= LOOK_S and not frame.is_corrupt:
            last = at
            yield frame, at


def thinned(frames: list[Frame], most: int) -> list[Frame]:
    """Return at most so many frames: those nearest to the one before them go; the first stays.

    >>> [one.at_s for one in thinned([Frame(image=b"", at_s=at) for at in (0.0, 9.0, 10.0, 20.0)], 3)]
    [0.0, 9.0, 20.0]
    """
    left = list(frames)
    while len(left) > max(most, 1):
        gaps = [after.at_s - before.at_s for before, after in itertools.pairwise(left)]
        del left[gaps.index(min(gaps)) + 1]
    return left


def _thumbnail(frame: Any) -> Thumbnail:
    width, height = CELLS
    small = frame.reformat(width=width, height=height, format="gray", interpolation="AREA")
    cells: Thumbnail = small.to_ndarray().astype(np.int16)
    return cells


def _changed(before: Thumbnail, after: Thumbnail) -> float:
    """Return how much of what stands out in either picture has changed, in [0, 1].

    Of all cells, a slide with another text on the same ground has changed little.
    """
    stands_out = (_contrast(before) > CELL_CHANGE) | (_contrast(after) > CELL_CHANGE)
    changed = np.abs(after - before) > CELL_CHANGE
    return float(changed.sum() / max(stands_out.sum(), changed.sum(), before.size * LEAST_SHARE))


def _contrast(cells: Thumbnail) -> Thumbnail:
    difference: Thumbnail = np.abs(cells - np.median(cells)).astype(np.int16)
    return difference


def _jpeg(frame: Any, max_side: int) -> bytes:
    image = frame.to_image()
    if frame.rotation:
        image = image.rotate(frame.rotation, expand=True)
    image.thumbnail((max_side, max_side))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
