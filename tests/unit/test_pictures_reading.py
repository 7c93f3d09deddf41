"""What is made of a picture's text and of what a model sees in it."""

import io
from collections.abc import Callable

import pytest
from pictures_kit import column
from PIL import Image

from memu_py.config.load import load_settings
from memu_py.errors import ModelError
from memu_py.modality.media import Look, MediaTools, Seen
from memu_py.pictures.opening import Frame
from memu_py.pictures.pixels import rgb
from memu_py.pictures.reading import Read, read_frame, read_pictures
from memu_py.records.locator import Locator

FRAME = Frame(number=1, pixels=rgb(Image.new("RGB", (80, 40), "white")))
LINES = column(["Budget 4200 euros", "for the lamp"], 10, 10)
PLACE = Locator(start_s=12.0, end_s=15.0)


class Eyes:
    """Says what it is told to, and keeps what it was shown."""

    def __init__(self, *answers: Seen | ModelError) -> None:
        self.shown: list[Look] = []
        self._answers = list(answers)

    async def __call__(self, look: Look) -> Seen:
        self.shown.append(look)
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return answer


def tools(eyes: Eyes | None, check: Callable[[], None] = lambda: None) -> MediaTools:
    return MediaTools(settings=load_settings({"images": {"ocr": "off"}}), vision=eyes, check=check)


def told(read: Read) -> list[tuple[str, str]]:
    return [(block.metadata["block"], block.text) for block in read.blocks]


async def test_a_description_comes_first_then_facts_then_what_is_written() -> None:
    seen = Seen(
        description="A note.",
        facts=("The lamp costs 4200 euros.",) * 2,
        text=("budget 4200 Euros", "(urgent)"),
    )
    eyes = Eyes(seen)
    read = await read_frame(FRAME, LINES, tools=tools(eyes), place=PLACE)
    assert told(read) == [
        ("description", "A note."),
        ("fact", "The lamp costs 4200 euros."),
        ("text", "Budget 4200 euros\nfor the lamp"),
        ("text", "(urgent)"),
    ]
    box = (10, 10, 248, 80)
    assert [block.locator for block in read.blocks] == [PLACE, PLACE, PLACE.evolve(box=box), PLACE]
    assert eyes.shown[0].about == "Budget 4200 euros\nfor the lamp"
    assert (eyes.shown[0].media_type, eyes.shown[0].image[:2]) == ("image/jpeg", b"\xff\xd8")


async def test_what_a_model_is_told_of_the_text_is_bounded() -> None:
    eyes = Eyes(Seen(description="A page."))
    await read_frame(FRAME, column(["many words " * 30] * 60, 10, 10), tools=tools(eyes), place=PLACE)
    assert len(eyes.shown[0].about) == 4000


async def test_a_model_that_fails_costs_no_text_that_was_read() -> None:
    read = await read_frame(FRAME, LINES, tools=tools(Eyes(ModelError("away"))), place=PLACE)
    assert told(read) == [("text", "Budget 4200 euros\nfor the lamp")]
    assert read.warnings == ("only the text was read, since the model failed: away",)
    with pytest.raises(ModelError, match="away"):
        await read_frame(FRAME, (), tools=tools(Eyes(ModelError("away"))), place=PLACE)


def png(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(file, format="PNG")
    return file.getvalue()


async def test_a_run_that_is_to_stop_stops_between_two_pictures() -> None:
    eyes = Eyes(Seen(description="A red wall."), Seen(description="A blue wall."))

    def check() -> None:
        if eyes.shown:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await read_pictures(
            [png("red"), png("blue")], tools=tools(eyes, check), places=[Locator(), Locator()]
        )
    assert len(eyes.shown) == 1


async def test_each_frame_of_a_picture_has_its_number_beside_its_place() -> None:
    file = io.BytesIO()
    pages = [Image.new("RGB", (60, 40), colour) for colour in ("red", "blue")]
    pages[0].save(file, format="TIFF", save_all=True, append_images=pages[1:])
    eyes = Eyes(Seen(description="A red wall."), Seen(description="A blue wall."))
    read = await read_pictures([file.getvalue()], tools=tools(eyes), places=[Locator(page=7)])
    assert [(block.text, block.locator) for block in read.blocks] == [
        ("A red wall.", Locator(page=7, frame=1)),
        ("A blue wall.", Locator(page=7, frame=2)),
    ]
