"""Packed files, looked over before anything in them is unpacked.

What the directory of a ZIP file declares is what `zipfile` unpacks at most, whatever the packed bytes hold. So the sum
of what is declared is a bound, if no two members share their bytes.
"""

import io
import itertools
import re
import zipfile
from collections.abc import Iterable

from memu_py.errors import InvalidInput

MB = 1024 * 1024
MAX_MEMBERS = 20_000
PROLOGUE_BYTES = 65_536
"""A declaration of entities stands before the first element."""

_LOCAL_HEADER = 30
_ENCRYPTED = 0x1
_XML = (".xml", ".rels", ".vml")
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def opened(data: bytes, *, max_unpacked_mb: int) -> zipfile.ZipFile:
    """Open a packed file.

    Args:
        data: the file.
        max_unpacked_mb: what it may hold unpacked, in MB.

    Raises:
        InvalidInput: it is damaged or locked, holds more, or was made to break what unpacks it.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        msg = f"it cannot be unpacked: {error}"
        raise InvalidInput(msg, hint="is it damaged, or was it cut short?") from error
    _check(archive.infolist(), max_unpacked_mb)
    return archive


def _check(members: Iterable[zipfile.ZipInfo], max_unpacked_mb: int) -> None:
    placed = sorted(members, key=lambda one: one.header_offset)
    unpacked = sum(one.file_size for one in placed)
    if len(placed) > MAX_MEMBERS:
        msg = f"it holds {len(placed)} files, which is more than any document does"
        raise InvalidInput(msg)
    if unpacked > max_unpacked_mb * MB:
        msg = f"it holds {unpacked // MB} MB unpacked, and at most {max_unpacked_mb} MB are taken"
        raise InvalidInput(msg, hint="raise `documents.max_unpacked_mb` if you trust it")
    if any(_ends(one) > following.header_offset for one, following in itertools.pairwise(placed)):
        msg = "parts of it lie over each other, as they do in no honest file"
        raise InvalidInput(msg)
    if any(one.flag_bits & _ENCRYPTED for one in placed):
        msg = "it is locked with a password"
        raise InvalidInput(msg, hint="save it without one")


def _ends(member: zipfile.ZipInfo) -> int:
    return member.header_offset + _LOCAL_HEADER + member.compress_size


def refuse_entities(archive: zipfile.ZipFile) -> None:
    """See that no XML in an office file declares entities: office programs write none, and they can be a bomb.

    Raises:
        InvalidInput: one does.
    """
    for member in archive.infolist():
        if not member.filename.lower().endswith(_XML):
            continue
        with archive.open(member) as stream:
            # Without its NULs UTF-16 is ASCII.
            if _DECLARES.search(stream.read(PROLOGUE_BYTES).replace(b"\0", b"")):
                msg = f"{member.filename} in it declares a document type, as no office program does"
                raise InvalidInput(msg, hint="open it in an office program and save it again")
