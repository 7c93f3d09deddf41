"""What came of taking all that is somebody's along, and of giving it back."""

import dataclasses
from collections.abc import Mapping

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Exported(Record):
    """An export that was written.

    Attributes:
        id: of the export.
        rows: how many, by table.
        originals: how many.
        lost: hashes of originals that were not there any more.
    """

    id: str
    rows: Mapping[str, int]
    originals: int
    lost: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Imported(Record):
    """An export that was read in.

    Attributes:
        id: of the export.
        rows: how many were written, by table; none when it was known.
        originals: how many.
        embedded: memories and names whose vectors were made anew, because another embedder made those of the export.
        known: it was there already, and nothing was written.
    """

    id: str
    rows: Mapping[str, int] = dataclasses.field(default_factory=dict)
    originals: int = 0
    embedded: int = 0
    known: bool = False
