"""What a reader takes and gives: it stands in a process of its own, so both are made of plain data."""

import base64
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator
from memu_py.records.record import Record

MAX_CHARS = 20_000_000
"""Text of a document at most: some thirty long novels. What is longer is cut, with a warning."""
MAX_NAMED = 12
"""Pages or slides that a message names."""
ATTACHMENT = "attachment"
"""Metadata: the name of what was attached, on what stands in it."""
SCAN = "scan"
"""Metadata of a block without text: the number of the picture that is to be read in its place."""
PROGRAM_PREFIX = "Microsoft Word - "
NO_TITLES = frozenset(
    {"untitled", "anonymous", "(anonymous)", "(unspecified)", "unknown", "word document", "powerpoint presentation",
     "powerpoint 演示文稿", "slide 1", "无标题", "未命名"}
)  # fmt: skip
"""What programs call a document that nobody has named, in small letters."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Bounds(Record):
    """How far a reader goes.

    Attributes:
        max_pages: pages or slides, in all.
        max_rows: rows of tables, in all.
        max_unpacked_mb: what a packed file may hold unpacked, in MB.
        charset: how the text was made bytes, where that is known.
    """

    max_pages: int = 2000
    max_rows: int = 20_000
    max_unpacked_mb: int = 500
    charset: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain data."""
        return dataclasses.asdict(self)


def named_in_part(numbers: Sequence[int]) -> str:
    """Return numbers of pages or slides as a message names them: the first few.

    >>> named_in_part([2, 3]), named_in_part(range(1, 20))
    ('2, 3', '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 …')
    """
    return ", ".join(map(str, numbers[:MAX_NAMED])) + (" …" if len(numbers) > MAX_NAMED else "")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Scan(Record):
    """A picture that may be of text.

    Attributes:
        place: where it stands.
        image: as a file, upright; None where it cannot be taken out.
        within: name of the attachment that holds it.
    """

    place: Locator = dataclasses.field(default_factory=Locator)
    image: bytes | None = None
    within: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        image = self.image and base64.b64encode(self.image).decode("ascii")
        return {"place": self.place.to_dict(), "image": image, "within": self.within}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        image = kept["image"] and base64.b64decode(kept["image"])
        return cls(place=Locator.from_dict(kept["place"]), image=image, within=kept["within"])


def spot(number: int, place: Locator) -> Block:
    """Return the block in whose place stands what is read in a picture.

    Args:
        number: of the picture in `Reading.scans`, from 0.
        place: where it stands.
    """
    return Block(text="", locator=place, metadata={SCAN: number})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reading(Record):
    """What was read of a document.

    Attributes:
        blocks: in order.
        title: what it calls itself, where it does.
        warnings: what was left out, or may be wrong.
        scans: pictures that may be of text; a block without text says where each is to stand.
    """

    blocks: tuple[Block, ...] = ()
    title: str | None = None
    warnings: tuple[str, ...] = ()
    scans: tuple[Scan, ...] = ()

    @property
    def heading(self) -> str | None:
        """Its title, or its first heading of the highest level."""
        headings = [one for one in self.blocks if one.kind == "heading" and one.text.strip()]
        first = min(headings, key=lambda one: one.level, default=None)
        return self.title or (first.text if first else None)

    def bounded(self) -> Self:
        """Return it with no more text than is taken."""
        kept = tuple(_first(self.blocks, MAX_CHARS))
        if len(kept) == len(self.blocks):
            return self
        more = f"only the first {MAX_CHARS // 1_000_000} million characters are read"
        return self.evolve(blocks=kept, warnings=(*self.warnings, more))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "blocks": [one.to_dict() for one in self.blocks],
            "title": self.title,
            "warnings": list(self.warnings),
            "scans": [one.to_dict() for one in self.scans],
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        return cls(
            blocks=tuple(Block.from_dict(one) for one in kept["blocks"]),
            title=kept["title"],
            warnings=tuple(kept["warnings"]),
            scans=tuple(Scan.from_dict(one) for one in kept["scans"]),
        )


def own_title(said: object) -> str | None:
    """Return what a document calls itself; None for what its program calls all documents.

    >>> own_title("Microsoft Word - Lease"), own_title("PowerPoint Presentation")
    ('Lease', None)
    """
    title = " ".join(str(said or "").split()).removeprefix(PROGRAM_PREFIX)
    return None if title.lower() in NO_TITLES else title or None


def _first(blocks: Iterable[Block], most: int) -> Iterator[Block]:
    for block in blocks:
        most -= len(block.text)
        if most < 0:
            return
        yield block
