"""Pictures in documents: pages that were scanned, and what hangs between paragraphs or on slides."""

import dataclasses
import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memu_py.documents.reading import ATTACHMENT, SCAN, Scan, named_in_part
from memu_py.modality.blocks import Block
from memu_py.modality.media import MediaTools
from memu_py.pictures.reading import HOW_TO_READ, Read, can_read, read_pictures
from memu_py.records.locator import Locator

MIN_SAME = 6
"""Letters of a line that is taken for one of the text of its page; shorter ones stand in any text."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class _Spot(Locator):
    """The place of a picture, with its number: what is read in it keeps both."""

    number: int = 0


async def read_scans(scans: Sequence[Scan], tools: MediaTools) -> Read:
    """Read the text in pictures; `in_place` puts it where they stand.

    Args:
        scans: the pictures, each with its place.
        tools: what they are read with.

    Raises:
        ModelError: a model failed on a picture in which no text was read.
    """
    if not scans:
        return Read()
    if not can_read(tools):
        return Read(warnings=(f"{unread(scans)}: {HOW_TO_READ}",))
    numbered = [(number, one) for number, one in enumerate(scans) if one.image is not None]
    places = [_Spot(**_fields(one.place), number=number) for number, one in numbered]
    images = [one.image for _, one in numbered if one.image is not None]
    found = await read_pictures(images, tools=tools, places=places)
    lost = [one for one in scans if one.image is None]
    if not lost:
        return found
    return found.joined(Read(warnings=(f"{unread(lost)}: a picture there has a form that is not known",)))


def in_place(blocks: Sequence[Block], scanned: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks of a document, with what was read in each picture where that stands.

    What the text of a page and its picture both say is said once.

    Args:
        blocks: of the document.
        scanned: what `read_scans` has read.
    """
    found: dict[int, list[Block]] = {}
    texts = _page_texts(blocks)
    spots = {block.metadata[SCAN]: block for block in blocks if SCAN in block.metadata}
    for one in scanned:
        assert isinstance(one.locator, _Spot)
        place, number = Locator(**_fields(one.locator)), one.locator.number
        if number in spots:
            around = {name: value for name, value in spots[number].metadata.items() if name != SCAN}
            block = one.evolve(locator=place, metadata={**around, **one.metadata})
            found.setdefault(number, []).append(_unsaid(block, texts.get(_page(block), "")))
    read = _page_texts(itertools.chain.from_iterable(found.values()))
    for block in blocks:
        if SCAN in block.metadata:
            yield from found.get(block.metadata[SCAN], [])
        elif block.kind == "heading" or not _is_said(block.text, read.get(_page(block), "")):
            yield block


def unread(scans: Sequence[Scan]) -> str:
    """Say which pictures nothing reads, those of each attachment apart.

    >>> unread([Scan(place=Locator(page=2)), Scan(place=Locator(page=3)), Scan(place=Locator(page=3))])
    'pages 2, 3 are pictures of text, and nothing here reads them'
    >>> unread([Scan(place=Locator(slide=4), within="plan.pptx")])
    'plan.pptx: a picture on slide 4 is not read'
    """
    within = itertools.groupby(sorted(scans, key=lambda one: one.within), key=lambda one: one.within)
    said = ((name, _unread([one.place for one in part])) for name, part in within)
    return "; ".join(f"{name}: {words}" if name else words for name, words in said)


def _unread(places: Sequence[Locator]) -> str:
    pages = sorted({one.page for one in places if one.page is not None})
    slides = sorted({one.slide for one in places if one.slide is not None})
    other = sum(one.page is None and one.slide is None for one in places)
    said = []
    if pages:
        said.append(
            f"page {pages[0]} is a picture of text, and nothing here reads it"
            if len(pages) == 1
            else f"pages {named_in_part(pages)} are pictures of text, and nothing here reads them"
        )
    if slides:
        several = f"pictures on slides {named_in_part(slides)} are not read"
        said.append(f"a picture on slide {slides[0]} is not read" if len(places) == 1 else several)
    if other:
        said.append("a picture in it is not read" if other == 1 else f"{other} pictures in it are not read")
    return ", ".join(said)


def _fields(place: Locator) -> Mapping[str, Any]:
    return {one.name: getattr(place, one.name) for one in dataclasses.fields(Locator)}


_Page = tuple[object, int | None]


def _page(block: Block) -> _Page:
    """A page of a document, which may be an attachment."""
    return block.metadata.get(ATTACHMENT), block.locator.page


def _page_texts(blocks: Iterable[Block]) -> Mapping[_Page, str]:
    """The letters of the text of each page."""
    texts: dict[_Page, str] = {}
    for one in blocks:
        if one.locator.page is not None and one.text:
            texts[_page(one)] = texts.get(_page(one), "") + "\n" + _letters(one.text)
    return texts


def _unsaid(block: Block, known: str) -> Block:
    if not known:
        return block
    return block.evolve(text="\n".join(one for one in block.text.split("\n") if not _is_said(one, known)))


def _is_said(text: str, known: str) -> bool:
    letters = _letters(text) if known else ""
    return len(letters) >= MIN_SAME and letters in known


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
