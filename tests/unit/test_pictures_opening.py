"""Opening pictures: every usual kind, upright, in plain RGB; and within limits, whatever the file says of itself."""

import io
import struct
import sys
import zlib
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from PIL import Image, features
from PIL.PngImagePlugin import PngImageFile

from memu_py.config.images import ImageSettings
from memu_py.errors import ConfigError, InvalidInput
from memu_py.pictures.exif import Exif
from memu_py.pictures.opening import Picture, open_picture
from memu_py.pictures.pixels import jpeg

RED, WHITE = (255, 0, 0), (255, 255, 255)
BERLIN = timezone(timedelta(hours=2))


def saved(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format=form, **options)
    return file.getvalue()


def corner(size: tuple[int, int] = (40, 20), colour: tuple[int, int, int] = RED) -> Image.Image:
    """White, but for a patch in the left top corner."""
    image = Image.new("RGB", size, WHITE)
    image.paste(colour, (0, 0, 10, 10))
    return image


def opened(data: bytes, **settings: Any) -> Picture:
    return open_picture(data, settings=ImageSettings(**settings))


def is_red(picture: Picture, x: int, y: int) -> bool:
    red, green, blue = (int(value) for value in picture.frames[0].pixels[y, x])
    return red > 200 and green < 60 and blue < 60


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF"])
def test_every_usual_kind_is_told_by_its_bytes_and_read(form: str) -> None:
    if form == "AVIF" and not features.check("avif"):
        pytest.skip("this Pillow reads no AVIF")
    picture = opened(saved(corner(), form, quality=95))

    assert (picture.format.name, picture.format.media_type) == (form, f"image/{form.lower()}")
    assert (picture.frames[0].pixels.shape, picture.several) == ((20, 40, 3), False)
    assert is_red(picture, 3, 3)
    assert not is_red(picture, 30, 15)


def exif_of(
    tags: dict[int, Any], own: dict[int, Any] | None = None, gps: dict[int, Any] | None = None
) -> Image.Exif:
    exif = Image.Exif()
    exif.update(tags)
    for folder, values in ((0x8769, own), (0x8825, gps)):
        exif.get_ifd(folder).update(values or {})
    return exif


@pytest.mark.parametrize(
    ("held", "x", "y", "shape"),
    [(1, 3, 3, (20, 40, 3)), (3, 36, 16, (20, 40, 3)), (6, 16, 3, (40, 20, 3)), (8, 3, 36, (40, 20, 3))],
)
@pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_pictures_are_turned_as_the_camera_was_held(
    form: str, held: int, x: int, y: int, shape: tuple[int, int, int]
) -> None:
    picture = opened(saved(corner(), form, exif=exif_of({0x0112: held}), quality=95))

    assert picture.frames[0].pixels.shape == shape
    assert is_red(picture, x, y)


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
def test_colours_for_print_become_those_of_a_screen(form: str) -> None:
    picture = opened(saved(corner().convert("CMYK"), form, quality=95))
    assert is_red(picture, 3, 3)
    assert picture.frames[0].pixels[15, 30].min() > 240


def seen_through(mode: str) -> Image.Image:
    """A patch on nothing at all."""
    image = Image.new("RGBA", (40, 20), (0, 0, 0, 0))
    image.paste((*RED, 255), (0, 0, 10, 10))
    return image if mode == "RGBA" else image.convert("LA")


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_seen_through_lies_on_white(mode: str) -> None:
    pixels = opened(saved(seen_through(mode))).frames[0].pixels
    assert pixels[15, 30].tolist() == [255, 255, 255]
    assert pixels[3, 3].tolist() != [255, 255, 255]


def test_a_palette_with_a_clear_colour_lies_on_white() -> None:
    image = Image.new("P", (40, 20), 1)
    image.putpalette([255, 0, 0, 0, 0, 0])
    image.paste(0, (0, 0, 10, 10))
    picture = opened(saved(image, transparency=1))
    assert is_red(picture, 3, 3)
    assert picture.frames[0].pixels[15, 30].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    ("mode", "dark", "light"), [("1", 0, 1), ("L", 0, 255), ("I;16", 900, 4000), ("F", -2.5, 7.0)]
)
def test_grey_of_any_depth_goes_from_black_to_white(mode: str, dark: float, light: float) -> None:
    values = np.full((20, 40), light)
    values[:10, :10] = dark
    if mode == "1":
        image = Image.fromarray(values.astype(bool))
    else:
        image = Image.fromarray(values.astype({"L": np.uint8, "I;16": np.uint16, "F": np.float32}[mode]))
    assert image.mode == mode
    pixels = opened(saved(image, "TIFF")).frames[0].pixels
    assert pixels[3, 3].tolist() == [0, 0, 0]
    assert pixels[15, 30].tolist() == [255, 255, 255]


# Several in one file


def film(count: int, *, step: int) -> list[Image.Image]:
    """A patch that moves by some pixels from frame to frame."""
    frames = [Image.new("RGB", (200, 100), WHITE) for _ in range(count)]
    for place, frame in enumerate(frames):
        frame.paste(RED, (step * place, 20, step * place + 30, 60))
    return frames


def several(frames: list[Image.Image], form: str) -> bytes:
    more: dict[str, Any] = {} if form == "TIFF" else {"duration": 40}
    return saved(frames[0], form, save_all=True, append_images=frames[1:], **more)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_only_what_shows_something_new_is_read(form: str) -> None:
    still = film(1, step=0) * 3
    moved = film(2, step=120)[1:]
    # A point that changes keeps the encoder from joining equal frames.
    for place, frame in enumerate(frames := [*(one.copy() for one in still), *moved]):
        frame.putpixel((0, 0), (place * 60, 0, 0))
    picture = opened(several(frames, form))
    assert ([frame.number for frame in picture.frames], picture.several) == ([1, 4], True)
    assert picture.warnings == ()


def test_pages_are_all_read_up_to_the_limit_which_is_told() -> None:
    pages = several(film(5, step=1), "TIFF")
    assert [frame.number for frame in opened(pages).frames] == [1, 2, 3, 4, 5]
    picture = opened(pages, max_frames=2)
    assert [frame.number for frame in picture.frames] == [1, 2]
    assert picture.warnings == ("3 more pages were not read; `images.max_frames` says how many are",)


def test_frames_hold_no_more_pixels_than_two_pictures_may() -> None:
    picture = opened(several(film(6, step=33), "GIF"), max_pixels=200 * 100)
    assert len(picture.frames) == 2
    assert "more frames were not read" in picture.warnings[0]


def test_what_follows_a_damaged_page_is_a_warning() -> None:
    pages = several(film(3, step=60), "TIFF")
    picture = opened(pages[: len(pages) - 3000])
    assert 1 <= len(picture.frames) < 3
    assert "cannot be read" in picture.warnings[0]


# Limits


def png_that_says(width: int, height: int) -> bytes:
    """The header of a PNG, and nothing that it promises."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes(100_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(100_000, 100_000), (10_000, 10_000), (9000, 8000)])
def test_a_bomb_is_refused_by_what_its_header_says(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match="too large") as caught:
        opened(png_that_says(*size))
    assert "images.max_pixels" in str(caught.value)


def test_the_limit_is_configured_and_told_with_the_size() -> None:
    with pytest.raises(InvalidInput, match="40 × 20 is more than 799 pixels"):
        opened(saved(corner()), max_pixels=799)
    assert opened(saved(corner()), max_pixels=800).frames


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_a_truncated_picture_is_damaged(form: str) -> None:
    noise = np.random.default_rng(7).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    data = saved(Image.fromarray(noise), form)
    with pytest.raises(InvalidInput, match=f"this {form} picture cannot be read") as caught:
        opened(data[: len(data) // 2])
    assert "damaged" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "looks"),
    [
        (b"", "nothing known"),
        (b"Just words.", "nothing known"),
        (b"%PDF-1.7 ", "a PDF document"),
        (b"BM and more", "nothing"),
    ],
)
def test_what_is_no_picture_is_refused_by_what_it_looks_like(data: bytes, looks: str) -> None:
    with pytest.raises(InvalidInput, match=f"this is no picture that is read: it looks like {looks}"):
        opened(data)


def test_a_kind_that_this_pillow_cannot_read_says_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="reads no HEIF pictures") as caught:
        opened(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(64))
    assert "JPEG" in str(caught.value)


@pytest.mark.parametrize(
    ("error", "says"),
    [(MemoryError(), "more memory than there is"), (KeyError("tag"), "cannot be read: 'tag'")],
)
def test_whatever_a_decoder_raises_is_an_error_of_the_picture(
    error: Exception, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_: Any) -> None:
        raise error

    monkeypatch.setattr(PngImageFile, "load", load)
    with pytest.raises(InvalidInput, match=says):
        opened(saved(corner()))


def test_without_pillow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(corner())
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ConfigError, match=r"memu_py\[images\]"):
        opened(data)


# What the camera wrote


def photograph(
    tags: dict[int, Any] | None = None, own: dict[int, Any] | None = None, gps: dict[int, Any] | None = None
) -> Exif:
    data = saved(corner(), "JPEG", exif=exif_of(tags or {}, own, gps))
    return open_picture(data, settings=ImageSettings(), zone=BERLIN).exif


def test_date_place_and_camera_are_read() -> None:
    exif = photograph(
        {0x010F: "Canon", 0x0110: "Canon EOS R6"},
        {0x9003: "2023:05:08 14:03:20", 0x9011: "+09:00"},
        {1: "N", 2: (35.0, 39.0, 31.5), 3: "W", 4: (139.0, 44.0, 43.2)},
    )
    assert exif.metadata() == {
        "taken_at": "2023-05-08T14:03:20+09:00",
        "latitude": 35.658750,
        "longitude": -139.745333,
        "camera": "Canon EOS R6",
    }


def test_a_date_without_an_offset_is_local() -> None:
    taken_at = photograph(own={0x9003: "2023:05:08 14:03:20"}).taken_at
    assert taken_at is not None
    assert taken_at.astimezone(UTC) == datetime(2023, 5, 8, 12, 3, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("own", "gps"),
    [
        ({0x9003: "0000:00:00 00:00:00"}, {1: "N", 2: (0.0, 0.0, 0.0), 3: "E", 4: (0.0, 0.0, 0.0)}),
        ({0x9003: "last summer"}, {1: "N", 2: (99.0, 0.0, 0.0), 3: "E", 4: (10.0, 0.0, 0.0)}),
        ({0x9003: "    :  :     :  :  "}, {1: "N", 2: (52.0, 0.0, 0.0)}),
        ({0x9003: "0001:01:01 00:00:00", 0x9011: "+14:00"}, {}),
        ({}, {1: "N", 2: (52.0, 31.0), 3: "E", 4: (13.0, 24.0)}),
    ],
)
def test_what_cannot_be_is_left_out(own: dict[int, Any], gps: dict[int, Any]) -> None:
    assert photograph({}, own, gps).metadata() == {}


def test_an_offset_that_is_none_leaves_the_date() -> None:
    exif = photograph({}, {0x9003: "2023:05:08 14:03:20", 0x9011: "soon"})
    assert exif.metadata() == {"taken_at": "2023-05-08T14:03:20+02:00"}


@pytest.mark.parametrize(
    "noise", [b"", b"MM\0*\xff\xff\xff\xff", b"II*\0\x08\0\0\0\xff\xff" + bytes(50), bytes(30)]
)
def test_a_malformed_exif_costs_no_picture(noise: bytes) -> None:
    picture = opened(saved(corner(), "JPEG", quality=95, exif=b"Exif\0\0" + noise))
    assert is_red(picture, 3, 3)
    assert picture.exif == Exif()


def test_a_model_is_shown_a_smaller_jpeg() -> None:
    data = jpeg(np.asarray(corner((400, 100))), max_side=80)
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.size) == ("JPEG", (80, 20))
