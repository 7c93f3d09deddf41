"""Pages that are pictures of text."""

from collections.abc import Sequence

from memu_py.documents.reading import Scan
from memu_py.modality.media import MediaTools
from memu_py.pictures.reading import HOW_TO_READ, Read, can_read, read_pictures
from memu_py.records.locator import Locator

MAX_NAMED = 12
"""Pages that a message names."""


async def read_scans(scans: Sequence[Scan], tools: MediaTools) -> Read:
    """Read the text in pictures of pages, each block with its page and its box in the picture.

    Args:
        scans: the pictures, each with its page.
        tools: what they are read with.

    Raises:
        ModelError: a model failed on a picture in which no text was read.
    """
    if not scans:
        return Read()
    if not can_read(tools):
        return Read(warnings=(f"{unread(scans)}: {HOW_TO_READ}",))
    images = {one: one.image for one in scans if one.image is not None}
    places = [Locator(page=one.page) for one in images]
    found = await read_pictures(list(images.values()), tools=tools, places=places)
    lost = [one for one in scans if one.image is None]
    if not lost:
        return found
    return found.joined(Read(warnings=(f"{unread(lost)}: a picture there has a form that is not known",)))


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
