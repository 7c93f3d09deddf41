"""Zips, which anybody may have made: nothing is unpacked to disk, and what is absurd is refused before it is read."""

import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, BinaryIO

from memu_py.errors import InvalidInput
from memu_py.importers.archive import DAMAGED, DEFAULT_MAX_BYTES, Archive, Entry, LeftOut
from memu_py.modality.encoding import decode
from memu_py.modality.raw import MB, Raw

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
MAX_MEMBERS = 100_000
MAX_RATIO = 200
"""A file that unpacks to more times its size is no text and no picture; the best that text does is about 20."""
RATIO_FROM = 10 * MB
"""Smaller files may be anything."""

UTF8_NAME = 0x800
ENCRYPTED = 0x1
DOCUMENT_MARKS = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF", "Index/Document.iwa")
"""Files that tell that a zip is a document or a program, and no folder that somebody packed."""
RESOURCE_FORKS = "__MACOSX"
NESTED = "a zip within a zip is not opened; unpack it"


def is_packed_folder(stream: BinaryIO) -> bool:
    """Tell whether a file is a zip that is no document; it is left at its beginning.

    Args:
        stream: seekable.
    """
    packed = stream.read(4) in MAGIC
    stream.seek(0)
    if not packed:
        return False
    try:
        with zipfile.ZipFile(stream) as found:
            return not any(mark in found.NameToInfo for mark in DOCUMENT_MARKS)
    except (*DAMAGED, ValueError, struct.error):
        # Who opens it says what is wrong.
        return True
    finally:
        stream.seek(0)


def zip_archive(stream: BinaryIO, label: str, url: str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Archive:
    """Return what a zip holds. Its files are read when they are asked for.

    Hidden files are skipped. Links, names that lead out of the zip, and zips in it are left out.

    Args:
        stream: seekable; closed with the archive.
        label: what to call it.
        url: its address.
        max_bytes: it is refused when it says that it holds more.

    Raises:
        InvalidInput: it is damaged, locked, or holds too much.
    """
    try:
        packed = zipfile.ZipFile(stream)
    except (*DAMAGED, ValueError, struct.error) as error:
        msg = f"{label} is no usable zip: {error}"
        raise InvalidInput(msg, hint="is it damaged, or not loaded whole?") from error
    members = [one for one in packed.infolist() if not one.is_dir()]
    _check(members, label, max_bytes)
    kept: dict[str, tuple[Entry, zipfile.ZipInfo]] = {}
    left_out: list[LeftOut] = []
    for info, name in _named(members):
        reason = _refusal(info, name) or ("another file has the same name" if name in kept else None)
        if reason:
            left_out.append(LeftOut(name=f"{label}/{name}", reason=reason))
        else:
            kept[name] = Entry(name=name, size=info.file_size, url=f"zip:{url}!/{name}"), info
    return Archive(
        label,
        [entry for entry, _ in sorted(kept.values(), key=lambda pair: pair[0].name)],
        lambda entry: _opened(packed, kept[entry.name][1]),
        max_bytes=max_bytes,
        left_out=left_out,
        close=stream.close,
    )


def _opened(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return packed.open(info)
    except (ValueError, RuntimeError, struct.error) as error:
        raise zipfile.BadZipFile(str(error)) from error


def _check(members: list[zipfile.ZipInfo], label: str, max_bytes: int) -> None:
    total = sum(one.file_size for one in members)
    if any(one.flag_bits & ENCRYPTED for one in members):
        msg = f"{label} is locked with a password"
        raise InvalidInput(msg, hint="unpack it yourself, and name the folder")
    if len(members) > MAX_MEMBERS:
        msg = f"{label} holds {len(members)} files, and at most {MAX_MEMBERS} are taken"
        raise InvalidInput(msg, hint="unpack it yourself, and name its folders one by one")
    if total > max_bytes:
        msg = f"{label} holds {total // MB} MB unpacked, and at most {max_bytes // MB} are taken"
        raise InvalidInput(msg, hint="raise `documents.max_unpacked_mb`, or unpack it and name the folder")
    for one in members:
        if one.file_size > RATIO_FROM and one.file_size > MAX_RATIO * max(one.compress_size, 1):
            msg = f"{label} is not opened: {one.filename} says that it unpacks to {one.file_size // MB} MB"
            raise InvalidInput(msg, hint="if you trust it, unpack it yourself, and name the folder")


def _named(members: list[zipfile.ZipInfo]) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    """Yield the members that are not hidden, with their names as they were meant."""
    for info in members:
        name = info.filename
        if not info.flag_bits & UTF8_NAME:
            # Programs of old write names in whatever encoding the machine has; the library takes it for IBM's.
            name = decode(Raw(data=name.encode("cp437", "replace"))).text
        name = name.replace("\\", "/")
        parts = name.split("/")
        if parts[0] != RESOURCE_FORKS and not any(part[:1] == "." and part.strip(".") for part in parts):
            yield info, name


def _refusal(info: zipfile.ZipInfo, name: str) -> str | None:
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "its name leads out of the zip"
    return NESTED if name.casefold().endswith(".zip") else None
