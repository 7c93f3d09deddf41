"""What an input is, told by its content."""

import gzip
import io
import json
import zipfile
from collections.abc import Mapping

import pytest

from memu_py.errors import InvalidInput, UnsupportedModality
from memu_py.modality.detect import PARSERS, detect
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions, Parser
from memu_py.modality.raw import Raw

CHAT = '[{"role": "user", "content": "hi"}]'


def raw(content: str | bytes, name: str | None = None) -> Raw:
    data = content if isinstance(content, bytes) else content.encode()
    return Raw(data=data, name=name)


@pytest.mark.parametrize(
    "content",
    [
        CHAT,
        f"\ufeff {CHAT}",
        '{"role": "user", "content": "hi"}',
        '{"messages": [], "session": "s"}',
        '{"role": "user", "content": "hi"}\n\n{"role": "assistant", "text": "yo"}\n',
        '["I like tea", "me too"]',
        '[{"messages": [{"role": "user", "content": "hi"}]}]',
        '[{"role": "user", "content": "cut off',
    ],
)
def test_messages_are_a_conversation(content: str) -> None:
    assert detect(raw(content)) == "conversation"


@pytest.mark.parametrize(
    "content",
    [
        "Ann: hi\nBob: hello",
        "Ann: hi\nAnn: anybody there?",
        "ann: hi\n\nbob: hello\n\nann: bye",
        "小美：你好\n阿木：你好呀",
        "小美:你好\n阿木:你好呀",
        "[2023-05-08 13:56] Ann: hi\nhow are you\n[2023-05-08 13:57] Ann: ?",
        "13:56 Ann: hi\n13:57 Note: hello",
        "User: I like tea\nAssistant: Nice!",
        "Human: hi\nAI: hello\nHuman: bye",
        "Dr. Lee: come in\nMary-Jane O'Neil: thanks\nDr. Lee: sit",
        "**Ann:** hi\n**Bob:** hello\n**Ann**: bye",
        "08/05/2023, 13:56 - Ann: hi\n08/05/2023, 13:57 - Bob: yo",
        "Ann: I said:\nfirst\nsecond\nBob: ok",
    ],
)
def test_turns_with_names_are_a_transcript(content: str) -> None:
    assert detect(raw(content)) == "transcript"


@pytest.mark.parametrize(
    "content",
    [
        "Note: buy milk.",
        "Note: buy milk.\nWarning: it is heavy.",
        "Ann: hi",
        "Name: Ann\nAge: 30\nCity: Oslo",
        "Apples: red\nPears: green\nPlums: blue",
        "I like tea.\nAnn: hi\nBob: hello",
        "Ann: hi\nBob: hello\n" + "and prose for the rest of the page\n" * 5,
        "https://example.org\nhttp://example.org",
        "C:\\notes\nD:\\notes",
        "Step 1: boil\nStep 2: pour\nStep 1: boil",
        "the reason is this: rain\nthe reason is this: wind",
        "12:30\n12:40",
        "姓名：小美\n地址：杭州",
        '{"likes": "tea"}',
        "[1] a footnote",
        "I like tea. *Really.*",
        "# one line",
        "plain prose, nothing else\n\nwith two paragraphs",
    ],
)
def test_prose_stays_text(content: str) -> None:
    assert detect(raw(content)) == "text"


@pytest.mark.parametrize(
    "content",
    [
        "# Trip\n\nThe train leaves at noon.",
        "---\ntitle: Trip\n---\n\nThe train.",
        "Look:\n\n```\ncode\n```\n",
        "a | b\n--|--\n1 | 2",
        "- tea\n- coffee\n\nand **cake**",
        "1. tea\n2. coffee\n\n> said [Ann](http://example.org)",
        "# Meeting\n\nAnn: hi\nBob: hello",
    ],
)
def test_marks_make_markdown(content: str) -> None:
    assert detect(raw(content)) == "markdown"


def test_the_name_is_not_believed() -> None:
    assert detect(raw(CHAT, name="notes.md")) == "conversation"
    assert detect(raw("just prose", name="chat.json")) == "text"
    with pytest.raises(UnsupportedModality, match="a PDF document"):
        detect(raw(b"%PDF-1.7\n", name="notes.txt"))


def test_text_names_a_family() -> None:
    assert detect(raw(CHAT), "text") == "conversation"
    assert detect(raw("Ann: hi\nBob: hello"), "text") == "transcript"
    assert detect(raw("# Trip\n\nThe train."), "text") == "markdown"
    assert detect(raw("prose"), "text") == "text"


def test_a_conversation_may_be_a_transcript() -> None:
    assert detect(raw("Ann: hi\nBob: hello"), "conversation") == "transcript"
    assert detect(raw("prose"), "conversation") == "conversation"
    with pytest.raises(UnsupportedModality, match="this is no conversation: it looks like a PDF document"):
        detect(raw(b"%PDF-1.7\n"), "conversation")


def test_any_other_name_is_taken_at_its_word() -> None:
    assert detect(raw("Note: a\nNote: b"), "transcript") == "transcript"
    assert detect(raw(CHAT), "markdown") == "markdown"


def test_messages_are_a_conversation_whatever_they_say() -> None:
    given = Raw(data=b'["%PDF-1.7"]', messages=("%PDF-1.7",))
    assert detect(given) == "conversation"


def test_text_that_a_program_hands_over_is_text_whatever_it_begins_with() -> None:
    for text in ("%PDF-1.7 is the header", "a\0b", "<html> is a tag", "ID3 is an algorithm"):
        assert detect(Raw(data=text.encode(), charset="utf-8")) == "text"


def zipped(name: str, content: str = "") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7\n...", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n....", "a PNG image"),
        (b"\xff\xd8\xff\xe0....", "a JPEG image"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "a WAV recording"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a WebP image"),
        (b"\0\0\0\x20ftypisom....", "an MP4 video"),
        (b"BZh91AY&SY....", "a bzip2 archive"),
        (b"ID3\x04\0....", "an MP3 recording"),
        (b"{\\rtf1\\ansi Tea}", "an RTF document"),
        (gzip.compress(b"tea", mtime=0), "a gzip archive"),
        (zipped("word/document.xml"), "a Word document"),
        (zipped("xl/workbook.xml"), "an Excel workbook"),
        (zipped("mimetype", "application/epub+zip"), "an EPUB book"),
        (zipped("notes.txt"), "a ZIP archive"),
        (b"\0\1\2\xff" * 40, "binary data"),
        (b"<!DOCTYPE html><p>tea", "an HTML page"),
        (b"\n<html lang=en>", "an HTML page"),
        (b"<?xml version='1.0'?><a/>", "an XML document"),
    ],
)
def test_what_nothing_reads_is_refused_by_what_it_looks_like(data: bytes, name: str) -> None:
    with pytest.raises(UnsupportedModality, match=name) as caught:
        detect(raw(data))
    assert "supported are conversation, transcript, markdown, text" in str(caught.value)


def test_markup_is_read_as_text_when_the_caller_says_so() -> None:
    assert detect(raw("<html>tea</html>"), "text") == "text"


def test_words_that_happen_to_begin_like_a_file_format_are_text() -> None:
    for text in ("BZhang likes tea", "ID3 is an algorithm", "RIFF is a format for sound", "OggS?"):
        assert detect(raw(text)) == "text"


def test_an_unknown_modality_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnsupportedModality, match="did you mean `markdown`"):
        detect(raw("x"), "markdwn")


@pytest.mark.parametrize("data", [b"", b" \n\t"])
def test_nothing_is_no_content(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="no content"):
        detect(raw(data))


class PdfParser:
    """A parser of a plug-in."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        return text is None and raw.data.startswith(b"%PDF")

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        text = f"{len(raw.data)} bytes, {options.group_chars}"
        return Parsed(text=text, segments=(), modality="pdf", media_type="application/pdf")


def test_parsers_of_plug_ins_are_asked_first() -> None:
    parsers: Mapping[str, Parser] = {**PARSERS, "pdf": PdfParser()}
    assert detect(raw(b"%PDF-1.7"), parsers=parsers) == "pdf"
    assert detect(raw(b"%PDF-1.7"), "pdf", parsers=parsers) == "pdf"
    assert detect(raw(CHAT), parsers=parsers) == "conversation"
    with pytest.raises(UnsupportedModality):
        detect(raw(b"%PDF-1.7"), "text", parsers=parsers)


def test_a_parser_may_be_left_out() -> None:
    parsers = {"text": PARSERS["text"]}
    assert detect(raw(CHAT), parsers=parsers) == "text"


def test_json_of_another_kind_is_text_and_broken_json_of_messages_is_not() -> None:
    assert detect(raw(json.dumps({"numbers": [1, 2]}))) == "text"
    assert detect(raw('{"numbers": [1, 2')) == "text"
    assert detect(raw('{"messages": [1, 2')) == "conversation"
