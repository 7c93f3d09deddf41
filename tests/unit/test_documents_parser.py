"""Documents through the parser: in a process of their own, within limits."""

from pathlib import Path
from typing import Any

import pytest
from documents_kit import drawn, samples, scanned, word, workbook

from memu_py.config.settings import Settings
from memu_py.documents.parser import DOCUMENT, DocumentParser
from memu_py.documents.reading import Scan
from memu_py.documents.scans import unread
from memu_py.errors import ConfigError, InvalidInput, UnsupportedModality
from memu_py.language.budget import count_tokens
from memu_py.modality.media import MediaParser, MediaTools
from memu_py.modality.parser import Parsed
from memu_py.modality.raw import Raw
from memu_py.pictures.reading import HOW_TO_READ
from memu_py.records.locator import LOCATOR, Locator

ENGLISH = "The rent is due on the first day of the month and is paid by bank transfer. "
CHINESE = "房租在每个月的第一天支付，并通过银行转账。"


async def read(data: bytes, name: str | None = None, *, ocr: str = "off", **documents: Any) -> Parsed:
    settings = Settings.model_validate({"documents": documents, "images": {"ocr": ocr}})
    return await DocumentParser().read(Raw(data=data, name=name), tools=MediaTools(settings=settings))


def blocked(folder: Path, module: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module of this name before the installed one, in the process that reads."""
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")


async def test_a_document_becomes_text_with_segments_in_their_places() -> None:
    parsed = await read(samples()["pdf"], name="pets.pdf")

    assert isinstance(DocumentParser(), MediaParser)
    assert (parsed.modality, parsed.media_type, parsed.title) == (DOCUMENT, "application/pdf", "Pets")
    assert parsed.text == "Pets\n\nDogs are welcome.\n\nName: Ann; Room: 12\nName: Ben; Room: 7"
    assert [one.text for one in parsed.segments] == [
        "Dogs are welcome.",
        "Name: Ann; Room: 12\nName: Ben; Room: 7",
    ]
    assert all(parsed.text[one.start : one.end] == one.text for one in parsed.segments)
    assert all(Locator.of(one.metadata) == Locator(page=1) for one in parsed.segments)
    assert all(one.metadata["section"] == ["Pets"] for one in parsed.segments)


async def test_the_title_is_its_own_or_its_heading_or_its_name() -> None:
    body = ("Normal", "Tea at five.")
    assert (
        await read(word([("Heading 1", "Times"), body], title="Our house"), "a.docx")
    ).title == "Our house"
    assert (await read(word([("Heading 1", "Times"), body]), "a.docx")).title == "Times"
    assert (await read(word([body]), "a.docx")).title == "a.docx"
    assert (await read(word([body]))).title == "Tea at five."


@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE, ENGLISH + CHINESE])
async def test_a_segment_holds_no_more_tokens_than_configured_in_any_script(sentence: str) -> None:
    parsed = await read(word([("Normal", sentence * 20)]), chunk_tokens=60)

    tokens = [count_tokens(one.text) for one in parsed.segments]
    assert max(tokens) <= 66
    assert min(tokens[:-1]) >= 20


async def test_a_table_is_whole_while_it_fits_and_cut_between_rows_when_not() -> None:
    rows = [["Name", "City"], *([f"person {number}", "Oslo"] for number in range(8))]
    book = workbook({"Sheet1": rows})

    whole = await read(book)
    parts = await read(book, chunk_tokens=16)

    assert [Locator.of(one.metadata) for one in whole.segments] == [Locator(sheet="Sheet1", rows=(2, 9))]
    assert [(one.rows if (one := Locator.of(part.metadata)) else None) for part in parts.segments] == [
        (first, first + 1) for first in (2, 4, 6, 8)
    ]
    assert parts.segments[1].text == "Name: person 2; City: Oslo\nName: person 3; City: Oslo"


async def test_what_is_said_to_be_a_document_and_is_none_is_refused() -> None:
    with pytest.raises(UnsupportedModality, match="looks like a PNG image"):
        await read(b"\x89PNG\r\n\x1a\n" + bytes(50))
    with pytest.raises(UnsupportedModality, match="it looks like text") as caught:
        await read(b"Just prose. Nothing else.")
    assert "PDF, DOCX, PPTX, XLSX, EPUB, HTML, EML, TSV, CSV" in str(caught.value)


async def test_a_table_that_is_read_again_needs_no_name() -> None:
    assert (await read(b"Ann, 30\nBen, 41\n")).media_type == "text/csv"


async def test_an_office_file_with_a_password_is_refused_with_that_word() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le")

    assert DocumentParser().accepts(Raw(data=data), None)
    with pytest.raises(InvalidInput, match="an Office document that is locked with a password"):
        await read(data)


async def test_scanned_pages_are_a_warning_beside_text_and_an_error_alone() -> None:
    parsed = await read(scanned(["Cover", None, None]))

    hint = f"pages 2, 3 are pictures of text, and nothing here reads them: {HOW_TO_READ}"
    assert ([one.text for one in parsed.segments], parsed.warnings) == (["Cover"], (hint,))
    with pytest.raises(InvalidInput, match="a PDF document that holds no text") as caught:
        await read(scanned([None, None]))
    assert caught.value.hint == hint.replace("2, 3", "1, 2")


async def test_scanned_pages_are_read_in_their_places() -> None:
    pages = ["The cover says welcome.", "!The gardener is called Rosalind", "Thank you for reading."]

    parsed = await read(scanned(pages), ocr="auto")

    assert parsed.warnings == ()
    assert [one.text for one in parsed.segments] == [one.removeprefix("!") for one in pages]
    assert [one.metadata[LOCATOR]["page"] for one in parsed.segments] == [1, 2, 3]
    assert len(parsed.segments[1].metadata[LOCATOR]["box"]) == 4


async def test_a_blank_picture_on_a_page_is_told_of() -> None:
    parsed = await read(scanned(["The cover says welcome.", None]), ocr="auto")

    assert [one.text for one in parsed.segments] == ["The cover says welcome."]
    assert parsed.warnings == ("nothing was read in 1 of 1 pictures",)


def test_many_scanned_pages_are_named_in_part() -> None:
    assert unread([Scan(page=7)]) == "page 7 is a picture of text, and nothing here reads it"
    named = unread([Scan(page=number) for number in range(1, 30)])
    assert named.startswith("pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 … are")


async def test_a_missing_reader_is_told_of_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked(tmp_path, "pypdf", "raise ImportError('not here')", monkeypatch)

    with pytest.raises(
        ConfigError, match=r"a PDF document needs pypdf.*pip install \"memu_py\[documents\]\""
    ):
        await read(samples()["pdf"])


async def test_reading_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked(tmp_path, "pypdf", "import time\nwhile True: time.sleep(1)", monkeypatch)

    with pytest.raises(InvalidInput, match=r"reading a PDF document took longer than 0\.7 s"):
        await read(samples()["pdf"], timeout_s=0.7)


async def test_reading_that_takes_too_much_memory_is_stopped() -> None:
    with pytest.raises(InvalidInput, match=r"documents\.memory_mb"):
        await read(b"Name,City\n" + b"Ann,Oslo\n" * 4_000_000, memory_mb=64)


async def test_each_format_is_read_within_little_memory() -> None:
    for form, data in samples().items():
        assert (await read(data, memory_mb=200)).segments, form


MARKITDOWN = """
class StreamInfo:
    def __init__(self, extension):
        self.extension = extension

class Result:
    def __init__(self, extension, size):
        self.title = f"A file {extension}"
        self.markdown = f"# Rent\\n\\nIt is {size} bytes long.\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n"

class MarkItDown:
    def __init__(self, *, enable_plugins):
        assert not enable_plugins
    def convert_stream(self, stream, *, stream_info):
        return Result(stream_info.extension, len(stream.read()))
"""


async def test_markitdown_reads_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked(tmp_path, "markitdown", MARKITDOWN, monkeypatch)
    data = samples()["docx"]

    parsed = await read(data, name="lease.docx", engine="markitdown")

    assert (parsed.modality, parsed.title) == (DOCUMENT, "A file .docx")
    assert parsed.media_type.endswith("wordprocessingml.document")
    assert [(one.text, dict(one.metadata)) for one in parsed.segments] == [
        (f"It is {len(data)} bytes long.", {"section": ["Rent"]}),
        ("| a | b |\n|---|---|\n| 1 | 2 |", {"section": ["Rent"], "block": "table"}),
    ]
    with pytest.raises(InvalidInput, match=r"documents\.max_unpacked_mb"):
        await read(workbook({"a": [["x" * 30_000]] * 60}), engine="markitdown", max_unpacked_mb=1)


async def test_markitdown_that_is_not_installed_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked(tmp_path, "markitdown", "raise ImportError('not here')", monkeypatch)

    with pytest.raises(ConfigError, match="markitdown, which is not installed: pip install"):
        await read(drawn([["tea"]]), engine="markitdown")


async def test_a_mail_is_read_without_markitdown() -> None:
    assert (await read(samples()["eml"], engine="markitdown")).segments[-1].text == "I moved to Lisbon."
