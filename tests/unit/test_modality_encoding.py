"""From bytes to text; titles; times."""

from datetime import UTC, datetime

import pytest

from memu_py.modality.encoding import decode
from memu_py.modality.moment import moment
from memu_py.modality.raw import Raw
from memu_py.modality.title import one_line, title

CHINESE = "我喜欢喝美式咖啡，不加糖不加奶。"
FRENCH = "Cher Élodie, déjà vu à la plage, ça coûte 5 €."


@pytest.mark.parametrize(
    ("data", "text", "charset"),
    [
        (CHINESE.encode(), CHINESE, "utf-8"),
        (b"\xef\xbb\xbf" + CHINESE.encode(), CHINESE, "utf-8"),
        (b"\xff\xfe" + CHINESE.encode("utf-16-le"), CHINESE, "utf-16-le"),
        (b"\xfe\xff" + CHINESE.encode("utf-16-be"), CHINESE, "utf-16-be"),
        (b"\xff\xfe\0\0" + CHINESE.encode("utf-32-le"), CHINESE, "utf-32-le"),
        (b"\0\0\xfe\xff" + CHINESE.encode("utf-32-be"), CHINESE, "utf-32-be"),
    ],
)
def test_unicode_is_read_without_a_warning(data: bytes, text: str, charset: str) -> None:
    decoded = decode(Raw(data=data))
    assert (decoded.text, decoded.charset, decoded.warning, decoded.binary) == (text, charset, None, False)


@pytest.mark.parametrize(
    ("text", "charset"),
    [(CHINESE, "gb18030"), (f"Miso 说：{CHINESE}", "gb18030"), (FRENCH, "cp1252")],
)
def test_other_encodings_are_guessed_with_a_warning(text: str, charset: str) -> None:
    decoded = decode(Raw(data=text.encode(charset)))
    assert (decoded.text, decoded.charset, decoded.binary) == (text, charset, False)
    assert decoded.warning == f"the encoding is not UTF-8; read as {charset}"


def test_latin_reads_what_nothing_else_does() -> None:
    decoded = decode(Raw(data=b"na\xefve \x81 text, and more of it to make it text: " + b"x" * 60))
    assert decoded.charset == "latin-1"
    assert "naïve" in decoded.text


def test_a_mark_that_lies_is_not_believed() -> None:
    decoded = decode(Raw(data=b"\xff\xfe\x41\0\x42"))
    assert decoded.charset == "cp1252"


def test_what_the_source_says_of_its_bytes_comes_first() -> None:
    assert decode(Raw(data="é".encode("latin-1"), charset="latin-1")).text == "é"
    decoded = decode(Raw(data=b"a\0b", charset="utf-8"))
    assert (decoded.text, decoded.sure, decoded.binary) == ("a\ufffdb", True, False)


@pytest.mark.parametrize("charset", ["klingon", "ascii", "rot13"])
def test_a_charset_that_does_not_fit_is_passed_over(charset: str) -> None:
    decoded = decode(Raw(data=CHINESE.encode(), charset=charset))
    assert (decoded.text, decoded.sure) == (CHINESE, False)


def test_nul_and_lone_surrogates_become_replacement_characters_of_the_same_length() -> None:
    text = "a\0b\ud800c" + "x" * 100
    decoded = decode(Raw(data=text.encode("utf-8", "surrogatepass")))
    assert decoded.text == "a\ufffdb\ufffdc" + "x" * 100
    assert not decoded.binary


@pytest.mark.parametrize("data", [b"\0\1\2\xff" * 40, b"abc\0\0\0\0def", b"\x80\x81\x82"])
def test_bytes_full_of_control_characters_are_binary(data: bytes) -> None:
    assert decode(Raw(data=data)).binary


def test_colours_and_tabs_of_a_terminal_are_text() -> None:
    assert not decode(Raw(data=b"\x1b[31mred\x1b[0m\tx\r\n\x0c")).binary


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"heading": "Trip", "name": "a.md", "url": "conversation://c", "text": "words"}, "Trip"),
        ({"heading": " ", "name": "a.md", "text": "words"}, "a.md"),
        ({"url": "conversation://c%201", "text": "words"}, "c 1"),
        ({"url": "https://example.org", "text": "the  first\nwords"}, "the first words"),
        ({}, ""),
    ],
)
def test_a_title_is_the_first_of_these_that_says_anything(arguments: dict[str, str], line: str) -> None:
    assert title(**arguments) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("short", "short"),
        ("one two three four", "one two…"),
        ("one two, three four", "one two…"),
        ("exactly 10", "exactly 10"),
        ("我喜欢喝美式咖啡，不加糖", "我喜欢喝美式咖啡…"),
        ("unbreakable-word", "unbreakab…"),
        ("one two x three", "one two x…"),
    ],
)
def test_a_line_is_cut_between_words(text: str, line: str) -> None:
    assert one_line(text, max_chars=10) == line
    assert len(line) <= 10


def test_a_datetime_is_taken_as_it_is() -> None:
    assert moment(datetime(2023, 5, 8, 13, 56), UTC) == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # noqa: DTZ001
    assert moment("20230508", UTC) == datetime(2023, 5, 8, tzinfo=UTC)
    assert moment(None, UTC) is None
