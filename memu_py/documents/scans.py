"""Pages that are pictures of text."""

import dataclasses
from collections.abc import Sequence

from memu_py.documents.reading import Scan
from memu_py.modality.blocks import Block
from memu_py.modality.media import MediaTools
from memu_py.records.record import Record

MAX_NAMED = 12
"""Pages that a message names."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Scanned(Record):
    """What was read in pictures.

    Attributes:
        blocks: each with the page that it stands on.
        warnings: what could not be read.
    """

    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()


async def read_scans(scans: Sequence[Scan], tools: MediaTools) -> Scanned:
    """Read the text in pictures of pages.

    Args:
        scans: the pictures, each with its page.
        tools: what they are read with.
    """
    if not scans:
        return Scanned()
    return Scanned(warnings=(f'{unread(scans)}: pip install "memu_py[ocr]"',))


def unread(scans: Sequence[Scan]) -> str:
    """Say which pages are pictures that nothing reads.

    >>> unread([Scan(page=2), Scan(page=3), Scan(page=3)])
    'pages 2, 3 are pictures of text, and nothing here reads them'
    """
    pages = sorted({one.page for one in scans})
    named = ", ".join(map(str, pages[:MAX_NAMED])) + (" …" if len(pages) > MAX_NAMED else "")
    if len(pages) == 1:
        return f"page {named} is a picture of text, and nothing here reads it"
    return f"pages {named} are pictures of text, and nothing here reads them"
