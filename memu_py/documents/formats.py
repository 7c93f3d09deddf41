"""The formats of documents, and how each is told from its bytes."""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from memu_py.documents.delimiter import TAB, delimiter
from memu_py.modality.packed import ZIP_START, members
from memu_py.modality.raw import Raw
from memu_py.modality.text import PLAIN_TYPE
from memu_py.records.record import Record

OFFICE = "application/vnd.openxmlformats-officedocument"
WEB_TYPES = ("text/html", "application/xhtml+xml")
TABLE_TYPES = ("text/csv", "text/tab-separated-values")
MAIL_TYPE = "message/rfc822"
HEAD_BYTES = 65_536

_LATE_PDF = 1024
"""Other programs find a PDF behind so many bytes of something else."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
_PROLOGUE = re.compile(r"(?:\s|\ufeff|<\?xml[^>]*>|<!--[\s\S]*?-->)*")
_WEB_START = re.compile(r"<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_TAG = re.compile(
    r"<(?:/?(?:p|div|body|head|table|ul|ol|h[1-6]|span|title|br|meta|article|section))\b[^<>]*>", re.I
)
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9-]{1,40}):(?:[ \t]|\r?\n[ \t])")
_MAIL_FIELDS = frozenset(
    {"from", "to", "cc", "date", "subject", "message-id", "received", "mime-version", "content-type", "reply-to",
     "return-path", "delivered-to", "sender", "in-reply-to"}
)  # fmt: skip
_MAIL_PROOF = frozenset({"message-id", "received", "mime-version", "return-path"})
_MIN_MAIL_FIELDS = 3


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Format(Record):
    """A format of documents.

    Attributes:
        media_type: of a file.
        reader: `package.module:function`; it takes the bytes and `Bounds`, and gives a `Reading`.
        what: with its article, for messages.
        needs: packages of the extra `documents` that read it.
        suffix: how names of such files end.
        packed: it is a ZIP file.
        converts: whether markitdown reads it too.
    """

    media_type: str
    reader: str
    what: str
    needs: tuple[str, ...] = ()
    suffix: str
    packed: bool = False
    converts: bool = True


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "pdf": Format(
            media_type="application/pdf",
            reader="memu_py.documents.pdf:read_pdf",
            what="a PDF document",
            needs=("pypdf",),
            suffix=".pdf",
        ),
        "docx": Format(
            media_type=f"{OFFICE}.wordprocessingml.document",
            reader="memu_py.documents.word:read_docx",
            what="a Word document",
            needs=("python-docx",),
            suffix=".docx",
            packed=True,
        ),
        "pptx": Format(
            media_type=f"{OFFICE}.presentationml.presentation",
            reader="memu_py.documents.slides:read_pptx",
            what="a PowerPoint presentation",
            needs=("python-pptx",),
            suffix=".pptx",
            packed=True,
        ),
        "xlsx": Format(
            media_type=f"{OFFICE}.spreadsheetml.sheet",
            reader="memu_py.documents.workbook:read_xlsx",
            what="an Excel workbook",
            needs=("openpyxl", "defusedxml"),
            suffix=".xlsx",
            packed=True,
        ),
        "epub": Format(
            media_type="application/epub+zip",
            reader="memu_py.documents.book:read_epub",
            what="an EPUB book",
            needs=("beautifulsoup4", "lxml", "defusedxml"),
            suffix=".epub",
            packed=True,
        ),
        "html": Format(
            media_type="text/html",
            reader="memu_py.documents.web:read_html",
            what="an HTML page",
            needs=("beautifulsoup4", "lxml"),
            suffix=".html",
        ),
        "eml": Format(
            media_type=MAIL_TYPE,
            reader="memu_py.documents.mail:read_mail",
            what="a mail",
            suffix=".eml",
            converts=False,
        ),
        "tsv": Format(
            media_type="text/tab-separated-values",
            reader="memu_py.documents.delimited:read_delimited",
            what="a table of tab-separated values",
            suffix=".tsv",
        ),
        "csv": Format(
            media_type="text/csv",
            reader="memu_py.documents.delimited:read_delimited",
            what="a table of comma-separated values",
            suffix=".csv",
        ),
    }
)
_PARTS = MappingProxyType({"docx": "word/", "pptx": "ppt/", "xlsx": "xl/"})


def format_of(raw: Raw, text: str | None, *, told: bool = False) -> str | None:
    """Return the format of a document, a key of `FORMATS`; None for what is none.

    Args:
        raw: what came in.
        text: its decoded text; None when the bytes are no text.
        told: the caller says that it is a document, which settles what is doubtful.
    """
    if raw.messages is not None or (_is_plain(raw) and not told):
        return None
    if is_pdf(raw.data):
        return "pdf"
    if raw.data.startswith(ZIP_START):
        return _packed(raw.data)
    if is_mail(raw.data):
        return "eml"
    return None if text is None else _of_text(raw, text, told=told)


def is_pdf(data: bytes) -> bool:
    """Tell whether a file is a PDF, which may have something else before it."""
    if data[:_LATE_PDF].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-"):
        return True
    return b"%PDF-" in data[:_LATE_PDF] and b"startxref" in data[-2 * _LATE_PDF :]


def is_locked_office(data: bytes) -> bool:
    """Tell whether a file is a Word, Excel or PowerPoint file with a password."""
    return data.startswith(_OLE) and _LOCKED in data


def is_mail(data: bytes) -> bool:
    """Tell whether a file is a mail, by the fields at its head: a sender and two more, among them one of a machine."""
    head = data[:HEAD_BYTES].decode("latin-1").lstrip("\r\n")
    if not _FIELD.match(head):
        return False
    fields = [found[1].lower() for line in _head_lines(head) if (found := _FIELD.match(line))]
    known = _MAIL_FIELDS.intersection(fields)
    if "from" not in known or len(known) < _MIN_MAIL_FIELDS:
        return False
    return bool(_MAIL_PROOF & known) or re.search(r"^from:.*@", head, re.I | re.M) is not None


def _head_lines(head: str) -> list[str]:
    block = re.split(r"\r?\n\r?\n", head, maxsplit=1)[0]
    return re.split(r"\r?\n(?![ \t])", block)


def _is_plain(raw: Raw) -> bool:
    """Whether a program hands it over as plain text, which it is then, whatever it holds."""
    return raw.charset is not None and raw.media_type == PLAIN_TYPE


def _packed(data: bytes) -> str | None:
    names = members(data)
    if data[30:100].startswith(b"mimetypeapplication/epub+zip"):
        return "epub"
    if "META-INF/container.xml" in names and any(name.endswith(".opf") for name in names):
        return "epub"
    if "[Content_Types].xml" not in names:
        return None
    parts = _PARTS.items()
    return next((form for form, part in parts if any(name.startswith(part) for name in names)), None)


def _of_text(raw: Raw, text: str, *, told: bool) -> str | None:
    suffix, media_type = suffix_of(raw), (raw.media_type or "").partition(";")[0].strip().lower()
    head = text[:HEAD_BYTES]
    start = head[_prologue(head) :]
    said_web = told or media_type in WEB_TYPES or suffix in (".html", ".htm", ".xhtml")
    if _WEB_START.match(start) or (said_web and start.startswith("<") and _TAG.search(start)):
        return "html"
    said_table = told or media_type in TABLE_TYPES or suffix in (".csv", ".tsv", ".tab")
    sign = delimiter(text, told=said_table)
    if sign is None:
        return None
    return "tsv" if sign == TAB else "csv"


def _prologue(text: str) -> int:
    found = _PROLOGUE.match(text)
    return found.end() if found else 0


def suffix_of(raw: Raw) -> str:
    """Return how the name of a resource ends, in small letters: its file's, else its address's."""
    name = raw.name or re.split(r"[?#]", raw.url or "", maxsplit=1)[0]
    return PurePosixPath(name).suffix.lower()
