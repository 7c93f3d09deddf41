"""Which format a document has, told by its bytes."""

from typing import Any

import pytest
from documents_kit import CONTAINER, samples, zipped

from memu_py.documents.formats import format_of
from memu_py.documents.parser import DOCUMENT
from memu_py.errors import UnsupportedModality
from memu_py.modality.detect import detect
from memu_py.modality.packed import members
from memu_py.modality.raw import Raw
from memu_py.steps.builtin import BUILTIN_PARSERS

TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


def modality(data: bytes | str, name: str | None = None, **known: Any) -> str:
    content = data.encode() if isinstance(data, str) else data
    return detect(Raw(data=content, name=name, **known), parsers=BUILTIN_PARSERS)


def test_every_format_is_told_by_its_bytes_and_not_by_its_name() -> None:
    for form, data in samples().items():
        assert modality(data, name="notes.txt") == DOCUMENT, form
        text = None if data[:2] == b"PK" or form == "pdf" else data.decode()
        assert format_of(Raw(data=data), text) == form


@pytest.mark.parametrize(
    "content",
    [
        "a,b\nc,d",
        "Roses are red, violets are blue,\nsugar is sweet, and so are you",
        "Ann: hi, you\nBob: hello, you",
        "08/05/2023, 13:56 - Ann: hi\n08/05/2023, 13:57 - Bob: yo\n08/05/2023, 13:58 - Ann: ok",
        "2024-01-01 10:00:00,123 start\n2024-01-01 10:00:01,456 middle\n2024-01-01 10:00:02,789 end",
        "Dear Ann, thank you.\nDear Ben, thank you.\nDear Cem, thank you.",
        '{"a": 1, "b": 2}\n{"a": 3, "b": 4}',
        "[1, 2, 3]\n[4, 5, 6]",
        "| Name | Room |\n| Ann | 12 |\n| Ben | 7 |",
        "first | second\nthird | fourth\nfifth | sixth",
        "From: Ann\nTo: Ben\n\nIs this a mail?",
        "From here on, it is easy.\nTo: nobody",
        "I wrote <html> and <p> in my notes.",
        "小美，你好\n阿木，你好\n老王，你好",
    ],
)
def test_what_only_looks_like_a_table_a_mail_or_a_page_is_none(content: str) -> None:
    assert modality(content) != DOCUMENT


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("Name,City,Born\nAnn,Oslo,1990\n", "csv"),
        ("Name;City\nAnn;Oslo\nBen;Rome\n", "csv"),
        ("姓名,城市\n小美,杭州\n阿木,苏州\n", "csv"),
        ("Name\tCity\nAnn\tOslo\nBen\tRome\n", "tsv"),
        ('Name,Says,Born\nAnn,"hi, you",1990\nBen,"two\nlines",1985\n', "csv"),
        ("\n<!-- saved -->\n<HTML lang=en><p>tea", "html"),
        ('<?xml version="1.0"?>\n<!DOCTYPE html><html><p>tea</p></html>', "html"),
        ("Received: from x\r\nFrom: Ann <ann@example.org>\r\nSubject: tea\r\n\r\nHi", "eml"),
        ("Subject: tea\nFrom: ann@example.org\nDate: Mon, 2 Mar 2026 09:00:00 +0000\n\nHi", "eml"),
    ],
)
def test_tables_pages_and_mails_without_a_name(content: str, form: str) -> None:
    assert modality(content) == DOCUMENT
    assert format_of(Raw(data=content.encode()), content) == form


def test_a_name_or_a_type_settles_what_is_doubtful() -> None:
    rows, part = "Ann, 30\nBen, 41\n", "<p>Tea</p><p>Cake</p>"
    assert modality(rows) == "text"
    assert modality(rows, name="people.csv") == DOCUMENT
    assert modality(rows, media_type="text/csv; charset=utf-8") == DOCUMENT
    assert modality(part, name="tea.html") == DOCUMENT
    assert modality(part) != DOCUMENT


def test_a_name_alone_makes_no_table() -> None:
    assert modality('{"a": 1, "b": 2}', name="a.csv") == "text"
    assert modality("One line. Another, and that is all.", name="a.csv") == "text"
    assert modality('[{"role": "user", "content": "hi"}]', name="chat.csv") == "conversation"


def test_what_a_program_hands_over_as_text_is_text() -> None:
    for content in ("Name,City,Born\nAnn,Oslo,1990\nBen,Rome,1985\n", "<!doctype html><p>tea"):
        assert modality(content, media_type="text/plain", charset="utf-8") == "text"
    assert modality("<!doctype html><p>tea", media_type="text/html", charset="utf-8") == DOCUMENT


def test_a_packed_file_is_told_by_its_members() -> None:
    def form(*names: str) -> str | None:
        return format_of(Raw(data=zipped(dict.fromkeys(names, TYPES))), None)

    assert form("[Content_Types].xml", "word/document2.xml") == "docx"
    assert form("[Content_Types].xml", "xl/workbook.xml") == "xlsx"
    assert form("[Content_Types].xml", "ppt/presentation.xml") == "pptx"
    assert form("META-INF/container.xml", "book/a.opf") == "epub"
    assert form("word/document.xml") is None
    assert form("export/word/document.xml", "export/[Content_Types].xml") is None
    assert form("notes.txt") is None


def test_words_in_a_packed_file_do_not_make_it_a_document() -> None:
    archive = zipped({"notes.txt": "word/ xl/ application/epub+zip [Content_Types].xml", "a.xml": CONTAINER})
    with pytest.raises(UnsupportedModality, match="a ZIP archive"):
        modality(archive)


def test_names_are_read_without_unpacking_and_of_a_cut_file_as_far_as_they_go() -> None:
    whole = zipped({"one": "1" * 100, "two": "2" * 100})
    assert members(whole) == ("one", "two")
    assert members(whole[:-30]) == ("one", "two")
    assert members(whole[:60]) == ("one",)
    assert members(b"PK\x03\x04") == ()
    assert members(b"no zip") == ()


def test_another_modality_is_not_taken_for_a_document() -> None:
    with pytest.raises(UnsupportedModality, match="an OpenDocument file"):
        modality(zipped({"mimetype": "application/vnd.oasis.opendocument.text"}))
    with pytest.raises(UnsupportedModality, match="an XML document"):
        modality("<?xml version='1.0'?><a/>")
    assert modality("# Trip\n\n| Name | Room |\n|--|--|\n| Ann | 12 |") == "markdown"
