"""Pictures memorized without a model: what is stored, where it stands, and what is found on top."""

import asyncio
import importlib.util
import io
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from drawing_kit import Canvas, chat_screenshot, covers, whiteboard
from PIL import Image
from service_kit import NOW

from memu_py import MemoryService
from memu_py.config.images import ImageSettings
from memu_py.config.load import load_settings
from memu_py.errors import ConfigError, InvalidInput, MemuError, ModelError
from memu_py.modality.media import MediaTools
from memu_py.pictures import ocr
from memu_py.pictures.ocr import Line, read_lines
from memu_py.pictures.opening import open_picture
from memu_py.pictures.reading import read_pictures
from memu_py.records.hit import Hit
from memu_py.records.item import Item
from memu_py.records.locator import Locator
from memu_py.testing.clock import FixedClock

FLOWERS = "I am allergic to lilies"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[MemoryService]:
    """With the bundled embedder, in memory."""
    config: dict[str, Any] = {"database": {"backend": "memory"}, "blobs": {"allowed_roots": [str(tmp_path)]}}
    async with MemoryService(config, clock=FixedClock(NOW)) as opened:
        yield opened


def place(item: Item) -> Locator:
    found = Locator.of(item.metadata)
    assert found is not None
    return found


async def top(service: MemoryService, query: str) -> Item:
    hits: Sequence[Hit[Item]] = (await service.retrieve(query, user="ann")).items
    assert hits
    return hits[0].record


async def test_a_question_about_a_whiteboard_finds_the_words_and_where_they_stand(
    service: MemoryService, tmp_path: Path
) -> None:
    board = whiteboard()
    path = tmp_path / "board.png"
    path.write_bytes(board.saved())
    result = await service.memorize(resource_url=str(path), user="ann")
    assert (result.resource.modality, result.resource.media_type) == ("image", "image/png")
    assert (result.resource.title, result.warnings) == ("board.png", ())

    text = "Budget for the lighthouse lamp is 4200 euros"
    found = await top(service, "How much may the lamp of the lighthouse cost?")
    assert (found.text, found.type, found.happened) == (text, "knowledge", None)
    box = place(found).box
    assert box is not None
    assert covers(box, board.boxes[text])
    assert found.metadata["block"] == "text"
    assert (await top(service, "who orders paint")).text == "Marta orders the green paint"

    again = await service.memorize(resource_url=str(path), user="ann")
    assert (again.unchanged, again.resource.id) == (True, result.resource.id)


async def test_a_receipt_keeps_each_price_with_its_thing(service: MemoryService) -> None:
    receipt = Canvas((700, 600))
    for row, (name, price) in enumerate(
        [("Flat white", "4.50"), ("Croissant", "3.20"), ("Rhubarb cake", "5.10")]
    ):
        receipt.write(name, 60, 100 + 46 * row)
        receipt.write(price, 540, 100 + 46 * row)
    await service.memorize(data=receipt.saved("JPEG", quality=92), user="ann")
    (item,) = await service.list_items(user="ann")
    assert item.text == "Flat white | 4.50\nCroissant | 3.20\nRhubarb cake | 5.10"
    assert item.metadata["block"] == "table"


async def test_a_photograph_knows_when_and_where_it_was_taken(service: MemoryService) -> None:
    exif = Image.Exif()
    exif.update({0x010F: "Canon", 0x0110: "EOS R6"})
    exif.get_ifd(0x8769).update({0x9003: "2023:05:08 14:03:20", 0x9011: "+02:00"})
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    note = Canvas((900, 400))
    note.write("The piano tuner comes tomorrow", 60, 60)
    note.write("Clara gave us the blue vase", 60, 220)
    await service.memorize(data=note.saved("JPEG", quality=92, exif=exif), user="ann")

    vase = await top(service, "the blue vase")
    taken = datetime(2023, 5, 8, 12, 3, 20, tzinfo=UTC)
    assert vase.happened is not None
    assert (vase.happened.start, vase.happened.precision) == (taken, "instant")
    assert vase.metadata["taken_at"] == "2023-05-08T14:03:20+02:00"
    assert (vase.metadata["latitude"], vase.metadata["longitude"]) == (52.52, 13.405)
    assert vase.metadata["camera"] == "Canon EOS R6"
    # A date in the text is the text's own, and counts from the day of the picture.
    tuner = await top(service, "when does the piano tuner come")
    assert tuner.happened is not None
    assert (tuner.happened.start.date(), tuner.happened.precision) == (
        datetime(2023, 5, 9, tzinfo=UTC).date(),
        "day",
    )


async def test_a_screenshot_of_a_chat_becomes_its_turns(service: MemoryService) -> None:
    screen = chat_screenshot()
    result = await service.memorize(data=screen.saved(), user="ann")
    page = await service.list_segments(result.resource.id, user="ann")
    assert [(one.kind, one.speaker, one.role, one.text) for one in page] == [
        ("turn", "Lena Hale", "user", "Are you free on Saturday for the violin concert?"),
        ("turn", None, "user", "Yes, I bought two tickets in the third row"),
        ("turn", "Lena Hale", "user", "My sister Clara comes too"),
        ("turn", None, "user", FLOWERS),
    ]
    said_at = datetime(2023, 5, 8, 14, 3, tzinfo=UTC)
    assert {one.said_at for one in page} == {said_at}
    found = await top(service, "which flowers am I allergic to")
    assert (found.text, found.said_at, found.speaker) == (FLOWERS, said_at, None)
    box = place(found).box
    assert box is not None
    assert covers(box, screen.boxes[FLOWERS])


async def test_a_screenshot_may_be_read_as_plain_text() -> None:
    config = {"database": {"backend": "memory"}, "images": {"chat": False}}
    async with MemoryService(config) as service:
        result = await service.memorize(data=chat_screenshot().saved(), user="ann")
        assert {one.kind for one in await service.list_segments(result.resource.id, user="ann")} <= {
            "paragraph",
            "sentences",
        }
        assert (await top(service, "lilies")).text == FLOWERS


async def test_pages_of_a_tiff_are_read_one_by_one(service: MemoryService) -> None:
    first, second = Canvas((700, 300)), Canvas((700, 300))
    first.write("The boiler was serviced in March", 40, 100)
    second.write("The roof needs new slates", 40, 100)
    data = first.saved("TIFF", save_all=True, append_images=[second.image])
    await service.memorize(data=data, user="ann")
    assert place(await top(service, "roof slates")).frame == 2
    assert place(await top(service, "boiler service")).frame == 1


def lines_of(canvas: Canvas, **settings: Any) -> tuple[Line, ...]:
    picture = open_picture(canvas.saved(), settings=ImageSettings())
    return asyncio.run(
        read_lines(picture.frames[0].pixels, min_confidence=settings.get("min_confidence", 0.5))
    )


@pytest.mark.slow
def test_a_tall_screenshot_is_read_to_its_end_and_nothing_twice() -> None:
    tall = Canvas((1080, 3600))
    wanted = [f"Message {place} of a very long chat" for place in range(36)]
    for row, text in enumerate(wanted):
        tall.write(text, 60, 30 + 100 * row)
    lines = lines_of(tall)
    assert [line.text for line in sorted(lines, key=lambda one: one.box[1])] == wanted
    assert all(covers(line.box, tall.boxes[line.text], slack=16) for line in lines)


def test_small_words_in_much_emptiness_are_found_with_their_place() -> None:
    wide = Canvas((3840, 1000))
    wide.write("a tiny remark in the corner", 3000, 700, size=18)
    (line,) = lines_of(wide)
    assert line.text == "a tiny remark in the corner"
    assert covers(line.box, wide.boxes[line.text], slack=16)
    assert lines_of(wide, min_confidence=1.0) == ()


def test_a_picture_that_is_wider_than_the_engine_takes_is_read_smaller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ocr, "WIDEST", 800)
    monkeypatch.setattr(ocr, "BAND_PIXELS", 400_000)
    banner = Canvas((1600, 500))
    texts = [f"Harbour festival, day {row + 1}" for row in range(3)]
    for row, text in enumerate(texts):
        banner.write(text, 60, 60 + 140 * row, size=60)
    banner.write("Pier", 1400, 420, size=50)
    boxes = {line.text: line.box for line in lines_of(banner)}
    assert all(covers(boxes[text], banner.boxes[text], slack=24) for text in texts)


def test_an_engine_that_breaks_is_a_model_that_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"brings no model `\*_det_\*\.onnx`"):
        ocr._model(tmp_path, "det")

    def breaks(_: Any) -> None:
        msg = "no memory"
        raise RuntimeError(msg)

    monkeypatch.setattr(ocr, "_engine", lambda: breaks)
    with pytest.raises(ModelError, match="rapidocr failed on a picture: no memory"):
        lines_of(whiteboard())
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr._engine.cache_clear()
    with pytest.raises(ConfigError, match=r"memu_py\[ocr\]"):
        lines_of(whiteboard())


def test_the_engine_fetches_nothing_and_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any) -> None:
        pytest.fail("the engine asks the network")

    ocr._engine.cache_clear()
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    small = Canvas((400, 120))
    small.write("Keep dry and cool", 40, 40)
    assert [line.text for line in lines_of(small)] == ["Keep dry and cool"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (20, 20)])
def test_there_is_nothing_to_read_in_hardly_any_pixels(size: tuple[int, int]) -> None:
    canvas = Canvas(size)
    canvas.image.putpixel((0, 0), (0, 0, 0))
    assert lines_of(canvas) == ()


# Parts of something else


def tools(**images: Any) -> MediaTools:
    return MediaTools(settings=load_settings({"images": images}))


async def test_pictures_of_a_document_are_read_in_order_each_in_its_place() -> None:
    one, other = Canvas((700, 200)), Canvas((700, 200))
    one.write("Article one: the garden", 40, 60)
    other.write("Article two: the harbour", 40, 60)
    done: list[tuple[int, int | None]] = []
    checks: list[int] = []
    with_ears = tools().evolve(
        report=lambda at, count, _: done.append((at, count)), check=lambda: checks.append(len(done))
    )
    images = [one.saved(), b"\x89PNG\r\n\x1a\n broken", Canvas((80, 80)).saved(), other.saved()]
    places = [Locator(page=page) for page in (1, 2, 3, 4)]
    read = await read_pictures(images, tools=with_ears, places=places)
    assert [(block.text, block.locator.page) for block in read.blocks] == [
        ("Article one: the garden", 1),
        ("Article two: the harbour", 4),
    ]
    assert covers(read.blocks[1].locator.box or (), other.boxes["Article two: the harbour"])
    damaged, empty = read.warnings
    assert damaged.startswith("page 2: this PNG picture cannot be read")
    assert empty == "nothing was read in 1 of 4 pictures"
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert {0, 1, 2, 3} <= set(checks)


async def test_where_nothing_reads_pictures_it_is_said_what_would() -> None:
    read = await read_pictures([Canvas().saved()] * 2, tools=tools(ocr="off"), places=[Locator(), Locator()])
    assert read.blocks == ()
    (warning,) = read.warnings
    assert "memu_py[ocr]" in warning
    assert "images.profile" in warning
    assert (await read_pictures([], tools=tools(ocr="off"), places=[])).warnings == ()


# What is refused, and leaves nothing behind


async def refused(service: MemoryService, data: bytes, error: type[MemuError] = InvalidInput) -> str:
    with pytest.raises(error) as caught:
        await service.memorize(data=data, user="ann")
    assert len(await service.list_resources(user="ann")) == 0
    assert len(await service.list_items(user="ann")) == 0
    return str(caught.value)


async def test_a_picture_without_words_is_no_empty_memory(service: MemoryService) -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0x9003: "2023:05:08 14:03:20"})
    said = await refused(service, Canvas((300, 200), "#335577").saved("JPEG", exif=exif))
    assert "nothing was read in this picture" in said
    assert "images.profile" in said


async def test_damaged_and_dangerous_pictures_are_refused(service: MemoryService) -> None:
    data = whiteboard().saved()
    assert "cannot be read" in await refused(service, data[: len(data) // 2])
    header = data[:16] + (100_000).to_bytes(4, "big") * 2 + data[24:]
    assert "cannot be read" in await refused(service, header)
    assert "no content" in await refused(service, b"")


async def test_a_wrong_name_changes_nothing(service: MemoryService, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(whiteboard().saved("JPEG"))
    result = await service.memorize(resource_url=str(path), user="ann")
    assert (result.resource.modality, result.resource.media_type) == ("image", "image/jpeg")
    words = tmp_path / "photo.jpg"
    words.write_text("Ann keeps bees.")
    assert (await service.memorize(resource_url=str(words), user="ann")).resource.modality == "text"


async def test_what_is_said_to_be_an_image_and_is_none_is_refused(service: MemoryService) -> None:
    with pytest.raises(InvalidInput, match="no picture that is read: it looks like a PDF document"):
        await service.memorize(data=b"%PDF-1.7\n", modality="image", user="ann")


async def test_without_an_engine_or_a_model_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async with MemoryService({"database": {"backend": "memory"}, "images": {"ocr": "off"}}) as service:
        said = await refused(service, whiteboard().saved(), ConfigError)
        assert "memu_py[ocr]" in said
        assert "images.profile" in said
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "rapidocr" else found(name))
    async with MemoryService({"database": {"backend": "memory"}}) as service:
        assert "memu_py[ocr]" in await refused(service, whiteboard().saved(), ConfigError)


async def test_an_animation_is_read_once_and_not_frame_by_frame(service: MemoryService) -> None:
    sign = Canvas((600, 200))
    sign.write("Ferry leaves from pier nine", 40, 80)
    frames = [sign.image.copy() for _ in range(5)]
    for place_, frame in enumerate(frames):
        frame.putpixel((0, 0), (40 * place_, 0, 0))
    file = io.BytesIO()
    frames[0].save(file, format="GIF", save_all=True, append_images=frames[1:], duration=50)
    await service.memorize(data=file.getvalue(), user="ann")
    (item,) = await service.list_items(user="ann")
    assert (item.text, place(item).frame) == ("Ferry leaves from pier nine", 1)


@pytest.mark.media
async def test_a_chinese_chat_becomes_its_turns(service: MemoryService) -> None:
    screen = Canvas((720, 1280), "#ededed")
    screen.centred("张伟", 58, size=28, chinese=True)
    screen.centred("2023年5月8日 下午2:03", 146, chinese=True)
    y = screen.bubble("left", "下周三在海淀图书馆\n开会，记得带护照", 190, chinese=True)
    y = screen.bubble("right", "好的，我已经买了高铁票", y, chinese=True)
    y = screen.bubble("left", "太好了", y, chinese=True)
    screen.bubble("right", "我对花生过敏，别点宫保鸡丁", y, chinese=True)
    await service.memorize(data=screen.saved(), user="ann")
    found = await top(service, "我对什么食物过敏？")
    assert (found.text, found.speaker) == ("我对花生过敏，别点宫保鸡丁", None)
    assert found.said_at == datetime(2023, 5, 8, 14, 3, tzinfo=UTC)
    meeting = await top(service, "在哪里开会")
    assert (meeting.speaker, "海淀图书馆" in meeting.text) == ("张伟", True)
    assert meeting.happened is not None
    assert meeting.happened.start.date() == datetime(2023, 5, 17, tzinfo=UTC).date()
