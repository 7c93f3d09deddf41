"""What bytes look like by their first ones: for messages that say more than "unsupported"."""

import re
from typing import NamedTuple

from memu_py.modality.packed import ZIP_START, members
from memu_py.modality.signature_media import recording

_RIFF_KIND = slice(8, 12)
_BITMAP = re.compile(rb"BM[\s\S]{4}\0{4}[\s\S]{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0{3}")
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")


class _Signature(NamedTuple):
    start: bytes
    name: str


_SIGNATURES = (
    _Signature(b"%PDF-", "a PDF document"),
    _Signature(b"\x89PNG\r\n\x1a\n", "a PNG image"),
    _Signature(b"\xff\xd8\xff", "a JPEG image"),
    _Signature(b"GIF87a", "a GIF image"),
    _Signature(b"GIF89a", "a GIF image"),
    _Signature(b"II*\0", "a TIFF image"),
    _Signature(b"MM\0*", "a TIFF image"),
    _Signature(b"\x1f\x8b", "a gzip archive"),
    _Signature(b"\xfd7zXZ\0", "an xz archive"),
    _Signature(b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    _Signature(b"Rar!\x1a\x07", "a RAR archive"),
    _Signature(b"\x28\xb5\x2f\xfd", "a zstd archive"),
    _Signature(b"\x7fELF", "a program"),
    _Signature(b"MZ\x90\0", "a program"),
    _Signature(b"SQLite format 3\0", "an SQLite database"),
    _Signature(b"PAR1\x15", "a Parquet file"),
    _Signature(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    _Signature(b"{\\rtf", "an RTF document"),
)
_RIFF = {b"WAVE": "a WAV recording", b"AVI ": "an AVI video", b"WEBP": "a WebP image"}
_ZIP = (
    ("word/", "a Word document"),
    ("xl/", "an Excel workbook"),
    ("ppt/", "a PowerPoint presentation"),
    ("META-INF/container.xml", "an EPUB book"),
)
_MIMETYPE = slice(30, 100)
"""Where a packed file may say what it is: its first member, unpacked."""
_MIMETYPES = (
    (b"mimetypeapplication/epub+zip", "an EPUB book"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"),
)
_MARKUP = ((b"<!doctype html", "an HTML page"), (b"<html", "an HTML page"), (b"<?xml", "an XML document"))


def signature(data: bytes) -> str | None:
    """Return what bytes look like, with its article; None for what has no known beginning.

    >>> signature(b"%PDF-1.7 ...")
    'a PDF document'
    >>> signature(b"Hello") is None
    True
    """
    for start, name in _SIGNATURES:
        if data.startswith(start):
            return name
    return _container(data) or _zip(data)


def markup(data: bytes) -> str | None:
    """Return the kind of markup that bytes begin with, if it is one that nobody wants to read as prose."""
    start = data[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return next((name for begin, name in _MARKUP if start.startswith(begin)), None)


def _container(data: bytes) -> str | None:
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[_RIFF_KIND])
    if _BZIP2.match(data):
        return "a bzip2 archive"
    if _BITMAP.match(data):
        return "a BMP image"
    return recording(data)


def _zip(data: bytes) -> str | None:
    if not data.startswith(ZIP_START):
        return None
    said = data[_MIMETYPE]
    for start, name in _MIMETYPES:
        if said.startswith(start):
            return name
    inside = members(data)
    found = (name for start, name in _ZIP if any(member.startswith(start) for member in inside))
    return next(found, "a ZIP archive")
