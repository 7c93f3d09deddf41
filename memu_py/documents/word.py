"""DOCX: paragraphs, lists and tables in the order of the document.

python-docx opens the package and knows its styles. Its own paragraphs leave out what stands in tracked insertions and
in content controls, so the text is taken from the XML.
"""

import dataclasses
import io
import re
from collections.abc import Iterator
from typing import Any

from docx.document import Document
from docx.opc.constants import CONTENT_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE as RELATION
from docx.opc.part import PartFactory
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.package import Package
from docx.parts.document import DocumentPart

from memu_py.documents.archive import opened, refuse_entities
from memu_py.documents.lists import as_lists
from memu_py.documents.reading import Bounds, Reading, own_title
from memu_py.documents.tables import row, table_blocks
from memu_py.errors import InvalidInput
from memu_py.modality.blocks import Block

MAX_SPAN = 64
"""Columns that one cell of a table covers at most."""
MAX_LEVEL = 9

_OTHERS = tuple(
    f"application/vnd.{kind}.main+xml"
    for kind in (
        "ms-word.document.macroEnabled",
        "ms-word.template.macroEnabledTemplate",
        "openxmlformats-officedocument.wordprocessingml.template",
    )
)
"""A template, and a document with macros, which are never run, are documents too."""
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLES = {"title": 1, "subtitle": 2}
_LIST_STYLE = re.compile(r"list (?:bullet|number|paragraph)", re.IGNORECASE)
_SKIPPED = frozenset(qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:txbxContent"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BREAKS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_P, _TBL, _TR, _TC, _T = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc"), qn("w:t")
_HOLDERS = frozenset(
    qn(name) for name in ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")
)
_TEXT_BOX = qn("w:txbxContent")


def read_docx(data: bytes, bounds: Bounds) -> Reading:
    """Read a Word document. It has no pages: what breaks it into pages is the printer.

    Raises:
        InvalidInput: it is damaged, locked, or holds more than is taken.
    """
    with opened(data, max_unpacked_mb=bounds.max_unpacked_mb) as archive:
        refuse_entities(archive)
    document = _document(data)
    body = _Body(document, bounds.max_rows)
    blocks = [*body.margins(), *body.blocks(document.element.body), *body.notes()]
    return Reading(
        blocks=tuple(as_lists(blocks)),
        title=own_title(document.core_properties.title),
        warnings=tuple(body.warnings),
    )


def _document(data: bytes) -> Document:
    for content_type in _OTHERS:
        PartFactory.part_type_for[content_type] = DocumentPart
    part = Package.open(io.BytesIO(data)).main_document_part
    if part.content_type not in (CONTENT_TYPE.WML_DOCUMENT_MAIN, *_OTHERS):
        msg = f"its main part is {part.content_type}, and no text"
        raise InvalidInput(msg)
    return part.document  # type: ignore[no-any-return]


@dataclasses.dataclass(slots=True)
class _Body:
    """Reads one document.

    Attributes:
        document: opened.
        rows_left: rows of tables that are read yet.
        warnings: what was left out.
    """

    document: Document
    rows_left: int
    warnings: list[str] = dataclasses.field(default_factory=list)
    styles: dict[str, tuple[str, int]] = dataclasses.field(default_factory=dict)

    def blocks(self, holder: Any) -> Iterator[Block]:
        """Yield the blocks in an element."""
        for child in holder:
            if child.tag == _P:
                yield from self._paragraph(child)
            elif child.tag == _TBL:
                yield from self._table(child)
            elif child.tag in _HOLDERS:
                yield from self.blocks(child)

    def _paragraph(self, paragraph: Any) -> Iterator[Block]:
        text = _text(paragraph)
        if text.strip():
            kind, level = self._kind(paragraph)
            yield Block(text=text if kind != "heading" else " ".join(text.split()), kind=kind, level=level)  # type: ignore[arg-type]
        for box in _boxes(paragraph):
            yield from self.blocks(box)

    def _kind(self, paragraph: Any) -> tuple[str, int]:
        properties = paragraph.pPr
        if properties is None:
            return "paragraph", 0
        outline = properties.find(qn("w:outlineLvl"))
        if outline is not None and int(outline.get(qn("w:val"), MAX_LEVEL)) < MAX_LEVEL:
            return "heading", int(outline.get(qn("w:val"))) + 1
        style = properties.pStyle.val if properties.pStyle is not None else ""
        kind, level = self._style(style)
        if kind == "paragraph" and properties.numPr is not None:
            return "list", 0
        return kind, level

    def _style(self, style: str) -> tuple[str, int]:
        """What a style makes of a paragraph: names of built-in styles are English in every language of Word."""
        if not self.styles:
            self.styles = {one.style_id: _meaning(one) for one in self.document.styles}
        return self.styles.get(style, ("paragraph", 0))

    def _table(self, table: Any) -> list[Block]:
        rows = _rows(table)
        if len(rows) > self.rows_left:
            self.warnings.append(f"a table is read up to its row {self.rows_left} (documents.max_rows)")
            rows = rows[: self.rows_left]
        self.rows_left -= len(rows)
        filled = [cells for cells in rows if any(cells)]
        if any(len(cells) > 1 for cells in filled):
            return table_blocks([row(number, cells) for number, cells in enumerate(filled, start=1)])
        # A frame around text is no table.
        return [Block(text=cell) for cells in filled for cell in cells]

    def margins(self) -> Iterator[Block]:
        """Yield the running heads and feet, each once."""
        parts = (
            part
            for section in self.document.sections
            for part in (section.header, section.footer)
            if not part.is_linked_to_previous
        )
        texts = ("\n".join(filter(None, map(_text, part._element.iter(_P)))).strip() for part in parts)
        yield from (Block(text=text, kind="context") for text in dict.fromkeys(texts) if text)

    def notes(self) -> Iterator[Block]:
        """Yield footnotes, endnotes and comments."""
        for relation, wanted in ((RELATION.FOOTNOTES, "w:footnote"), (RELATION.ENDNOTES, "w:endnote")):
            for part in _related(self.document, relation):
                yield from _notes(parse_xml(part.blob), wanted)
        for comment in self.document.comments:
            text = " ".join(comment.text.split())
            said_at = comment.timestamp if comment.timestamp and comment.timestamp.tzinfo else None
            if text:
                yield Block(text=text, kind="notes", speaker=comment.author or None, said_at=said_at)


def _meaning(style: Any) -> tuple[str, int]:
    """What a style is for, or the one that it is made from."""
    for _ in range(MAX_LEVEL):
        name = (style.name or "").lower()
        if heading := _HEADING.match(name):
            return "heading", int(heading[1])
        if name in _TITLES:
            return "heading", _TITLES[name]
        if _LIST_STYLE.match(name):
            return "list", 0
        style = getattr(style, "base_style", None)
        if style is None:
            break
    return "paragraph", 0


def _related(document: Document, relation: str) -> list[Any]:
    return [
        one.target_part
        for one in document.part.rels.values()
        if one.reltype == relation and not one.is_external
    ]


def _notes(root: Any, wanted: str) -> Iterator[Block]:
    for note in root.iter(qn(wanted)):
        # Those with a type are the lines that part notes from the text.
        text = "\n".join(filter(None, map(_text, note.iter(_P)))).strip()
        if note.get(qn("w:type")) is None and text:
            yield Block(text=text, kind="notes")


def _text(element: Any) -> str:
    return "".join(_words(element)).strip()


def _words(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag == _T:
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        elif child.tag not in _SKIPPED and child.tag != _FALLBACK:
            yield from _words(child)


def _boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the text boxes that hang on a paragraph; each is there twice, for old programs."""
    for box in paragraph.iter(_TEXT_BOX):
        if not any(above.tag == _FALLBACK for above in box.iterancestors()):
            yield box


def _rows(table: Any) -> list[list[str]]:
    """Return the cells of a table as text; one that covers several rows stands in each."""
    rows: list[list[str]] = []
    for line in _within(table, _TR):
        cells: list[str] = []
        for cell in _within(line, _TC):
            text = _cell_text(cell)
            properties = cell.tcPr
            merged = properties.vMerge if properties is not None else None
            if merged is not None and merged.val != "restart" and rows and len(cells) < len(rows[-1]):
                text = rows[-1][len(cells)]
            span = (
                properties.gridSpan.val if properties is not None and properties.gridSpan is not None else 1
            )
            cells += [text, *([""] * (min(max(span, 1), MAX_SPAN) - 1))]
        rows.append(cells)
    return rows


def _within(holder: Any, tag: str) -> Iterator[Any]:
    for child in holder:
        if child.tag == tag:
            yield child
        elif child.tag in _HOLDERS:
            yield from _within(child, tag)


def _cell_text(cell: Any) -> str:
    return "\n".join(filter(None, (_text(one) for one in cell.iter(_P))))
