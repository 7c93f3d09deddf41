"""ZIP files, looked over before anything in them is unpacked: the one door for those that anybody may have made.

What the directory of a ZIP file declares is what `zipfile` unpacks at most, whatever the packed bytes hold. So the sum
of what is declared is a bound, if no two members share their bytes. The directory itself may be the bomb: its entries
are counted before `zipfile` makes an object of each.
"""

import dataclasses
import io
import struct
import zipfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from memu_py.errors import InvalidInput
from memu_py.modality.raw import MB
from memu_py.records.record import Record

MAX_RATIO = 200
"""A file that unpacks to more times its size is no text and no picture; the best that text does is about 20."""
RATIO_FROM = 10 * MB
"""Smaller files may be anything."""
MAX_DIRECTORY = 64 * MB
"""So many bytes of names are read at most."""
ENCRYPTED = 0x1

_END = struct.Struct("<4s8xL6x")
_LONG_END = struct.Struct("<4s36xQ8x")
_LOCATOR = struct.Struct("<4s4xQ4x")
_ENTRY = b"PK\x01\x02"
_LONGEST_COMMENT = 1 << 16
_LOCAL_HEADER = 30
_MIN_ENTRY = 46


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PackedLimits(Record):
    """What a ZIP file may hold.

    Attributes:
        max_bytes: unpacked, in all.
        max_members: files.
        hint: what to do with one that is trusted and holds more.
    """

    max_bytes: int
    max_members: int
    hint: str


class _End(NamedTuple):
    """An end record: how many bytes it says that the directory has, and where it stands."""

    size: int
    place: int


def guarded(stream: BinaryIO, limits: PackedLimits, *, what: str = "it") -> zipfile.ZipFile:
    """Open a ZIP file that was made by nobody knows whom.

    Args:
        stream: seekable.
        limits: what it may hold.
        what: what to call it in messages.

    Raises:
        InvalidInput: it is damaged or locked, holds more, or was made to break what unpacks it.
    """
    check_count(stream, limits, what=what)
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, struct.error) as error:
        msg = f"{what} is no usable zip: {error}"
        raise InvalidInput(msg, hint="is it damaged, or was it cut short?") from error
    members = archive.infolist()
    if any(one.flag_bits & ENCRYPTED for one in members):
        msg = f"{what} is locked with a password"
        raise InvalidInput(msg, hint="save it without one, or unpack it yourself")
    _check_sizes(members, limits, what)
    _check_places(members, archive.start_dir, what)
    return archive


def check_count(stream: BinaryIO, limits: PackedLimits, *, what: str = "it") -> None:
    """See that a ZIP file holds no more files than allowed, before its directory is read; it is left at its beginning.

    Raises:
        InvalidInput: it holds more.
    """
    try:
        ends = _ends(stream)
        size = max((one.size for one in ends), default=0)
        if size > MAX_DIRECTORY:
            msg = f"{what} holds {size // MB} MB of names, and at most {MAX_DIRECTORY // MB} are read"
            raise InvalidInput(msg, hint=limits.hint)
        if size <= limits.max_members * _MIN_ENTRY:
            return
        # How many there are the end says too, and may lie: the length of the directory is what is read.
        stream.seek(max(0, min(one.place for one in ends) - size))
        count = stream.read().count(_ENTRY)
        if count > limits.max_members:
            msg = f"{what} holds {count} files, and at most {limits.max_members} are taken"
            raise InvalidInput(msg, hint=limits.hint)
    finally:
        stream.seek(0)


def leads_out(name: str) -> bool:
    r"""Tell whether a member's name leads out of the folder into which it would be unpacked.

    >>> leads_out("a/b.txt"), leads_out("../b.txt"), leads_out("C:\\b.txt")
    (False, True, True)
    """
    name = name.replace("\\", "/")
    return name.startswith("/") or name[1:2] == ":" or ".." in name.split("/")


def _check_sizes(members: Sequence[zipfile.ZipInfo], limits: PackedLimits, what: str) -> None:
    total = sum(one.file_size for one in members)
    if total > limits.max_bytes:
        msg = f"{what} holds {total // MB} MB unpacked, and at most {limits.max_bytes // MB} MB are taken"
        raise InvalidInput(msg, hint=limits.hint)
    for one in members:
        if one.file_size > RATIO_FROM and one.file_size > MAX_RATIO * max(one.compress_size, 1):
            msg = f"{what} is not opened: {one.filename} says that it unpacks to {one.file_size // MB} MB"
            raise InvalidInput(msg, hint="if you trust it, unpack it yourself")


def _check_places(members: Sequence[zipfile.ZipInfo], directory: int, what: str) -> None:
    placed = sorted(members, key=lambda one: one.header_offset)
    begins = [one.header_offset for one in placed[1:]] + [directory]
    ends = (one.header_offset + _LOCAL_HEADER + one.compress_size for one in placed)
    if any(end > begin for end, begin in zip(ends, begins, strict=False)):
        msg = f"parts of {what} lie over each other, as they do in no honest file"
        raise InvalidInput(msg)


def _ends(stream: BinaryIO) -> list[_End]:
    """What the end of a ZIP file says of its directory; the same records as `zipfile` looks at."""
    length = stream.seek(0, io.SEEK_END)
    start = max(0, length - _END.size - _LONGEST_COMMENT)
    stream.seek(start)
    tail = stream.read()
    place = len(tail) - _END.size
    if place < 0 or not (tail.startswith(b"PK\x05\x06", place) and tail.endswith(b"\0\0")):
        place = tail.rfind(b"PK\x05\x06")
    if place < 0 or len(tail) - place < _END.size:
        return []
    _, size = _END.unpack_from(tail, place)
    found = [_End(size, start + place), *_long_ends(stream, start + place)]
    # A directory that were longer than what stands before its end is not read by anybody.
    return [one for one in found if one.size <= one.place]


def _long_ends(stream: BinaryIO, end: int) -> Iterator[_End]:
    """The longer form of the end, where there is one: it stands before the short one, or where that says."""
    if end < _LOCATOR.size:
        return
    stream.seek(end - _LOCATOR.size)
    sign, said = _LOCATOR.unpack(stream.read(_LOCATOR.size))
    if sign != b"PK\x06\x07":
        return
    for place in {end - _LOCATOR.size - _LONG_END.size, said}:
        if 0 <= place <= end - _LONG_END.size:
            stream.seek(place)
            sign, size = _LONG_END.unpack(stream.read(_LONG_END.size))
            if sign == b"PK\x06\x06":
                yield _End(size, place)
