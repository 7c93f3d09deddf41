"""What lies in a ZIP file, by the names in its directory; nothing is unpacked."""

import itertools
import re
import struct
from collections.abc import Iterator

ZIP_START = b"PK\x03\x04"
MAX_NAMES = 20_000
"""No document holds more files; what does is something else."""

_DIRECTORY_END = b"PK\x05\x06"
_LONGEST_END = 22 + 65_535
_ENTRY = struct.Struct("<4s24xHHH12x")
_LOCAL = re.compile(rb"PK\x03\x04[\s\S]{22}([\s\S]{2})[\s\S]{2}")


def members(data: bytes) -> tuple[str, ...]:
    """Return the names of what lies in a ZIP file, 20 000 at most; none for what is no ZIP file.

    Of a file that was cut short, which has lost its directory, the names are those of what begins in it.
    """
    if not data.startswith(ZIP_START):
        return ()
    end = data.rfind(_DIRECTORY_END, max(0, len(data) - _LONGEST_END))
    names = _listed(data, end) if end >= 0 else _begun(data)
    return tuple(name.decode("utf-8", "replace") for name in itertools.islice(names, MAX_NAMES))


def _listed(data: bytes, end: int) -> Iterator[bytes]:
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    at = end - size
    while 0 <= at <= len(data) - _ENTRY.size:
        sign, name, extra, comment = _ENTRY.unpack_from(data, at)
        if sign != b"PK\x01\x02":
            return
        at += _ENTRY.size
        yield data[at : at + name]
        at += name + extra + comment


def _begun(data: bytes) -> Iterator[bytes]:
    for found in _LOCAL.finditer(data):
        yield data[found.end() : found.end() + int.from_bytes(found[1], "little")]
