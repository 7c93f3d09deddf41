"""Whatever comes in as a document: an error that is ours, or a reading. Nothing else, and no hang."""

import io
import random
import zipfile

import pytest
from documents_kit import mail, repacked, samples, scanned, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_py.config.settings import Settings
from memu_py.documents.delimiter import delimiter
from memu_py.documents.formats import FORMATS, format_of
from memu_py.documents.parser import DocumentParser
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import MemuError
from memu_py.modality.blocks import joined
from memu_py.modality.encoding import decode
from memu_py.modality.media import MediaTools
from memu_py.modality.raw import Raw

BOUNDS = Bounds(max_pages=50, max_rows=500, max_unpacked_mb=20)
SAMPLES = samples()
FORMS = sorted(FORMATS)
HOSTILE = [
    b"",
    b"\0",
    b"\xff" * 9,
    b"<",
    b"&#x0;",
    b"<!ENTITY",
    b"PK\x03\x04",
    b"%PDF-",
    b"\xff\xff\xff\xff",
    b"99999999999",
]
QUICK = settings(deadline=None, max_examples=60)


def outcome(form: str, data: bytes) -> Reading | MemuError:
    """Read what may be anything, as it is read in the other process."""
    try:
        reading = read_as(FORMATS[form], data, BOUNDS)
    except MemuError as error:
        assert str(error)
        return error
    again = Reading.from_dict(reading.bounded().to_dict())
    text, segments = joined(again.blocks, max_chars=400)
    assert all(text[one.start : one.end] == one.text for one in segments)
    return reading


def mangled(data: bytes, seed: int) -> bytes:
    """Return bytes with some of them changed, left out, doubled, or replaced by what breaks parsers."""
    chance = random.Random(seed)
    changed = bytearray(data)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(changed) + 1)
        size = chance.randint(0, 40)
        how = chance.randrange(4)
        if how == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            del changed[at : at + size]
        elif how == 2:
            changed[at:at] = changed[max(0, at - size) : at]
        else:
            changed[at : at + size] = chance.choice(HOSTILE)
    return bytes(changed)


@pytest.mark.parametrize("form", FORMS)
def test_every_sample_is_read(form: str) -> None:
    assert isinstance(outcome(form, SAMPLES[form]), Reading)


@pytest.mark.parametrize("form", FORMS)
def test_cut_files(form: str) -> None:
    data = SAMPLES[form]
    for size in sorted({0, 1, 4, 30, *range(0, len(data), max(1, len(data) // 20))}):
        outcome(form, data[:size])
        outcome(form, data[size:])


@pytest.mark.parametrize("form", FORMS)
def test_mangled_files(form: str) -> None:
    for seed in range(40):
        outcome(form, mangled(SAMPLES[form], seed))


@pytest.mark.parametrize("form", ["docx", "pptx", "xlsx", "epub"])
def test_mangled_members_of_packed_files(form: str) -> None:
    data = SAMPLES[form]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {
            name: archive.read(name) for name in archive.namelist() if not name.endswith((".jpeg", "/"))
        }
    for seed, (name, content) in enumerate(list(members.items())[:40]):
        outcome(form, repacked(data, {name: mangled(content or b"<a/>", seed)}))


def test_pictures_in_a_mangled_pdf() -> None:
    data = scanned([None, "text", None])
    for seed in range(30):
        outcome("pdf", mangled(data, seed))


def test_mails_with_mangled_attachments() -> None:
    for seed, form in enumerate(FORMS):
        content = mangled(SAMPLES[form], seed)
        outcome("eml", mail("Look.", attached={f"a.{form}": (content, "application/octet-stream")}))


@pytest.mark.parametrize("form", FORMS)
def test_a_file_read_as_another_format(form: str) -> None:
    for other in SAMPLES.values():
        outcome(form, other)


@QUICK
@given(
    data=st.binary(max_size=300)
    | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_any_bytes_have_a_format_or_none(data: bytes) -> None:
    decoded = decode(Raw(data=data))
    for text in (None, decoded.text):
        for told in (False, True):
            form = format_of(Raw(data=data), text, told=told)
            assert form is None or isinstance(outcome(form, data), Reading | MemuError)


@QUICK
@given(text=st.text(alphabet='a1 ,;\t|"\n\r{[<\0é喜', max_size=200))
def test_any_text_has_a_sign_between_cells_or_none(text: str) -> None:
    sign = delimiter(text)
    assert sign is None or delimiter(text, told=True) is not None


ODD = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<table>", "<tr>", "<td rowspan=9>", "</table>", "<li>", "<ul>", "<h1>", "<pre>",
     "<br>", "<!--", "-->", "<![CDATA[", "]]>", "<title>", "<dl>", "<dt>", "<dd>", "&#0;", "&amp", "喜", " word "]
)  # fmt: skip


@QUICK
@given(parts=st.lists(ODD, max_size=40))
def test_any_page_is_read(parts: list[str]) -> None:
    outcome("html", b"<html>" + "".join(parts).encode())


def bombs() -> dict[str, bytes]:
    types = "<Types/>"
    nested = zipped({"inner.zip": zipped({"zeros": bytes(5_000_000)}, packed=True)}, packed=True)
    sheet = b'<worksheet><sheetData><row r="999999999"><c r="XFD999999999"><v>1</v></c></row></sheetData></worksheet>'
    return {
        "declared": zipped(
            {"[Content_Types].xml": types, "word/document.xml": bytes(30_000_000)}, packed=True
        ),
        "nested": zipped({"[Content_Types].xml": types, "word/embeddings/a.docx": nested}, packed=True),
        "rows": repacked(SAMPLES["xlsx"], {"xl/worksheets/sheet1.xml": sheet}),
        "tags": b"<!doctype html>" + b"<table><tr><td>" * 20_000,
        "cells": b"a,b,c\n" + b"x,y,z\n" * 100_000 + b'"' + b"x" * 2_000_000,
        "parts": b"From: a@b.c\nMIME-Version: 1.0\nSubject: x\nContent-Type: multipart/mixed; boundary=x\n\n"
        + b"--x\nContent-Type: multipart/mixed; boundary=x\n\n" * 2_000,
        "objects": b"%PDF-1.7\n1 0 obj<</Type/Pages/Kids[1 0 R]/Count 999999999>>endobj\n"
        b"2 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 2 0 R/Size 99999999>>\nstartxref\n9\n%%EOF",
    }


@pytest.mark.parametrize("name", sorted(bombs()))
async def test_bombs_in_the_other_process(name: str) -> None:
    settings = Settings.model_validate(
        {"documents": {"timeout_s": 20, "memory_mb": 300, "max_unpacked_mb": 20}}
    )
    parser, raw = DocumentParser(), Raw(data=bombs()[name])
    assert parser.accepts(raw, None if raw.data[:2] == b"PK" else raw.data.decode())

    try:
        parsed = await parser.read(raw, tools=MediaTools(settings=settings))
    except MemuError as error:
        assert str(error)
    else:
        assert parsed.segments
