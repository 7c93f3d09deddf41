"""Whether a text is a table with a sign between its cells, and which sign.

Prose has commas too, and logs, code and transcripts have them in every line. So a text without a name that says so is a
table only if its lines have the same number of cells, no blank after the sign, and a head of names.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from memu_py.documents.tables import is_head
from memu_py.modality.markdown import looks_like_markdown
from memu_py.modality.messages import looks_like_messages
from memu_py.modality.transcript import looks_like_transcript

TAB = "\t"
SIGNS = (TAB, ",", ";", "|")
SAMPLE_CHARS = 65_536
SAMPLE_ROWS = 200
MIN_ROWS = 2
MIN_SHARE_TOLD = 0.6
"""Share of rows that have the usual width, where a name or the caller says that it is a table."""
MIN_SHARE = 0.95
"""… and where nobody does."""
MIN_ROWS_OF_TWO = 3
"""A table of two columns that nobody calls one has more rows."""
MAX_BLANKS = 0.2
"""Share of commas that a blank follows; in prose it is nearly all."""
MAX_NAME_WORDS = 6


class _Table(NamedTuple):
    sign: str
    rows: Sequence[Sequence[str]]
    width: int
    share: float


def delimiter(text: str, *, told: bool = False) -> str | None:
    """Return the sign between the cells of a table; None for a text that is none.

    Args:
        text: the whole, or its beginning.
        told: a name or the caller says that it is a table, which settles what is doubtful.
    """
    sample = text[:SAMPLE_CHARS]
    tables = [table for sign in SIGNS if (table := _table(sample, sign, cut=len(text) > SAMPLE_CHARS))]
    best = max(tables, key=lambda one: (one.share, one.width), default=None)
    if best is None or best.share < (MIN_SHARE_TOLD if told else MIN_SHARE):
        return None
    if told:
        return None if _is_json(text) else best.sign
    return best.sign if _is_sure(best, sample) and not _is_other(sample) else None


def _is_other(text: str) -> bool:
    return (
        text.lstrip()[0] in "{[<"
        or looks_like_messages(text)
        or looks_like_transcript(text)
        or looks_like_markdown(text)
    )


def _table(sample: str, sign: str, *, cut: bool) -> _Table | None:
    try:
        rows = [one for one in csv.reader(io.StringIO(sample, newline=""), delimiter=sign) if any(one)]
    except csv.Error:
        return None
    rows = rows[: -1 if cut and len(rows) > MIN_ROWS else None][:SAMPLE_ROWS]
    widths = Counter(len(one) for one in rows if len(one) > 1)
    if not widths:
        return None
    width, count = widths.most_common(1)[0]
    return _Table(sign, rows, width, count / len(rows)) if len(rows) >= MIN_ROWS else None


def _is_sure(table: _Table, sample: str) -> bool:
    """Whether it is a table though nobody says so."""
    head = table.rows[0]
    if table.sign == "|" or len(head) != table.width or len(table.rows) < _least_rows(table.width):
        return False
    if table.sign != TAB and sample.count(f"{table.sign} ") > MAX_BLANKS * sample.count(table.sign):
        return False
    return is_head(head) and all(_is_name(cell) for cell in head)


def _least_rows(width: int) -> int:
    return MIN_ROWS if width > MIN_ROWS else MIN_ROWS_OF_TWO


def _is_name(cell: str) -> bool:
    return bool(cell.strip()) and cell.strip()[-1] not in ".!?。！？" and len(cell.split()) <= MAX_NAME_WORDS


def _is_json(text: str) -> bool:
    """Tell whether a text is JSON, which has commas and is no table."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
