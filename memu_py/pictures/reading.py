"""What pictures say: the text in them, and what a model that sees makes of them."""

import dataclasses
import unicodedata
from collections.abc import Iterator, Sequence

from memu_py.errors import InvalidInput, ModelError
from memu_py.local.thread import on_thread
from memu_py.modality.blocks import Block
from memu_py.modality.markdown import BLOCK
from memu_py.modality.media import Look, MediaTools, Seen
from memu_py.pictures.layout import TEXT, blocks
from memu_py.pictures.ocr import PICTURES, Line, has_ocr, read_lines
from memu_py.pictures.opening import Frame, open_picture
from memu_py.pictures.pixels import Pixels, jpeg
from memu_py.records.locator import Locator
from memu_py.records.record import Record

DESCRIPTION, FACT = "description", "fact"
"""Metadata `block` of what a model says of a picture."""
ABOUT_CHARS = 4000
"""So much of the text in a picture is told to a model that sees it."""
MODEL_TYPE = "image/jpeg"
UNREADABLE = "nothing here reads pictures"
HOW_TO_READ = 'pip install "memu_py[ocr]", or name a profile of a model that sees in `images.profile`'


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Read(Record):
    """What was read in pictures.

    Attributes:
        blocks: in order.
        warnings: what could not be read.
    """

    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()

    def joined(self, other: "Read") -> "Read":
        """Return both together; what is warned of twice is said once."""
        warnings = tuple(dict.fromkeys((*self.warnings, *other.warnings)))
        return Read(blocks=(*self.blocks, *other.blocks), warnings=warnings)


async def read_pictures(images: Sequence[bytes], *, tools: MediaTools, places: Sequence[Locator]) -> Read:
    """Read pictures that are parts of something else, such as scanned pages or moments of a video.

    A picture that is damaged, or in which nothing can be read, is a warning and no error.

    Args:
        images: files of any kind that is read.
        tools: the limits, and the model that sees.
        places: where each picture stands; each block's locator is its picture's, with the box of a text.

    Returns:
        Blocks in the order of the pictures. Their metadata `block` is `text`, `table`, `description` or `fact`.

    Raises:
        ConfigError: Pillow is not installed.
        ModelError: a model failed on a picture in which no text was read.
    """
    if not can_read(tools):
        return Read(warnings=(f"{UNREADABLE}: {HOW_TO_READ}",)) if images else Read()
    found = Read()
    empty = 0
    for done, (image, place) in enumerate(zip(images, places, strict=True)):
        tools.check()
        read = await _read_one(image, place, tools)
        empty += not read.blocks and not read.warnings
        found = found.joined(read)
        tools.report(done + 1, len(images), "reading pictures")
    if empty:
        found = found.joined(Read(warnings=(f"nothing was read in {empty} of {len(images)} pictures",)))
    return found


async def _read_one(image: bytes, place: Locator, tools: MediaTools) -> Read:
    settings = tools.settings.images
    try:
        picture = await on_thread(PICTURES, open_picture, image, settings=settings)
    except InvalidInput as error:
        return Read(warnings=(f"{place}: {error}" if str(place) else str(error),))
    found = Read(warnings=picture.warnings)
    for frame in picture.frames:
        tools.check()
        at = place.evolve(frame=frame.number) if picture.several else place
        try:
            lines = await lines_of(frame, tools)
        except InvalidInput as error:
            return found.joined(Read(warnings=(f"{place}: {error}",)))
        found = found.joined(await read_frame(frame, lines, tools=tools, place=at))
    return found


def means_of(tools: MediaTools) -> str:
    """Return by what pictures are read; see `MediaParser.means`."""
    images = tools.settings.images
    text = f"text from {images.min_confidence:g}" if _reads_text(tools) else "no text"
    return f"{text}, {images.max_frames} frames, model {images.profile or 'none'}"


def can_read(tools: MediaTools) -> bool:
    """Tell whether anything is there that reads pictures."""
    return tools.vision is not None or _reads_text(tools)


def _reads_text(tools: MediaTools) -> bool:
    return tools.settings.images.ocr != "off" and has_ocr()


async def lines_of(frame: Frame, tools: MediaTools) -> tuple[Line, ...]:
    """Return the lines of text in a picture; none where texts are not read."""
    if not _reads_text(tools):
        return ()
    images = tools.settings.images
    return await read_lines(
        frame.pixels, min_confidence=images.min_confidence, timeout_s=images.timeout_s, check=tools.check
    )


async def read_frame(frame: Frame, lines: Sequence[Line], *, tools: MediaTools, place: Locator) -> Read:
    """Return what one picture says.

    Args:
        frame: the picture.
        lines: that were read in it.
        tools: the model that sees, if any.
        place: where the picture stands.

    Raises:
        ModelError: the model failed, and no text was read.
    """
    written = await on_thread(PICTURES, blocks, lines, place=place)
    if tools.vision is None:
        return Read(blocks=written)
    about = "\n".join(block.text for block in written)
    try:
        seen = await tools.vision(await on_thread(PICTURES, _look, frame.pixels, about, tools))
    except ModelError as error:
        if not written:
            raise
        return Read(blocks=written, warnings=(f"only the text was read, since the model failed: {error}",))
    return Read(blocks=tuple(_told(seen, written, place)))


def _look(pixels: Pixels, about: str, tools: MediaTools) -> Look:
    image = jpeg(pixels, max_side=tools.settings.images.max_side)
    return Look(image=image, media_type=MODEL_TYPE, about=about[:ABOUT_CHARS])


def _told(seen: Seen, written: Sequence[Block], place: Locator) -> Iterator[Block]:
    """Yield what a model says of a picture, then what is written in it; what both read is said once."""
    if seen.description.strip():
        yield Block(text=seen.description, locator=place, metadata={BLOCK: DESCRIPTION})
    for fact in dict.fromkeys(seen.facts):
        yield Block(text=fact, locator=place, metadata={BLOCK: FACT})
    yield from written
    known = _letters(" ".join(block.text for block in written))
    unread = [line for line in seen.text if (letters := _letters(line)) and letters not in known]
    if unread:
        yield Block(text="\n".join(unread), locator=place, metadata={BLOCK: TEXT})


def _letters(text: str) -> str:
    """Return the letters and digits of a text, by which two readings of it are compared."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
