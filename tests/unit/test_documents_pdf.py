"""What becomes of a PDF."""

import io
from typing import Any

import pypdf
import pytest
from documents_kit import CHINESE_FONT, drawn, running_head, samples, scanned, set_pdf

from memu_py.documents.formats import FORMATS
from memu_py.documents.pdf_text import joined_lines
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block

LONG = "The orchard was planted by a retired schoolteacher, who kept a careful record of every tree in it. "


def read(data: bytes, **bounds: Any) -> Reading:
    return read_as(FORMATS["pdf"], data, Bounds(**bounds))


def shown(reading: Reading) -> list[tuple[str, int | None, str]]:
    return [(one.kind, one.locator.page, one.text) for one in reading.blocks]


def test_headings_paragraphs_and_tables_have_their_page() -> None:
    reading = read(
        set_pdf(
            [
                [("Title", "House rules"), ("Heading2", "Rent"), ("BodyText", "It is 900 euros a month.")],
                [("Heading2", "Pets"), ("BodyText", LONG * 2), [["Name", "Age"], ["Rex", "4"], ["Ada", "7"]]],
            ]
        )
    )

    assert shown(reading) == [
        ("heading", 1, "House rules"),
        ("heading", 1, "Rent"),
        ("paragraph", 1, "It is 900 euros a month."),
        ("heading", 2, "Pets"),
        ("paragraph", 2, (LONG * 2).strip()),
        ("table", 2, "Name: Rex; Age: 4\nName: Ada; Age: 7"),
    ]
    assert [one.level for one in reading.blocks if one.kind == "heading"] == [1, 2, 2]
    assert (reading.title, reading.heading, reading.warnings) == (None, "House rules", ())


def test_running_heads_stand_once_as_context_and_page_numbers_nowhere() -> None:
    pages = [
        [("Heading1", f"Part {number}"), ("BodyText", f"{LONG}{word}.")]
        for number, word in enumerate("abcd", 1)
    ]

    reading = read(set_pdf(pages, margins=running_head))

    assert [one.text for one in reading.blocks if one.kind == "context"] == ["Acme Handbook"]
    assert [one.text for one in reading.blocks if one.kind == "heading"] == [f"Part {n}" for n in range(1, 5)]
    assert not any("Page" in one.text for one in reading.blocks)
    assert len([one for one in reading.blocks if one.kind == "paragraph"]) == 4


def test_the_heads_of_chapters_and_numbers_that_begin_late_are_no_text() -> None:
    body = "What stands on this page is about {}."
    heads = [
        *(f"Chapter 1: Boats {number}" for number in (1, 2, 3)),
        *(f"{number} Chapter 2: Oars" for number in (4, 5, 6)),
    ]
    pages = [
        ["Contents"],
        ["Preface"],
        *([head, "", body.format(word)] for head, word in zip(heads, "abcdef", strict=True)),
    ]

    reading = read(drawn(pages))

    assert [one.text for one in reading.blocks if one.kind == "context"] == [
        "Chapter 1: Boats 1",
        "4 Chapter 2: Oars",
    ]
    assert [one.text for one in reading.blocks if one.kind != "context"] == [
        "Contents",
        "Preface",
        *(body.format(word) for word in "abcdef"),
    ]


def test_pages_that_hold_nothing_but_a_like_line_keep_it() -> None:
    reading = read(drawn([["Rule number 1"], ["Rule number 2"], ["Rule number 3"]]))

    assert [one.text for one in reading.blocks] == ["Rule number 1", "Rule number 2", "Rule number 3"]


def test_wrapped_lines_are_one_paragraph_and_parted_words_whole() -> None:
    lines = [
        "We walked along the river and it was re-",
        "markable how well-known the old bridge",
        "was. A well-",
        "known man told us.",
    ]

    (block,) = read(drawn([lines])).blocks

    assert block.text == (
        "We walked along the river and it was remarkable how well-known the old bridge was. A well-known man told us."
    )


def test_chinese_lines_are_joined_without_blanks() -> None:
    reading = read(
        drawn([["小美住在杭州，喜欢在周末骑自行车去西湖", "边喝龙井茶，她的猫叫年糕。"]], font=CHINESE_FONT)
    )

    assert [one.text for one in reading.blocks] == [
        "小美住在杭州，喜欢在周末骑自行车去西湖边喝龙井茶，她的猫叫年糕。"
    ]
    assert joined_lines(["我用", "Python", "写程序"]) == "我用 Python 写程序"


def test_a_sentence_that_goes_on_over_the_page_stands_with_its_beginning() -> None:
    reading = read(
        drawn([["The meeting was moved because the room"], ["was flooded. Bring your own chair."]])
    )

    assert shown(reading) == [
        ("paragraph", 1, "The meeting was moved because the room was flooded."),
        ("paragraph", 2, "Bring your own chair."),
    ]


def test_points_are_one_list() -> None:
    reading = read(drawn([["You need:", "• a boat", "• two oars", "1. a map"]]))

    assert shown(reading) == [("paragraph", 1, "You need:"), ("list", 1, "• a boat\n• two oars\n1. a map")]


def test_no_more_pages_are_read_than_allowed_and_that_is_said() -> None:
    reading = read(drawn([["one"], ["two"], ["three"]]), max_pages=2)

    assert [one.text for one in reading.blocks] == ["one", "two"]
    assert reading.warnings == ("only the first 2 of 3 pages are read (documents.max_pages)",)


def test_a_password_is_an_error_and_an_empty_one_is_none() -> None:
    with pytest.raises(InvalidInput, match="locked with a password") as caught:
        read(drawn([["secret"]], encrypt="hunter2"))
    assert caught.value.hint == "save it without one"

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(drawn([["not so secret"]])))
    writer.encrypt(user_password="", owner_password="boss", algorithm="AES-256")
    opened = io.BytesIO()
    writer.write(opened)
    assert read(opened.getvalue()).blocks == (
        Block(text="not so secret", locator=read(drawn([["x"]])).blocks[0].locator),
    )


def test_pages_that_are_pictures_come_back_as_pictures() -> None:
    reading = read(scanned(["Cover", None, None]))

    assert [one.text for one in reading.blocks] == ["Cover"]
    assert [one.page for one in reading.scans] == [2, 3]
    assert all(one.image and one.image.startswith(b"\xff\xd8\xff") for one in reading.scans)
    assert Reading.from_dict(reading.to_dict()) == reading


def test_a_picture_on_a_turned_page_is_made_upright() -> None:
    (scan,) = read(scanned([None], rotate=90)).scans

    assert scan.image is not None
    assert scan.image.startswith(b"\x89PNG")
    width, height = int.from_bytes(scan.image[16:20]), int.from_bytes(scan.image[20:24])
    assert (width, height) == (800, 600)


def test_an_empty_pdf_holds_no_text() -> None:
    with pytest.raises(InvalidInput, match="a PDF document that holds no text"):
        read(drawn([[], []]))


def test_a_damaged_table_of_contents_is_repaired_with_a_warning() -> None:
    data = drawn([["The key is under the mat."]])
    at = data.rindex(b"startxref")

    reading = read(data[:at] + b"startxref\n17\n%%EOF")

    assert [one.text for one in reading.blocks] == ["The key is under the mat."]
    assert reading.warnings == ("the file is damaged, and was read as far as it could be repaired",)


def test_a_pdf_behind_something_else_is_read() -> None:
    assert read(b"HTTP/1.1 200 OK\r\n\r\n" + drawn([["tea"]])).blocks[0].text == "tea"


def test_what_only_begins_like_a_pdf_is_damaged() -> None:
    with pytest.raises(InvalidInput, match="a PDF document cannot be read"):
        read(samples()["pdf"][:300])
