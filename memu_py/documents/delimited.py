"""CSV and TSV: tables of text."""

import csv
import io
import itertools
from collections.abc import Iterator

from memu_py.documents.delimiter import delimiter
from memu_py.documents.reading import Bounds, Reading
from memu_py.documents.tables import Row, row, table_blocks
from memu_py.errors import InvalidInput
from memu_py.modality.encoding import decode
from memu_py.modality.raw import Raw
from memu_py.records.locator import Locator

MAX_CELL_CHARS = 1_000_000


def read_delimited(data: bytes, bounds: Bounds) -> Reading:
    """Read a table: its blocks have the numbers of their rows, as a spreadsheet shows them.

    Raises:
        InvalidInput: its lines are no rows of a table.
    """
    decoded = decode(Raw(data=data, charset=bounds.charset))
    warnings = [decoded.warning] if decoded.warning else []
    sign = delimiter(decoded.text, told=True)
    if sign is None:
        msg = "its lines have no cells"
        raise InvalidInput(msg)
    rows = list(itertools.islice(_rows(decoded.text, sign), bounds.max_rows + 1))
    if len(rows) > bounds.max_rows:
        rows.pop()
        warnings.append(f"only the first {bounds.max_rows} rows are read (documents.max_rows)")
    return Reading(blocks=tuple(table_blocks(rows, locator=Locator())), warnings=tuple(warnings))


def _rows(text: str, sign: str) -> Iterator[Row]:
    csv.field_size_limit(MAX_CELL_CHARS)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    for number, cells in enumerate(lines, start=1):
        found = row(number, cells)
        if found.cells:
            yield found
