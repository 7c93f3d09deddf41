"""What recordings, videos and boxed pictures look like by their first bytes.

A box file (MP4, M4A, MOV, 3GP, HEIC) and an Ogg, Matroska or ASF file may hold sound alone: then the tracks that it
lists tell, not its name.
"""

import re

HEAD_BYTES = 1 << 16
"""Where the tracks of a streamed format are listed."""
TS_PACKET = 188

_BOX = re.compile(rb"\0\0[\s\S]{2}ftyp([\s\S]{4})")
_OLD_BOX = re.compile(rb"\0[\s\S]{3}(?:moov|mdat|wide|free|skip)[\s\S]*?moov")
_SOUND_BRANDS = frozenset({b"M4A ", b"M4B ", b"M4P ", b"F4A ", b"F4B "})
_PICTURE_BRANDS = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"), "a HEIC image"),
    b"avif": "an AVIF image",
    b"avis": "an AVIF image",
}
_HANDLER = re.compile(rb"hdlr[\s\S]{8}(vide|soun)")
_EBML = b"\x1aE\xdf\xa3"
_MATROSKA_PICTURES = b"\x83\x81\x01"
_MATROSKA_SOUND = b"\x83\x81\x02"
_ASF = b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"
_ASF_PICTURES = b"\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
_MP3 = re.compile(rb"ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]")
_ADTS = re.compile(rb"\xff[\xf0\xf1\xf8\xf9]")
_AIFF = re.compile(rb"FORM[\s\S]{4}AIF[FC]")
_STARTS = (
    (b"fLaC\0", "a FLAC recording"),
    (b"#!AMR", "an AMR recording"),
    (b"caff\0\x01", "a CAF recording"),
    (b"FLV\x01", "an FLV video"),
    (b"\0\0\x01\xba", "an MPEG video"),
)


def recording(data: bytes) -> str | None:
    """Return what the bytes of a recording, a video or a boxed picture look like, with its article; None for others.

    >>> recording(b"fLaC" + bytes(40))
    'a FLAC recording'
    >>> recording(bytes(4) + b"ftypM4A ")
    'an M4A recording'
    """
    for start, name in _STARTS:
        if data.startswith(start):
            return name
    if _MP3.match(data):
        return "an MP3 recording"
    if _ADTS.match(data):
        return "an AAC recording"
    if _AIFF.match(data):
        return "an AIFF recording"
    return _streamed(data) or _boxed(data)


def _streamed(data: bytes) -> str | None:
    head = data[:HEAD_BYTES]
    if head.startswith(b"OggS\0"):
        return "an Ogg video" if b"\x80theora" in head else "an Ogg recording"
    if head.startswith(_EBML):
        sounds = _MATROSKA_SOUND in head and _MATROSKA_PICTURES not in head
        return "a Matroska or WebM recording" if sounds else "a Matroska or WebM video"
    if head.startswith(_ASF):
        return "a WMV video" if _ASF_PICTURES in head else "a WMA recording"
    if all(head[place : place + 1] == b"G" for place in range(0, 3 * TS_PACKET, TS_PACKET)):
        return "an MPEG transport stream"
    return None


def _boxed(data: bytes) -> str | None:
    box = _BOX.match(data)
    if box is None:
        return "a QuickTime video" if _OLD_BOX.match(data[:HEAD_BYTES]) else None
    brand = box.group(1)
    if brand in _PICTURE_BRANDS:
        return _PICTURE_BRANDS[brand]
    kinds = {match.group(1) for match in _HANDLER.finditer(data)}
    if brand in _SOUND_BRANDS or kinds == {b"soun"}:
        return "an M4A recording"
    return "a QuickTime video" if brand == b"qt  " else "an MP4 video"
