"""Which parts of a picture an engine is shown, and how what it finds there is put together."""

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from memu_py.errors import InvalidInput
from memu_py.pictures import ocr
from memu_py.pictures.ocr import Line, read_lines
from memu_py.pictures.pixels import Pixels


class BarEngine:
    """Finds black bars, each a line; in what is larger than it can take, nothing."""

    def __init__(self, takes: int = 10**9) -> None:
        self.shapes: list[tuple[int, int]] = []
        self._takes = takes

    def __call__(self, pixels: Pixels) -> Any:
        height, width = pixels.shape[:2]
        self.shapes.append((height, width))
        if height * width > self._takes:
            return SimpleNamespace(txts=None)
        boxes = [self._box(rows, pixels) for rows in self._bars(pixels)]
        corners = [np.array([[x, y], [r, y], [r, b], [x, b]], dtype=np.float32) for x, y, r, b in boxes]
        texts = tuple(f"bar {box[2] - box[0]}" for box in boxes)
        return SimpleNamespace(boxes=corners, txts=texts or None, scores=(0.9,) * len(boxes))

    def _bars(self, pixels: Pixels) -> list[tuple[int, int]]:
        dark = np.concatenate([[False], (pixels < 40).any(axis=(1, 2)), [False]]).astype(int)
        edges = np.flatnonzero(np.diff(dark))
        return [(int(top), int(bottom)) for top, bottom in zip(edges[::2], edges[1::2], strict=True)]

    def _box(self, rows: tuple[int, int], pixels: Pixels) -> tuple[int, int, int, int]:
        columns = np.flatnonzero((pixels[rows[0] : rows[1]] < 40).any(axis=(0, 2)))
        return int(columns[0]), rows[0], int(columns[-1]) + 1, rows[1]


def bars(height: int, width: int, *tops: int, bar: int = 30, x: int = 60, length: int = 300) -> Pixels:
    pixels = np.full((height, width, 3), 255, dtype=np.uint8)
    for top in tops:
        pixels[top : top + bar, x : x + length] = 0
    return pixels


def found(engine: BarEngine, pixels: Pixels, monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    monkeypatch.setattr(ocr, "_engine", lambda: engine)
    return sorted(asyncio.run(read_lines(pixels, min_confidence=0.5)), key=lambda line: line.box[1])


def test_a_line_that_two_bands_share_is_found_once_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    tops = list(range(20, 5900, 60))
    engine = BarEngine()
    lines = found(engine, bars(6000, 900, *tops, length=800), monkeypatch)
    assert [line.box for line in lines] == [(60, top, 860, top + 30) for top in tops]
    assert len(engine.shapes) > 2
    assert max(height for height, _ in engine.shapes) == ocr.BAND_HEIGHT


def test_where_nothing_is_found_it_is_looked_at_more_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = bars(1900, 1900, 600, x=1000)
    pixels[:8, :8] = 90
    pixels[-8:, -8:] = 90
    engine = BarEngine(takes=ocr.TILE**2)
    (line,) = found(engine, pixels, monkeypatch)
    assert (line.text, line.box) == ("bar 300", (1000, 600, 1300, 630))
    assert engine.shapes[0] == (1900, 1900)
    assert set(engine.shapes[1:]) == {(ocr.TILE, ocr.TILE)}


def test_only_what_is_no_ground_is_shown_and_small_pictures_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = BarEngine()
    (line,) = found(engine, bars(3000, 3000, 2000, x=2000), monkeypatch)
    assert line.box == (2000, 2000, 2300, 2030)
    (shape,) = engine.shapes
    assert shape == (3 * (30 + 2 * ocr.MARGIN - 1), 3 * (300 + 2 * ocr.MARGIN - 1))


def test_nothing_is_asked_about_a_picture_of_one_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = BarEngine()
    assert found(engine, bars(900, 900), monkeypatch) == []
    assert engine.shapes == []


def test_a_run_that_is_to_stop_stops_between_two_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = BarEngine()
    monkeypatch.setattr(ocr, "_engine", lambda: engine)

    def check() -> None:
        if engine.shapes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(read_lines(bars(6000, 900, 20, 5900), min_confidence=0.5, check=check))
    assert len(engine.shapes) == 1


def test_a_day_and_a_clock_that_were_read_as_one_word_are_two() -> None:
    assert ocr._mended(" 2023-05-0814:03\0") == "2023-05-08 14:03\ufffd"
    assert ocr._mended("Order 2023-05-08") == "Order 2023-05-08"


def test_a_picture_that_takes_too_long_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"took longer than 0 s \(raise `images\.timeout_s`"):
        asyncio.run(read_lines(bars(6000, 900, 20, 5900), min_confidence=0.5, timeout_s=0))
