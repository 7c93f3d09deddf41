"""Pictures that somebody made to do harm, or that broke on the way: an error of ours or a picture, and nothing else."""

import asyncio
import io
import random
from datetime import UTC

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from memu_py.config.images import ImageSettings
from memu_py.config.load import load_settings
from memu_py.errors import InvalidInput, MemuError
from memu_py.modality.media import Look, MediaTools, Seen
from memu_py.modality.raw import Raw
from memu_py.pictures.chat import chat_turns
from memu_py.pictures.layout import blocks
from memu_py.pictures.ocr import Line
from memu_py.pictures.opening import open_picture
from memu_py.pictures.parser import ImageParser
from memu_py.records.locator import Locator

LIMITS = ImageSettings(max_pixels=1_000_000)
FORMS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
HARM = 60
"""Damaged copies of each kind."""


def picture(form: str) -> bytes:
    """A photograph with all that a camera writes; where the form can, with a second frame."""
    exif = Image.Exif()
    exif.update({0x010F: "Canon", 0x0112: 6})
    exif.get_ifd(0x8769).update({0x9003: "2023:05:08 14:03:20", 0x9011: "+02:00"})
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    noise = np.random.default_rng(5).integers(0, 255, (2, 48, 64, 3), dtype=np.uint8)
    first, second = (Image.fromarray(one) for one in noise)
    more = {"save_all": True, "append_images": [second]} if form in ("GIF", "TIFF", "PNG", "WEBP") else {}
    file = io.BytesIO()
    first.save(file, format=form, exif=exif, **more)
    return file.getvalue()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """A copy that is cut, or has some bits flipped, or bytes set to the largest and the smallest number."""
    spoilt = bytearray(data)
    for _ in range(chance.randrange(1, 12)):
        # Half of the harm goes where sizes and offsets stand.
        place = (
            chance.randrange(min(64, len(spoilt))) if chance.random() < 0.5 else chance.randrange(len(spoilt))
        )
        spoilt[place] = chance.choice((0, 255, spoilt[place] ^ (1 << chance.randrange(8))))
    return bytes(spoilt[: chance.randrange(1, len(spoilt))]) if chance.random() < 0.4 else bytes(spoilt)


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_picture_is_opened_or_refused(form: str) -> None:
    whole = picture(form)
    assert open_picture(whole, settings=LIMITS).frames
    chance = random.Random(form)
    for _ in range(HARM):
        try:
            found = open_picture(damaged(whole, chance), settings=LIMITS)
        except InvalidInput:
            continue
        for frame in found.frames:
            assert frame.pixels.dtype == np.uint8
            assert (frame.pixels.ndim, frame.pixels.shape[2]) == (3, 3)
            assert frame.pixels.shape[0] * frame.pixels.shape[1] <= LIMITS.max_pixels


@given(st.sampled_from(FORMS), st.binary(max_size=400))
@settings(max_examples=60, deadline=None)
def test_what_only_begins_as_a_picture_is_refused(form: str, rest: bytes) -> None:
    with pytest.raises(InvalidInput):
        open_picture(picture(form)[:12] + rest, settings=LIMITS)


async def seen(_: Look) -> Seen:
    return Seen(description="Something.")


def test_the_parser_answers_with_a_picture_or_an_error_of_ours() -> None:
    tools = MediaTools(settings=load_settings({"images": {"ocr": "off"}}), vision=seen)
    chance = random.Random(11)

    async def read(data: bytes) -> None:
        try:
            parsed = await ImageParser().read(Raw(data=data), tools=tools)
        except MemuError:
            return
        assert parsed.segments
        assert all(parsed.text[one.start : one.end] == one.text for one in parsed.segments)

    for form in FORMS:
        for _ in range(10):
            asyncio.run(read(damaged(picture(form), chance)))


LINES = st.lists(
    st.builds(
        lambda text, x, y, width, height: Line(text=text, confidence=0.9, box=(x, y, x + width, y + height)),
        st.text(min_size=1, max_size=12).map(str.strip).filter(bool)
        | st.sampled_from(["14:03", "昨天 20:15", "Ann 2:03 PM", "2023-05-08", "Ann"]),
        st.integers(0, 700),
        st.integers(0, 1200),
        st.integers(0, 700),
        st.integers(0, 60),
    ),
    max_size=14,
)


@given(LINES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_lines_anywhere_lose_nothing(lines: list[Line]) -> None:
    def letters(text: str) -> list[str]:
        return sorted(char for char in text if char.isalnum())

    found = blocks(lines, place=Locator())
    assert letters("".join(block.text for block in found)) == letters("".join(line.text for line in lines))
    turns = chat_turns(lines, width=720, height=1280, taken_at=None, zone=UTC)
    assert all(turn.text.strip() for turn in turns)
