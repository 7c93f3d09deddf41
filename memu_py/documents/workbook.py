"""XLSX: each sheet row by row, as it was last calculated."""

import dataclasses
import io
import itertools
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

import openpyxl

from memu_py.documents.archive import opened, refuse_entities
from memu_py.documents.reading import Bounds, Reading, own_title
from memu_py.documents.tables import Row, head_place, is_typed, row, table_blocks
from memu_py.modality.blocks import Block
from memu_py.records.locator import Locator

MAX_SHEET_ROWS = 1_048_576
"""Rows of a sheet in Excel."""
MAX_COLUMNS = 16_384
MIN_LOOKED = 1000
"""Rows of a sheet without any value in which formulas are looked for."""
CHUNK = 1024 * 1024

_DEFAULT_NAME = re.compile(r"(?:sheet|tabelle|feuil|hoja|工作表|シート)\s?1?", re.IGNORECASE)
_FORMULA = re.compile(rb"<f[ >/]")
_PERCENT = re.compile(r"(?<!\\)%")


def read_xlsx(data: bytes, bounds: Bounds) -> Reading:
    """Read a workbook: each table has its sheet and the numbers of its rows.

    Raises:
        InvalidInput: it is damaged, locked, or holds more than is taken.
    """
    with opened(data, max_unpacked_mb=bounds.max_unpacked_mb) as archive:
        refuse_entities(archive)
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        try:
            reader = _Workbook(workbook, archive, data, bounds.max_rows)
            blocks = tuple(reader.blocks())
            return Reading(
                blocks=blocks, title=own_title(workbook.properties.title), warnings=tuple(reader.warnings)
            )
        finally:
            workbook.close()


@dataclasses.dataclass(slots=True)
class _Workbook:
    """Reads one workbook.

    Attributes:
        workbook: opened, with the values of its formulas.
        archive: it, as a packed file.
        data: it, as bytes.
        rows_left: rows that are read yet.
        warnings: what was left out.
    """

    workbook: Any
    archive: zipfile.ZipFile
    data: bytes
    rows_left: int
    warnings: list[str] = dataclasses.field(default_factory=list)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of all sheets that are shown."""
        sheets = list(self.workbook.worksheets)
        for sheet in sheets:
            if sheet.sheet_state != "visible":
                self.warnings.append(f"sheet {sheet.title} is hidden, and is left out")
            elif self.rows_left > 0:
                yield from self._sheet(sheet, named=len(sheets) > 1)
            else:
                self.warnings.append(f"sheet {sheet.title} is left out (documents.max_rows)")

    def _sheet(self, sheet: Any, *, named: bool) -> Iterator[Block]:
        rows = list(self._rows(sheet))
        if rows and (named or not _DEFAULT_NAME.fullmatch(sheet.title)):
            yield Block(text=sheet.title, kind="heading", level=1, locator=Locator(sheet=sheet.title))
        self._check_formulas(sheet, rows)
        yield from _tables(rows, Locator(sheet=sheet.title))

    def _rows(self, sheet: Any) -> Iterator[Row]:
        """Yield the rows that hold anything."""
        # What a sheet says of its own size is often wrong.
        sheet.reset_dimensions()
        lines = itertools.islice(sheet.iter_rows(max_col=None), MAX_SHEET_ROWS)
        for number, cells in enumerate(lines, start=1):
            found = row(number, [_shown(cell) for cell in cells[:MAX_COLUMNS]])
            if not found.cells:
                continue
            if self.rows_left < 1:
                self.warnings.append(
                    f"sheet {sheet.title} is read up to its row {number - 1} (documents.max_rows)"
                )
                return
            self.rows_left -= 1
            yield found

    def _check_formulas(self, sheet: Any, rows: Sequence[Row]) -> None:
        """Warn of formulas whose values nobody has calculated."""
        if not self._has_formulas(sheet):
            return
        last = rows[-1].number if rows else MIN_LOOKED
        given = openpyxl.load_workbook(io.BytesIO(self.data), read_only=True)
        try:
            formulas = given[sheet.title]
            formulas.reset_dimensions()
            count = _uncalculated(formulas, {one.number: one.cells for one in rows}, last)
        finally:
            given.close()
        if count:
            self.warnings.append(
                f"formulas of sheet {sheet.title} without a value: {count} (open it in Excel and save it again)"
            )

    def _has_formulas(self, sheet: Any) -> bool:
        with self.archive.open(sheet._worksheet_path) as stream:
            return any(_FORMULA.search(chunk) for chunk in iter(lambda: stream.read(CHUNK), b""))


def _uncalculated(formulas: Any, values: dict[int, Sequence[str]], last: int) -> int:
    count = 0
    for number, cells in enumerate(itertools.islice(formulas.iter_rows(), last), start=1):
        shown = values.get(number, ())
        for place, cell in enumerate(cells):
            is_formula = isinstance(cell.value, str) and cell.value.startswith("=")
            count += is_formula and not (place < len(shown) and shown[place])
    return count


def _tables(rows: Sequence[Row], place: Locator) -> Iterator[Block]:
    """Yield the tables of a sheet: an empty row ends one; what follows without a head goes on with the one above."""
    head: Sequence[str] = ()
    for _, run in itertools.groupby(enumerate(rows), key=lambda pair: pair[1].number - pair[0]):
        part = [one for _, one in run]
        goes_on = _goes_on([one.cells for one in part], head)
        if not goes_on and (found := head_place([one.cells for one in part])) is not None:
            head = part[found].cells
        yield from table_blocks(part, locator=place, head=head if goes_on else None)


def _goes_on(rows: Sequence[Sequence[str]], head: Sequence[str]) -> bool:
    """Whether rows below an empty one belong to the table above it: they fit its head, and have none of their own."""
    widths = {len(one) for one in rows}
    return max(widths) > 1 and len(head) in widths and max(widths) <= len(head) and not is_typed(rows)


def _shown(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if (
        isinstance(value, float | int)
        and not isinstance(value, bool)
        and _PERCENT.search(cell.number_format or "")
    ):
        return f"{value * 100:.10g}%"
    return shown(value)


def shown(value: Any) -> str:
    """Return a value as text, dates as ISO 8601.

    >>> from datetime import datetime
    >>> shown(datetime(2026, 3, 2)), shown(3.0), shown(0.1 + 0.2), shown("tea")
    ('2026-03-02', '3', '0.3', 'tea')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time.min else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)
