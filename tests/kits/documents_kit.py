"""Documents of every format, made by the libraries that people's programs stand for."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from email.message import EmailMessage
from typing import Any

import docx
import openpyxl
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

CHINESE_FONT = "STSong-Light"
WIDTH, HEIGHT = A4

Draw = Callable[[Canvas, Any], None]


def drawn(pages: Iterable[Sequence[str]], *, font: str = "Helvetica", encrypt: str | None = None) -> bytes:
    """Return a PDF whose pages hold these lines, each drawn by itself."""
    if font == CHINESE_FONT:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=encrypt)
    for lines in pages:
        canvas.setFont(font, 11)
        for place, line in enumerate(lines):
            canvas.drawString(72, HEIGHT - 90 - 14 * place, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def set_pdf(
    pages: Sequence[Sequence[tuple[str, str] | Sequence[Sequence[str]]]], margins: Draw | None = None
) -> bytes:
    """Return a PDF set by a layout engine: each page has (style, text) pairs, and tables as lists of rows."""
    styles = getSampleStyleSheet()
    story: list[Any] = []
    for page in pages:
        for part in page:
            if isinstance(part, tuple):
                style, text = part
                story.append(Paragraph(str(text), styles[str(style)]))
            else:
                story.append(Table([list(row) for row in part]))
        story.append(PageBreak())
    buffer = io.BytesIO()
    draw = margins or (lambda _canvas, _document: None)
    SimpleDocTemplate(buffer).build(story, onFirstPage=draw, onLaterPages=draw)
    return buffer.getvalue()


def running_head(canvas: Canvas, document: Any) -> None:
    canvas.saveState()
    canvas.setFont("Helvetica", 8)
    canvas.drawString(72, HEIGHT - 30, "Acme Handbook")
    canvas.drawCentredString(WIDTH / 2, 20, f"Page {document.page}")
    canvas.restoreState()


def scanned(texts: Sequence[str | None], *, rotate: int = 0) -> bytes:
    """Return a PDF whose pages hold a picture where there is no text, and one of the text after a `!`."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    for text in texts:
        if text is None or text.startswith("!"):
            picture = io.BytesIO()
            page = Image.new("RGB", (600, 800), "white")
            ImageDraw.Draw(page).text((40, 90), (text or "")[1:], "black", ImageFont.load_default(size=30))
            page.save(picture, format="JPEG")
            picture.seek(0)
            canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
        else:
            canvas.drawString(72, HEIGHT - 90, text)
        canvas.setPageRotation(rotate)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def word(
    parts: Sequence[tuple[str, str] | Sequence[Sequence[str]]], *, header: str = "", title: str = ""
) -> bytes:
    """Return a DOCX: (style, text) pairs, and tables as lists of rows."""
    document = docx.Document()
    document.core_properties.title = title
    for part in parts:
        if isinstance(part, tuple):
            document.add_paragraph(str(part[1]), style=str(part[0]))
        else:
            table = document.add_table(len(part), len(part[0]))
            for line, cells in enumerate(part):
                for column, cell in enumerate(cells):
                    table.cell(line, column).text = cell
    if header:
        document.sections[0].header.paragraphs[0].text = header
    return saved(document)


def slides(decks: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a PPTX: of each slide `title`, `lines`, `table`, `notes`, `hidden`, as far as they are given."""
    deck = Presentation()
    for given in decks:
        slide = deck.slides.add_slide(deck.slide_layouts[5 if "title" in given else 6])
        if "title" in given:
            slide.shapes.title.text = given["title"]
        if "lines" in given:
            box = slide.shapes.add_textbox(0, 0, Inches(4), Inches(2))
            box.text_frame.text = "\n".join(given["lines"])
        if "table" in given:
            rows = given["table"]
            table = slide.shapes.add_table(len(rows), len(rows[0]), 0, 0, Inches(4), Inches(2)).table
            for line, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    table.cell(line, column).text = cell
        if "notes" in given:
            slide.notes_slide.notes_text_frame.text = given["notes"]
        if given.get("hidden"):
            slide._element.set("show", "0")
    return saved(deck)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]], *, hidden: Sequence[str] = ()) -> bytes:
    """Return an XLSX of these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
    return saved(book)


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def book(
    chapters: Mapping[str, str], *, title: str = "A book", more: Mapping[str, str] | None = None
) -> bytes:
    """Return an EPUB: chapters by file name, as what stands in their bodies; and other files."""
    items = "".join(
        f'<item id="c{place}" href="{name}" media-type="application/xhtml+xml"/>'
        for place, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{place}"/>' for place in range(len(chapters)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></metadata><manifest>{items}'
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    pages = {
        f"OEBPS/{name}": '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html '
        f'xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{body}</body></html>'
        for name, body in chapters.items()
    }
    files = {"META-INF/container.xml": CONTAINER, "OEBPS/content.opf": package, **pages, **(more or {})}
    return zipped({"mimetype": "application/epub+zip", **files})


def zipped(files: Mapping[str, str | bytes], *, packed: bool = False) -> bytes:
    buffer = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=how)
    return buffer.getvalue()


def repacked(data: bytes, changes: Mapping[str, str | bytes]) -> bytes:
    """Return a packed file with some members replaced or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**files, **changes}, packed=True)


def mail(
    text: str | None = "Hello.",
    *,
    html: str | None = None,
    attached: Mapping[str, tuple[bytes, str]] | None = None,
    **fields: str,
) -> bytes:
    """Return a mail with attachments by name, each with its type."""
    message = EmailMessage()
    given = {"From": "Ann Lee <ann@example.org>", "To": "Ben <ben@example.org>", "Subject": "Dinner"}
    for name, value in {**given, "Date": "Mon, 02 Mar 2026 09:00:00 +0100", **fields}.items():
        message[name] = value
    if text is not None:
        message.set_content(text)
    if html is not None:
        (message.add_alternative if text is not None else message.set_content)(html, subtype="html")
    for name, (data, kind) in (attached or {}).items():
        main, _, sub = kind.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return message.as_bytes()


def samples() -> dict[str, bytes]:
    """Return one small document of each format, by its name in `FORMATS`."""
    table = [["Name", "Room"], ["Ann", "12"], ["Ben", "7"]]
    return {
        "pdf": set_pdf([[("Heading1", "Pets"), ("BodyText", "Dogs are welcome."), table]]),
        "docx": word([("Heading 1", "Rent"), ("Normal", "It is 900 euros."), table]),
        "pptx": slides([{"title": "Plan", "lines": ["one", "two"], "table": table, "notes": "Smile."}]),
        "xlsx": workbook(
            {"Rooms": [*table, ["Cem", 9], ["since", date(2026, 3, 1)], ["at", datetime(2026, 3, 1, 9)]]}  # noqa: DTZ001
        ),
        "epub": book({"one.xhtml": "<h1>Dawn</h1><p>It begins.</p>"}),
        "html": b"<!doctype html><title>Tea</title><h1>Green</h1><p>It is good.</p>",
        "eml": mail("I moved to Lisbon."),
        "tsv": b"Name\tRoom\nAnn\t12\nBen\t7\n",
        "csv": b"Name,Room\nAnn,12\nBen,7\n",
    }
