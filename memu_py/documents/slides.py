"""PPTX: titles, text, tables, charts and notes, slide by slide."""

import dataclasses
import io
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from pptx.opc.constants import CONTENT_TYPE
from pptx.package import Package

from memu_py.documents.archive import opened, refuse_entities
from memu_py.documents.lists import as_lists
from memu_py.documents.reading import Bounds, Reading, own_title
from memu_py.documents.tables import row, table_blocks, told
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator

MAX_DEPTH = 20
"""Groups of shapes within groups."""
MAX_POINTS = 200
"""Values of a chart that are read."""

_TYPES = (
    CONTENT_TYPE.PML_PRESENTATION_MAIN,
    CONTENT_TYPE.PML_PRES_MACRO_MAIN,
    CONTENT_TYPE.PML_TEMPLATE_MAIN,
    CONTENT_TYPE.PML_SLIDESHOW_MAIN,
)


def read_pptx(data: bytes, bounds: Bounds) -> Reading:
    """Read a presentation: each block has its slide, and its notes follow it.

    Raises:
        InvalidInput: it is damaged, locked, or holds more than is taken.
    """
    with opened(data, max_unpacked_mb=bounds.max_unpacked_mb) as archive:
        refuse_entities(archive)
    part = Package.open(io.BytesIO(data)).main_document_part
    if part.content_type not in _TYPES:
        msg = f"its main part is {part.content_type}, and no presentation"
        raise InvalidInput(msg)
    slides = part.presentation.slides
    deck = _Deck(bounds.max_rows)
    if len(slides) > bounds.max_pages:
        deck.warnings.append(
            f"only the first {bounds.max_pages} of {len(slides)} slides are read (documents.max_pages)"
        )
    shown = itertools.islice(enumerate(slides, start=1), bounds.max_pages)
    blocks = [block for number, slide in shown for block in deck.blocks(slide, number)]
    return Reading(
        blocks=tuple(as_lists(blocks)),
        title=own_title(part.presentation.core_properties.title),
        warnings=tuple(deck.warnings),
    )


@dataclasses.dataclass(slots=True)
class _Deck:
    """Reads one presentation.

    Attributes:
        rows_left: rows of tables that are read yet.
        warnings: what was left out.
    """

    rows_left: int
    warnings: list[str] = dataclasses.field(default_factory=list)

    def blocks(self, slide: Any, number: int) -> Iterator[Block]:
        """Yield the blocks of a slide, the title first: without one nothing of the slide before goes on."""
        if slide._element.get("show") == "0":
            self.warnings.append(f"slide {number} is hidden, and is left out")
            return
        place = Locator(slide=number)
        heading = slide.shapes.title
        words = " ".join(heading.text_frame.text.split()) if heading is not None else ""
        yield Block(text=words, kind="heading", level=1, locator=place)
        for shape in _flat(slide.shapes):
            if heading is None or shape.shape_id != heading.shape_id:
                yield from (one.evolve(locator=place) for one in self._shape(shape))
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            yield Block(text=notes.text.strip(), kind="notes", locator=place)

    def _shape(self, shape: Any) -> Iterator[Block]:
        if getattr(shape, "has_table", False) and shape.has_table:
            yield from self._table(shape.table)
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            yield from _chart(shape.chart)
        elif shape.has_text_frame:
            yield from _text(shape.text_frame)

    def _table(self, table: Any) -> list[Block]:
        rows = [[cell.text for cell in one.cells] for one in table.rows]
        if len(rows) > self.rows_left:
            self.warnings.append(f"a table is read up to its row {self.rows_left} (documents.max_rows)")
            rows = rows[: self.rows_left]
        self.rows_left -= len(rows)
        filled = [cells for cells in rows if any(map(str.strip, cells))]
        return table_blocks([row(number, cells) for number, cells in enumerate(filled, start=1)])


def _flat(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        inner = getattr(shape, "shapes", None)
        if inner is None:
            yield shape
        elif depth < MAX_DEPTH:
            yield from _flat(inner, depth + 1)


def _text(frame: Any) -> Iterator[Block]:
    paragraphs = [(one, one.text.replace("\v", "\n").strip()) for one in frame.paragraphs]
    filled = [(one, text) for one, text in paragraphs if text]
    # Several short lines in one frame are points, whether or not the layout draws bullets.
    kind = "list" if len(filled) > 1 else "paragraph"
    for paragraph, text in filled:
        points = "  " * paragraph.level + text if kind == "list" else text
        yield Block(text=points, kind=kind)  # type: ignore[arg-type]


def _chart(chart: Any) -> Iterator[Block]:
    """Yield what a chart shows as a table; one that cannot be read is a picture, and left out."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield Block(text=chart.chart_title.text_frame.text)
    for plot in chart.plots:
        names = ["", *(str(one.name or "") for one in plot.series)]
        values = [list(one.values) for one in plot.series]
        lines = [
            told(names, [str(category), *(_value(one, place) for one in values)])
            for place, category in enumerate(list(plot.categories)[:MAX_POINTS])
        ]
        yield Block(text="\n".join(lines), kind="table")


def _value(values: list[Any], place: int) -> str:
    value = values[place] if place < len(values) else None
    return "" if value is None else f"{value:g}"
