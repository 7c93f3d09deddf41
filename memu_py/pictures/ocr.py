"""Reading the text in pictures, with the models that `rapidocr` brings along: Chinese and English, no network."""

import dataclasses
import functools
import importlib.util
import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memu_py.errors import ConfigError, InvalidInput, ModelError
from memu_py.local.thread import on_thread
from memu_py.modality.encoding import storable
from memu_py.modality.media import locked_out
from memu_py.pictures.pixels import Pixels, scaled
from memu_py.records.record import Record

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""

ENGINE = "rapidocr"
MOST_THREADS = 4
WIDEST = 2560
BAND_HEIGHT = 2000
BAND_PIXELS = WIDEST * BAND_HEIGHT
"""What is read at once: the detector works on whole bands, and its memory grows with them."""
LEAST_SIDE = 736
"""Smaller pictures are read larger, as the detector was trained."""
MOST_LARGER = 3.0
TILE = 1000
"""The detector misses a few words in much emptiness: where it finds nothing, it is shown less at a time."""
OVERLAP = 160
"""Pixels that neighbouring bands share: a line that one of them cuts stands whole in the other."""
SAME_SHARE = 0.5
"""Lines of two bands that share so much of the smaller one are the same line."""
MARGIN = 40
GROUND = 24
"""What differs from the colour of its corner by no more than this, of 255, is the ground of a picture."""
LEAST_LETTER = 6
"""Nothing is written in fewer pixels."""

STRIP = 256
"""Rows of a picture that are looked at together."""
PICTURES = "memu-pictures"
"""The thread on which pictures are read, so that those of one user do not take all threads of a service."""

_ONE_AT_A_TIME = threading.Lock()
# The recogniser knows spaces, but seldom sees one between digits.
_GLUED_TIME = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?=\d{1,2}:\d{2})")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Line(Record):
    """A line of text as it was read.

    Attributes:
        text: without white space at its ends.
        confidence: of the engine, in [0, 1].
        box: the upright rectangle around it.
    """

    text: str
    confidence: float
    box: Box

    @property
    def height(self) -> int:
        """Pixels from top to bottom, at least 1."""
        return max(1, self.box[3] - self.box[1])


def has_ocr() -> bool:
    """Tell whether the engine is installed."""
    return importlib.util.find_spec(ENGINE) is not None


async def read_lines(
    pixels: Pixels,
    *,
    min_confidence: float,
    timeout_s: float = math.inf,
    check: Callable[[], None] = lambda: None,
) -> tuple[Line, ...]:
    """Read the text of a picture, from top to bottom; none where there is none.

    A tall picture is read in bands: made smaller to fit the engine, nobody could read it.

    Args:
        pixels: (h, w, 3).
        min_confidence: lines that were read with less are left out.
        timeout_s: how long it may take, in seconds; looked at before each band.
        check: raises when the run is to stop; called before each band.

    Raises:
        InvalidInput: it takes too long.
        ConfigError: the engine is not installed, or brings no models.
        ModelError: it failed.
    """
    until = time.monotonic() + timeout_s
    content = await on_thread(PICTURES, _content, pixels)
    left, top, right, bottom = content
    if min(right - left, bottom - top) < LEAST_LETTER:
        return ()
    factor = _factor(bottom - top, right - left)
    inner = await on_thread(PICTURES, scaled, pixels[top:bottom, left:right], factor)
    found: list[Line] = []
    for area in _areas(inner, BAND_PIXELS, _band_height(inner)):
        check()
        if time.monotonic() > until:
            msg = f"reading the text of a picture took longer than {timeout_s:g} s"
            raise InvalidInput(msg, hint="raise `images.timeout_s`, or make it smaller")
        found = _joined(found, await on_thread(PICTURES, _read_closely, inner, area))
    return tuple(
        _enlarged(line, content, factor) for line in found if line.confidence >= min_confidence and line.text
    )


def _content(pixels: Pixels) -> Box:
    """Return the part of a picture that is not all ground, with a margin; an empty one where everything is."""
    away = np.concatenate(
        [_away(pixels[top : top + STRIP], pixels[0, 0]) for top in range(0, len(pixels), STRIP)]
    )
    rows, columns = np.flatnonzero(away.any(axis=1)), np.flatnonzero(away.any(axis=0))
    if not rows.size:
        return 0, 0, 0, 0
    height, width = away.shape
    left, top = max(0, int(columns[0]) - MARGIN), max(0, int(rows[0]) - MARGIN)
    return left, top, min(width, int(columns[-1]) + MARGIN), min(height, int(rows[-1]) + MARGIN)


def _away(strip: Pixels, ground: Pixels) -> NDArray[np.bool_]:
    """Return (h, w), true where a strip of a picture is not ground; a whole picture would take six times its size."""
    far = np.abs(strip.astype(np.int16) - ground.astype(np.int16)).max(axis=2) > GROUND
    return np.asarray(far, dtype=np.bool_)


def _factor(height: int, width: int) -> float:
    """How much smaller, or larger, a picture is read: a low one may be wide."""
    if width > (widest := max(WIDEST, BAND_PIXELS // height)):
        return widest / width
    room = math.sqrt(BAND_PIXELS / (height * width))
    return max(1.0, min(LEAST_SIDE / min(height, width), room, MOST_LARGER))


def _band_height(pixels: Pixels) -> int:
    return min(BAND_HEIGHT, BAND_PIXELS // int(pixels.shape[1]))


def _areas(pixels: Pixels, width: int, height: int) -> Iterator[Box]:
    """Yield parts of a picture that overlap and cover it, row by row."""
    for top, bottom in _cuts(pixels.shape[0], height):
        for left, right in _cuts(pixels.shape[1], width):
            yield left, top, right, bottom


def _cuts(length: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield spans of one length, the last one ending with the whole."""
    if length <= most:
        yield 0, length
        return
    count = -(-(length - OVERLAP) // (most - OVERLAP))
    for place in range(count):
        start = round(place * (length - most) / (count - 1))
        yield start, start + most


def _read_closely(pixels: Pixels, area: Box) -> list[Line]:
    """Read a part of a picture; where nothing is found, parts of it."""
    left, top, right, bottom = area
    part = pixels[top:bottom, left:right]
    found = _read(part)
    if not found and max(part.shape[:2]) > TILE:
        for tile in _areas(part, TILE, TILE):
            inner = part[tile[1] : tile[3], tile[0] : tile[2]]
            found = _joined(found, [_moved(line, tile[0], tile[1]) for line in _read(inner)])
    return [_moved(line, left, top) for line in found]


def _read(pixels: Pixels) -> list[Line]:
    with _ONE_AT_A_TIME:
        engine = _engine()
        try:
            # Its models were trained on pictures whose channels come blue first.
            found = engine(np.ascontiguousarray(pixels[:, :, ::-1]))
        except Exception as error:  # onnxruntime and OpenCV raise plain exceptions of many kinds
            msg = f"{ENGINE} failed on a picture: {str(error)[-200:] or type(error).__name__}"
            raise ModelError(msg) from error
    if found.txts is None:
        return []
    rows = zip(found.boxes, found.txts, found.scores, strict=True)
    return [
        Line(text=_mended(text), confidence=float(score), box=_box(corners)) for corners, text, score in rows
    ]


def _mended(text: str) -> str:
    return _GLUED_TIME.sub(r"\1 ", storable(text).strip())


def _box(corners: Any) -> Box:
    xs, ys = corners[:, 0], corners[:, 1]
    return int(xs.min()), int(ys.min()), int(np.ceil(xs.max())), int(np.ceil(ys.max()))


def _moved(line: Line, right: int, down: int) -> Line:
    box = line.box
    return line.evolve(box=(box[0] + right, box[1] + down, box[2] + right, box[3] + down))


def _enlarged(line: Line, content: Box, factor: float) -> Line:
    """Return a line whose box lies in the picture itself, and not in what was read of it."""
    left, top, right, bottom = (side / factor for side in line.box)
    box = (
        content[0] + int(left),
        content[1] + int(top),
        min(content[2], content[0] + int(np.ceil(right))),
        min(content[3], content[1] + int(np.ceil(bottom))),
    )
    return line.evolve(box=box)


def _joined(above: Sequence[Line], below: Sequence[Line]) -> list[Line]:
    """Join the lines of two parts: of two that are the same, the larger one was not cut."""
    kept = list(above)
    for line in below:
        same = [place for place, other in enumerate(kept) if _is_same(line, other)]
        if not same:
            kept.append(line)
        elif len(same) == 1 and _size(line.box) > _size(kept[same[0]].box):
            kept[same[0]] = line
    return kept


def _size(box: Box) -> int:
    return max(1, (box[2] - box[0]) * (box[3] - box[1]))


def _is_same(one: Line, other: Line) -> bool:
    width = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    height = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    if width <= 0 or height <= 0:
        return False
    return width * height >= SAME_SHARE * min(_size(one.box), _size(other.box))


@functools.cache
def _engine() -> Any:
    """Return the engine of this process; its models are loaded with the first picture."""
    try:
        import rapidocr  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(locked_out("the text of a picture", "ocr", [ENGINE])) from error
    models = Path(rapidocr.__file__).parent / "models"
    settings = {
        "Global.log_level": "critical",
        # What is too uncertain is left out here, not there.
        "Global.text_score": 0.0,
        # Pictures come in the size that they are read in.
        "Global.max_side_len": BAND_PIXELS,
        "Global.min_side_len": 1,
        "Det.limit_type": "max",
        "Det.limit_side_len": BAND_PIXELS,
        "EngineConfig.onnxruntime.intra_op_num_threads": min(MOST_THREADS, os.cpu_count() or 1),
        # A model that is named by its path is never fetched.
        **{f"{part}.model_path": str(_model(models, word)) for part, word in _PARTS},
    }
    engine = rapidocr.RapidOCR(params=settings)
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    return engine


_PARTS = (("Det", "det"), ("Cls", "cls"), ("Rec", "rec"))


def _model(folder: Path, word: str) -> Path:
    found = sorted(folder.glob(f"*_{word}_*.onnx"))
    if not found:
        msg = f"the installed {ENGINE} brings no model `*_{word}_*.onnx`"
        raise ConfigError(msg, hint='pip install --force-reinstall "memu_py[ocr]"')
    return found[-1]
