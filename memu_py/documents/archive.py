"""Packed documents, looked over before anything in them is unpacked."""

import io
import re
import zipfile

from memu_py.errors import InvalidInput
from memu_py.modality.guarded import PackedLimits, guarded, leads_out
from memu_py.modality.raw import MB

MAX_MEMBERS = 20_000
"""No document holds more files; what does is something else."""
PROLOGUE_BYTES = 65_536
"""A declaration of entities stands before the first element."""

_XML = (".xml", ".rels", ".vml")
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def opened(data: bytes, *, max_unpacked_mb: int) -> zipfile.ZipFile:
    """Open a packed document.

    Args:
        data: the file.
        max_unpacked_mb: what it may hold unpacked, in MB.

    Raises:
        InvalidInput: it is damaged or locked, holds more, or was made to break what unpacks it.
    """
    hint = "raise `documents.max_unpacked_mb` if you trust it"
    limits = PackedLimits(max_bytes=max_unpacked_mb * MB, max_members=MAX_MEMBERS, hint=hint)
    archive = guarded(io.BytesIO(data), limits)
    if any(leads_out(name) for name in archive.namelist()):
        msg = "names in it lead out of it, as they do in no honest document"
        raise InvalidInput(msg)
    return archive


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
