"""An index as plain arrays."""

import dataclasses

from memu_py.index.arrays import Arrays


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class IndexImage:
    """What makes an index, to be kept in a file.

    Attributes:
        by_row: arrays with one entry a row.
        whole: arrays of other lengths.
        speakers: names, in order of their numbers.
    """

    by_row: Arrays
    whole: Arrays
    speakers: tuple[str, ...]
