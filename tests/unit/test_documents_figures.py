"""Pictures in documents: what stands in them is read where they stand, and what is not read is told of."""

import io
from collections.abc import Sequence
from typing import Any

import docx
import pytest
from documents_kit import HEIGHT, WIDTH, mail, saved, scanned
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from memu_py.config.settings import Settings
from memu_py.documents.figures import Figures, Room
from memu_py.documents.formats import FORMATS
from memu_py.documents.parser import DocumentParser
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading, Scan
from memu_py.documents.scans import unread
from memu_py.errors import InvalidInput
from memu_py.modality.media import MediaTools
from memu_py.modality.parser import Parsed
from memu_py.modality.raw import Raw
from memu_py.pictures.reading import HOW_TO_READ
from memu_py.records.locator import LOCATOR, Locator

LONG = "The orchard was planted by a retired schoolteacher, who kept a careful record of its trees."


def picture(*lines: str, size: tuple[int, int] = (700, 260), form: str = "PNG") -> bytes:
    image = Image.new("RGB", size, "white")
    for place, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 30 + 60 * place), line, "black", ImageFont.load_default(size=32))
    out = io.BytesIO()
    image.save(out, format=form)
    return out.getvalue()


def page(
    image: bytes,
    lines: Sequence[str],
    *,
    box: tuple[float, float, float, float] = (0, 0, WIDTH, HEIGHT),
    mode: int = 0,
) -> bytes:
    """Return a PDF of one page: a picture in a box, and lines over it, shown or not."""
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.setPageSize((WIDTH, HEIGHT))
    canvas.drawImage(ImageReader(io.BytesIO(image)), *box)
    text = canvas.beginText(72, HEIGHT - 40)
    text.setTextRenderMode(mode)
    for line in lines:
        text.textLine(line)
    canvas.drawText(text)
    canvas.save()
    return out.getvalue()


def reading(form: str, data: bytes) -> Reading:
    return read_as(FORMATS[form], data, Bounds())


async def parsed(data: bytes, *, ocr: str = "auto") -> Parsed:
    settings = Settings.model_validate({"images": {"ocr": ocr}})
    return await DocumentParser().read(Raw(data=data), tools=MediaTools(settings=settings))


def places(found: Parsed) -> list[tuple[str, Any]]:
    return [(one.text, one.metadata.get(LOCATOR)) for one in found.segments]


# PDF


async def test_a_scan_with_a_stamp_is_read_and_what_both_say_is_said_once() -> None:
    scan = picture("Invoice for garden work", "", "", "The gardener is Rosalind", size=(800, 1100))
    lines = ["Scanned with PocketScan.", "", "The gardener is Rosalind."]

    found = await parsed(page(scan, lines))

    assert found.text.split("\n\n") == [
        "Scanned with PocketScan. The gardener is Rosalind.",
        "Invoice for garden work",
    ]
    assert all(Locator.of(one.metadata) for one in found.segments)
    assert {one.metadata[LOCATOR]["page"] for one in found.segments} == {1}


async def test_a_piece_of_a_scan_that_its_text_repeats_is_said_once() -> None:
    scan = picture("Invoice for garden work", "The gardener is Rosalind", size=(800, 1100))

    found = await parsed(page(scan, ["The gardener is Rosalind"]))

    assert found.text == "Invoice for garden work The gardener is Rosalind"


async def test_a_scan_with_a_stamp_is_told_of_where_nothing_reads_it() -> None:
    found = await parsed(page(picture("x", size=(800, 1100)), ["Page 3 of 9"]), ocr="off")

    assert [one.text for one in found.segments] == ["Page 3 of 9"]
    assert found.warnings == (f"page 1 is a picture of text, and nothing here reads it: {HOW_TO_READ}",)


def test_the_text_that_a_program_laid_over_a_scan_is_enough() -> None:
    found = reading("pdf", page(picture("x", size=(800, 1100)), [LONG] * 5, mode=3))

    assert found.blocks[0].text.startswith("The orchard")
    assert (found.scans, found.warnings) == ((), ())


def test_a_large_picture_beside_much_text_is_told_of() -> None:
    for box in ((0, 0, WIDTH, HEIGHT), (0, 0, WIDTH, HEIGHT / 2)):
        found = reading("pdf", page(picture("x"), [LONG] * 5, box=box))
        assert found.scans == ()
        assert found.warnings == ("what large pictures beside the text say is not read, on pages: 1",)


def test_a_small_picture_beside_text_is_an_ornament() -> None:
    found = reading("pdf", page(picture("x"), ["Tea at five."], box=(0, 0, 100, 50)))

    assert (found.scans, found.warnings) == ((), ())


# Word


def letter() -> bytes:
    document = docx.Document()
    document.add_heading("Garden", 1)
    document.add_paragraph("Before the picture.")
    document.add_picture(io.BytesIO(picture("The key hangs by the door")))
    document.add_paragraph("After the picture.")
    document.add_picture(io.BytesIO(picture("x", size=(100, 60))))
    document.add_picture(io.BytesIO(picture("The key hangs by the door")))
    cell = document.add_table(1, 2).cell(0, 1)
    cell.paragraphs[0].add_run().add_picture(io.BytesIO(picture("Second")))
    return saved(document)


def test_pictures_of_a_word_document_are_taken_once_and_ornaments_never() -> None:
    found = reading("docx", letter())

    assert [one.text for one in found.blocks] == [
        "Garden",
        "Before the picture.",
        "",
        "After the picture.",
        "",
    ]
    assert [one.image for one in found.scans] == [picture("The key hangs by the door"), picture("Second")]
    assert Reading.from_dict(found.to_dict()) == found
    assert found.warnings == ()


async def test_a_picture_in_a_word_document_is_read_where_it_stands() -> None:
    found = await parsed(letter())

    assert found.text.split("\n\n") == [
        "Garden",
        "Before the picture.",
        "The key hangs by the door",
        "After the picture.",
        "Second",
    ]
    assert found.segments[1].metadata["section"] == ["Garden"]
    assert set(found.segments[1].metadata[LOCATOR]) == {"box"}


async def test_one_warning_tells_of_pictures_that_nothing_reads() -> None:
    found = await parsed(letter(), ocr="off")

    assert found.warnings == (f"2 pictures in it are not read: {HOW_TO_READ}",)
    document = docx.Document()
    document.add_picture(io.BytesIO(picture("x")))
    with pytest.raises(InvalidInput, match="a Word document that holds no text") as caught:
        await parsed(saved(document), ocr="off")
    assert caught.value.hint == f"a picture in it is not read: {HOW_TO_READ}"


def test_a_picture_that_is_only_named_is_not_fetched_and_told_of() -> None:
    document = docx.Document()
    document.add_paragraph("Tea at five.")
    document.add_picture(io.BytesIO(picture("x")))
    (relation,) = [one for one in document.part.rels.values() if one.reltype.endswith("/image")]
    relation._is_external, relation._target = True, "http://127.0.0.1:9/x.png"

    found = reading("docx", saved(document))

    assert found.scans == ()
    assert found.warnings == ("pictures that are not in it are not fetched: 1",)


def test_drawings_and_damaged_pictures_are_told_of() -> None:
    figures = Figures()
    for image in (b"\x01\x00\x00\x00" + bytes(36) + b" EMF" + bytes(60), picture("x")[:30]):
        assert len(list(figures.block(image, Locator(slide=2)))) == 1
    assert [one.image for one in figures.scans] == [None, None]


def test_there_is_room_for_so_many_pictures() -> None:
    for room in (Room(left=1), Room(bytes_left=len(picture("a")) + 10)):
        figures = Figures(room=room)
        spots = [list(figures.block(picture(one), Locator())) for one in ("a", "b", "c")]
        assert [len(one) for one in spots] == [1, 0, 0]
        assert figures.warnings == ["pictures beyond the first 1 are left out: 2"]


# PowerPoint


def deck() -> bytes:
    shown = Presentation()
    for title, words in (("Plan", ""), ("Numbers", "Sales grew in the north")):
        slide = shown.slides.add_slide(shown.slide_layouts[5])
        slide.shapes.title.text = title
        if words:
            group = slide.shapes.add_group_shape()
            group.shapes.add_picture(io.BytesIO(picture(words)), 0, 0, Inches(4))
            slide.shapes.add_picture(io.BytesIO(picture("x", size=(50, 50))), 0, 0)
            slide.notes_slide.notes_text_frame.text = "Smile."
    return saved(shown)


async def test_a_picture_on_a_slide_is_read_with_its_slide() -> None:
    found = await parsed(deck())

    assert [one.text for one in found.segments] == ["Plan", "Sales grew in the north", "Smile."]
    place = Locator.of(found.segments[1].metadata)
    assert place is not None
    assert (place.slide, place.page) == (2, None)
    assert place.box is not None
    assert found.segments[1].metadata["section"] == ["Numbers"]


async def test_slides_with_pictures_that_nothing_reads_are_named() -> None:
    assert (await parsed(deck(), ocr="off")).warnings == (f"a picture on slide 2 is not read: {HOW_TO_READ}",)


# Mail


async def test_scans_in_what_is_attached_to_a_mail_are_read_there() -> None:
    attached = {
        "a.pdf": (scanned(["The first page.", "!The roof leaks"]), "application/pdf"),
        "b.docx": (letter(), "application/octet-stream"),
    }

    found = await parsed(mail("See below.", attached=attached))

    said = {one.text: dict(one.metadata) for one in found.segments}
    assert list(said)[2:] == [
        "The first page.",
        "The roof leaks",
        "Before the picture.",
        "The key hangs by the door",
        "After the picture.",
        "Second",
    ]
    assert said["The roof leaks"]["attachment"] == "a.pdf"
    assert said["The roof leaks"][LOCATOR]["page"] == 2
    assert said["Second"]["attachment"] == "b.docx"
    assert "scan" not in said["Second"]


async def test_scans_in_what_is_attached_are_told_of_where_nothing_reads_them() -> None:
    attached = {
        "a.pdf": (scanned([None, "text", None]), "application/pdf"),
        "b.docx": (letter(), "application/octet-stream"),
    }

    found = await parsed(mail("See below.", attached=attached), ocr="off")

    assert found.warnings == (
        "a.pdf: pages 1, 3 are pictures of text, and nothing here reads them; "
        f"b.docx: 2 pictures in it are not read: {HOW_TO_READ}",
    )


def test_pictures_of_many_kinds_are_named_together() -> None:
    scans = [Scan(place=Locator(slide=4)), Scan(place=Locator(slide=2)), Scan()]
    assert unread(scans) == "pictures on slides 2, 4 are not read, a picture in it is not read"
