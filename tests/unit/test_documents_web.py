"""What becomes of web pages and books."""

from typing import Any

import pytest
from documents_kit import book

from memu_py.documents.formats import FORMATS
from memu_py.documents.reader import read_as
from memu_py.documents.reading import Bounds, Reading
from memu_py.errors import InvalidInput

PAGE = """<!doctype html><html><head><title>Tea — a guide</title><style>p {color: red}</style></head><body>
<nav><ul><li>Home</li></ul></nav>
<header>The Tea Site</header>
<main>
<h1>Green <em>tea</em></h1>
<p>It is <b>good</b>,<br>and  cheap.<!-- really? --></p>
Loose words.
<ul><li>sencha<li>from <a href="/hangzhou">Hangzhou</a>:<ul><li>longjing</ul></ul>
<table><caption>Prices</caption><tr><th>Kind<th>Price</tr><tr><td>sencha<td>9</tr></table>
<pre>  boil(water)
  wait()</pre>
<dl><dt>Oolong<dd>half fermented</dl>
<p hidden>not seen</p><p style="display: none">nor this</p><div aria-hidden="true">nor that</div>
<script>alert("no")</script><noscript>no script</noscript><button>Buy</button>
<article><header>By Ann</header><p>Drink it.</p></article>
</main>
<footer>© Tea Ltd</footer></body></html>"""


def read(form: str, data: bytes | str, charset: str | None = None, **bounds: Any) -> Reading:
    content = data.encode() if isinstance(data, str) else data
    return read_as(FORMATS[form], content, Bounds(charset=charset, **bounds))


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in reading.blocks]


def test_a_page_is_what_its_reader_sees() -> None:
    reading = read("html", PAGE)

    assert shown(reading) == [
        ("context", "The Tea Site"),
        ("heading", "Green tea"),
        ("paragraph", "It is good,\nand cheap."),
        ("paragraph", "Loose words."),
        ("list", "sencha\nfrom Hangzhou:\nlongjing"),
        ("paragraph", "Prices"),
        ("table", "Kind: sencha; Price: 9"),
        ("code", "  boil(water)\n  wait()"),
        ("list", "Oolong: half fermented"),
        ("paragraph", "By Ann"),
        ("paragraph", "Drink it."),
        ("context", "© Tea Ltd"),
    ]
    assert (reading.title, reading.warnings) == ("Tea — a guide", ())


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ('<meta charset="gb2312"><p>小美住在杭州，喜欢龙井茶。镕</p>'.encode("gb18030"), None),
        ("<p>小美住在杭州，喜欢龙井茶。镕</p>".encode("gb18030"), "gbk"),
        ("<meta charset=utf-8><p>小美住在杭州，喜欢龙井茶。镕</p>".encode(), None),
        ("<p>小美住在杭州，喜欢龙井茶。镕</p>".encode("utf-8-sig"), None),
        ("<meta charset=utf-16><p>小美住在杭州，喜欢龙井茶。镕</p>".encode(), None),
        ("<p>小美住在杭州，喜欢龙井茶。镕</p>".encode("utf-16"), None),
    ],
)
def test_the_encoding_is_what_the_page_or_its_server_says(data: bytes, charset: str | None) -> None:
    reading = read("html", data, charset)

    assert shown(reading) == [("paragraph", "小美住在杭州，喜欢龙井茶。镕")]
    assert reading.warnings == ()


def test_a_guessed_encoding_is_told_of() -> None:
    reading = read("html", "<p>小美住在杭州，喜欢龙井茶。</p>".encode("gb18030"))

    assert shown(reading) == [("paragraph", "小美住在杭州，喜欢龙井茶。")]
    assert reading.warnings == ("the encoding is not UTF-8; read as gb18030",)


def test_cells_that_claim_many_rows_stand_in_each_and_absurd_claims_do_no_harm() -> None:
    page = """<table><tr><th>Team<th>Name<tr><td rowspan=2>Red<td>Ann<tr><td>Ben</table>
    <table><tr><td colspan=999999999>a<td>1<tr><td rowspan="1000000">c<td>2</table>"""

    first, second = read("html", page).blocks

    assert first.text == "Team: Red; Name: Ann\nTeam: Red; Name: Ben"
    assert second.text == "a; 1\nc; 2"


def test_a_table_that_lays_out_a_page_is_read_cell_by_cell() -> None:
    page = "<table><tr><td><h2>News</h2><p>It rains.</p><td><table><tr><td>a<td>1</table></table>"

    assert shown(read("html", page)) == [("heading", "News"), ("paragraph", "It rains."), ("table", "a; 1")]


def test_a_page_that_nests_without_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nested too deep"):
        read("html", "<div>" * 5000 + "tea" + "</div>" * 5000)


def test_no_more_rows_of_a_page_are_read_than_allowed_and_that_is_said() -> None:
    reading = read("html", "<table>" + "<tr><td>a<td>1" * 9 + "</table>", max_rows=2)

    assert shown(reading) == [("table", "a; 1\na; 1")]
    assert reading.warnings == ("a table is read up to its row 2 (documents.max_rows)",)


def test_a_page_without_words_holds_no_text() -> None:
    with pytest.raises(InvalidInput, match="an HTML page that holds no text"):
        read("html", "<!doctype html><script>x()</script>")


NCX = (
    '<?xml version="1.0"?><ncx><navMap><navPoint><navLabel><text>Dawn</text></navLabel>'
    '<content src="b.xhtml#top"/></navPoint></navMap></ncx>'
)


def test_chapters_come_in_the_order_of_the_book_with_their_titles() -> None:
    data = book(
        {
            "b.xhtml": "<p>It begins.</p>",
            "a.xhtml": "<h2>Dusk</h2><p>它结束了。</p>",
            "c.xhtml": "<p>Notes.</p>",
        },
        title="A day",
        more={"OEBPS/toc.ncx": NCX},
    )

    reading = read("epub", data)

    assert [(one.kind, one.text, one.locator.chapter) for one in reading.blocks] == [
        ("heading", "Dawn", "Dawn"),
        ("paragraph", "It begins.", "Dawn"),
        ("heading", "Dusk", "Dusk"),
        ("paragraph", "它结束了。", "Dusk"),
        ("heading", "", "x"),
        ("paragraph", "Notes.", "x"),
    ]
    assert (reading.title, reading.warnings) == ("A day", ())


def test_the_links_of_a_table_of_contents_name_chapters_too() -> None:
    nav = '<html><body><nav><ol><li><a href="a.xhtml">The  start</a></li></ol></nav></body></html>'

    reading = read("epub", book({"a.xhtml": "<p>Once.</p>"}, more={"OEBPS/nav.xhtml": nav}))

    assert [one.locator.chapter for one in reading.blocks] == ["The start", "The start"]


def encrypted(name: str) -> str:
    return (
        '<?xml version="1.0"?><encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        f'<enc:CipherData><enc:CipherReference URI="{name}"/></enc:CipherData></enc:EncryptedData></encryption>'
    )


def test_a_locked_book_is_an_error_and_locked_fonts_are_none() -> None:
    chapters = {"a.xhtml": "<p>Once.</p>"}
    fonts = book(chapters, more={"META-INF/encryption.xml": encrypted("OEBPS/font.otf")})
    assert shown(read("epub", fonts))[-1] == ("paragraph", "Once.")

    with pytest.raises(InvalidInput, match=r"locked by who sold it \(DRM\)"):
        read("epub", book(chapters, more={"META-INF/encryption.xml": encrypted("OEBPS/a.xhtml")}))


def test_entities_in_a_book_are_never_expanded() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><container>&a;</container>'

    with pytest.raises(InvalidInput, match="EntitiesForbidden"):
        read("epub", book({"a.xhtml": "<p>Once.</p>"}, more={"META-INF/container.xml": bomb}))


def test_a_missing_chapter_is_told_of_and_the_others_are_read() -> None:
    whole = book({"a.xhtml": "<p>Once.</p>", "b.xhtml": "<p>Twice.</p>"})
    reading = read("epub", whole.replace(b"OEBPS/a.xhtml", b"OEBPS/z.xhtml"))

    assert reading.blocks[-1].text == "Twice."
    assert reading.warnings == ("the chapter OEBPS/a.xhtml is missing",)


def test_no_more_chapters_are_read_than_allowed_and_that_is_said() -> None:
    reading = read("epub", book({"a.xhtml": "<p>Once.</p>", "b.xhtml": "<p>Twice.</p>"}), max_pages=1)

    assert reading.blocks[-1].text == "Once."
    assert reading.warnings == ("only the first 1 of 2 chapters are read (documents.max_pages)",)
