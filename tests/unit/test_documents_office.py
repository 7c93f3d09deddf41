"""What becomes of Word and PowerPoint files."""

import io
import zipfile
from datetime import UTC
from typing import Any

import docx
import pytest
from documents_kit import repacked, samples, saved, slides, word, zipped
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement, parse_xml
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from memu_py.documents.formats import FORMATS
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import InvalidInput

TABLE = [["Name", "Room"], ["Ann", "12"], ["Ben", "7"]]
NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(form: str, data: bytes, **bounds: Any) -> Reading:
    return read_as(FORMATS[form], data, Bounds(**bounds))


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in reading.blocks]


def test_a_word_document_is_read_in_its_own_order() -> None:
    data = word(
        [
            ("Title", "Lease"),
            ("Heading 2", "Deposit"),
            ("Normal", "押金是两个月的房租。"),
            ("List Bullet", "keys"),
            ("List Number", "parking"),
            TABLE,
            ("Normal", "Signed in Oslo."),
        ],
        header="Acme Ltd",
        title="Lease of flat 12",
    )

    reading = read("docx", data)

    assert shown(reading) == [
        ("context", "Acme Ltd"),
        ("heading", "Lease"),
        ("heading", "Deposit"),
        ("paragraph", "押金是两个月的房租。"),
        ("list", "keys\nparking"),
        ("table", "Name: Ann; Room: 12\nName: Ben; Room: 7"),
        ("paragraph", "Signed in Oslo."),
    ]
    assert [one.level for one in reading.blocks if one.kind == "heading"] == [1, 2]
    assert (reading.title, reading.warnings) == ("Lease of flat 12", ())


def test_what_was_inserted_is_read_and_what_was_deleted_is_not() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The rent is ")
    for xml in (
        f'<w:ins {NAMESPACE} w:id="1" w:author="x"><w:r><w:t>900</w:t></w:r></w:ins>',
        f'<w:del {NAMESPACE} w:id="2" w:author="x"><w:r><w:delText>800</w:delText></w:r></w:del>',
        f"<w:sdt {NAMESPACE}><w:sdtContent><w:r><w:t> euros</w:t></w:r></w:sdtContent></w:sdt>",
    ):
        paragraph._p.append(parse_xml(xml))
    body = (
        f"<w:sdt {NAMESPACE}><w:sdtContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    document.element.body.insert(1, parse_xml(body))

    assert shown(read("docx", saved(document))) == [
        ("paragraph", "The rent is 900 euros"),
        ("paragraph", "In a box."),
    ]


def test_merged_cells_stand_in_each_row_and_a_frame_is_no_table() -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    for line, cells in enumerate([["Team", "Name"], ["Red", "Ann"], ["", "Ben"]]):
        for column, cell in enumerate(cells):
            table.cell(line, column).text = cell
    table.cell(1, 0).merge(table.cell(2, 0))
    document.add_table(1, 1).cell(0, 0).text = "Just framed."

    assert shown(read("docx", saved(document))) == [
        ("table", "Team: Red; Name: Ann\nTeam: Red; Name: Ben"),
        ("paragraph", "Just framed."),
    ]


def test_comments_know_who_said_them_and_when() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The deposit is two months.")
    document.add_comment(paragraph.runs, text="Make it one.", author="Bob")

    *_, note = read("docx", saved(document)).blocks

    assert (note.kind, note.text, note.speaker) == ("notes", "Make it one.", "Bob")
    assert note.said_at is not None
    assert note.said_at.tzinfo is UTC or note.said_at.utcoffset() is not None


def test_styles_made_from_headings_are_headings() -> None:
    document = docx.Document()
    style: Any = document.styles.add_style("Chapter of ours", 1)
    style.base_style = document.styles["Heading 3"]
    document.add_paragraph("Pets", style="Chapter of ours")
    outlined = document.add_paragraph("Garden")
    level = OxmlElement("w:outlineLvl")
    level.set(qn("w:val"), "1")
    outlined._p.get_or_add_pPr().append(level)

    reading = read("docx", saved(document))

    assert [(one.kind, one.level) for one in reading.blocks] == [("heading", 3), ("heading", 2)]


def test_a_document_with_macros_is_a_document() -> None:
    data = word([("Normal", "Tea at five.")])
    types = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    with_macros = b"application/vnd.ms-word.document.macroEnabled.main+xml"
    name = "[Content_Types].xml"
    changed = _member(data, name).replace(types, with_macros)

    assert shown(read("docx", repacked(data, {name: changed}))) == [("paragraph", "Tea at five.")]


def test_slides_have_titles_notes_and_numbers() -> None:
    reading = read(
        "pptx",
        slides(
            [
                {"title": "Plan", "lines": ["first", "second"], "notes": "Smile."},
                {"lines": ["Only this."], "table": TABLE},
                {"title": "Secret", "hidden": True},
            ]
        ),
    )

    assert [(one.kind, one.locator.slide, one.text) for one in reading.blocks] == [
        ("heading", 1, "Plan"),
        ("list", 1, "first\nsecond"),
        ("notes", 1, "Smile."),
        ("heading", 2, ""),
        ("paragraph", 2, "Only this."),
        ("table", 2, "Name: Ann; Room: 12\nName: Ben; Room: 7"),
    ]
    assert reading.warnings == ("slide 3 is hidden, and is left out",)


def test_the_values_of_a_chart_are_read() -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["East", "West"]
    data.add_series("Sales", (19.25, 21))
    kind = XL_CHART_TYPE.COLUMN_CLUSTERED
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "In a group."
    slide.shapes.add_chart(kind, 0, 0, Inches(3), Inches(3), data)

    assert shown(read("pptx", saved(deck)))[1:] == [
        ("paragraph", "In a group."),
        ("table", "East; Sales: 19.25\nWest; Sales: 21"),
    ]


def test_no_more_slides_are_read_than_allowed_and_that_is_said() -> None:
    reading = read("pptx", slides([{"title": "one"}, {"title": "two"}]), max_pages=1)

    assert shown(reading) == [("heading", "one")]
    assert reading.warnings == ("only the first 1 of 2 slides are read (documents.max_pages)",)


@pytest.mark.parametrize("form", ["docx", "pptx", "xlsx"])
def test_xml_that_declares_entities_is_refused(form: str) -> None:
    name = {"docx": "word/document.xml", "pptx": "ppt/presentation.xml", "xlsx": "xl/workbook.xml"}[form]
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><x>&a;</x>'
    for evil in (bomb, bomb.decode().encode("utf-16")):
        with pytest.raises(InvalidInput, match=f"{name} in it declares a document type"):
            read(form, repacked(samples()[form], {name: evil}))


@pytest.mark.parametrize("form", ["docx", "pptx", "xlsx", "epub"])
def test_a_bomb_is_refused_before_it_is_unpacked(form: str) -> None:
    bomb = zipped({"x": bytes(3_000_000)}, packed=True)
    assert len(bomb) < 10_000
    data = repacked(samples()[form], {"x.bin": bytes(3_000_000)})

    with pytest.raises(InvalidInput, match=r"holds \d MB unpacked, and at most 1 MB are taken"):
        read(form, data, max_unpacked_mb=1)


def test_parts_that_lie_over_each_other_are_refused() -> None:
    data = bytearray(zipped({"[Content_Types].xml": "a" * 50, "word/document.xml": "b" * 50}))
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)

    with pytest.raises(InvalidInput, match="lie over each other"):
        read("docx", bytes(data))


def test_a_member_that_holds_more_than_it_declares_is_damaged() -> None:
    data = bytearray(zipped({"word/document.xml": bytes(100_000)}, packed=True))
    listed = data.rindex(b"PK\x01\x02")
    data[listed + 24 : listed + 28] = (10).to_bytes(4, "little")

    with pytest.raises(InvalidInput, match="a Word document cannot be read"):
        read("docx", bytes(data))


def test_a_locked_archive_is_an_error() -> None:
    data = bytearray(zipped({"word/document.xml": "x"}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1

    with pytest.raises(InvalidInput, match="locked with a password"):
        read("docx", bytes(data))


def _member(data: bytes, name: str) -> bytes:

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)
