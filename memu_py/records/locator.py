"""Where in an original a segment stands: a page, a box, a span of seconds, some rows."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

from memu_py.records.record import Record

LOCATOR = "locator"
"""Key of a segment's metadata, and of its items', under which the locator stands as a mapping."""

_NAMED = ("page", "slide", "sheet", "chapter", "frame")
MINUTE, HOUR = 60, 3600


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Locator(Record):
    """A place in an original. What does not apply is None.

    Attributes:
        page: of a PDF, from 1.
        slide: of a presentation, from 1.
        sheet: name of a sheet of a workbook.
        rows: first and last row of a table, from 1, as a person counts them.
        chapter: of a book: its title, or its file.
        frame: of an animated or many-paged picture, from 1.
        box: left, top, right, bottom in pixels of the picture, after its orientation is applied.
        start_s: second at which a span of a recording begins.
        end_s: second at which it ends.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    chapter: str | None = None
    frame: int | None = None
    box: tuple[int, int, int, int] | None = None
    start_s: float | None = None
    end_s: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, without what does not apply.

        >>> Locator(page=3, box=(0, 10, 200, 30)).to_dict()
        {'page': 3, 'box': [0, 10, 200, 30]}
        """
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value is not None
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave; unknown keys are left out."""
        names = {field.name for field in dataclasses.fields(cls)}
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in kept.items()
            if name in names
        }
        return cls(**given)

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Self | None:
        """Return the locator that metadata of a segment or an item holds; None without one."""
        kept = metadata.get(LOCATOR)
        return cls.from_dict(kept) if isinstance(kept, Mapping) else None

    def __str__(self) -> str:
        """Write it for a person.

        >>> str(Locator(page=3)), str(Locator(start_s=61.5, end_s=64.0))
        ('page 3', '1:01–1:04')
        >>> str(Locator(sheet="Prices", rows=(2, 8)))
        'sheet Prices, rows 2–8'
        """
        named = {name: getattr(self, name) for name in _NAMED}
        parts = [f"{name} {value}" for name, value in named.items() if value is not None]
        if self.rows is not None:
            first, last = self.rows
            parts.append(f"row {first}" if first == last else f"rows {first}–{last}")
        if self.box is not None:
            parts.append("box {},{}–{},{}".format(*self.box))
        if self.start_s is not None:
            end = "" if self.end_s is None else f"–{clock(self.end_s)}"
            parts.append(f"{clock(self.start_s)}{end}")
        return ", ".join(parts)


def clock(seconds: float) -> str:
    """Write seconds from the beginning of a recording.

    >>> clock(5.2), clock(3725)
    ('0:05', '1:02:05')
    """
    whole = int(seconds)
    hours, minutes, rest = whole // HOUR, whole % HOUR // MINUTE, whole % MINUTE
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
