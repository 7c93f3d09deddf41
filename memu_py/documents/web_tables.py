"""Tables of HTML: those that hold data, and those that only lay out a page."""

from collections.abc import Callable, Iterator, Sequence

from bs4 import Tag

MAX_SPAN = 64
"""Columns or rows that one cell covers at most: a page may claim millions."""
MAX_COLUMNS = 1000
_LAYOUT = ("table", "h1", "h2", "h3", "h4", "h5", "h6", "form", "article", "pre")


def is_data_table(table: Tag) -> bool:
    """Tell whether a table holds data: it has two columns somewhere, and no headings or tables in its cells."""
    if table.get("role") in ("presentation", "none") or table.find(_LAYOUT) is not None:
        return False
    return any(len(line.find_all(["td", "th"], recursive=False)) > 1 for line in table.find_all("tr"))


def table_rows(table: Tag, words: Callable[[Tag], str]) -> tuple[Sequence[str] | None, list[list[str]]]:
    """Return the head of a table, where the page says which it is, and its other rows.

    A cell that covers several rows stands in each of them; one that covers several columns stands in the first.

    Args:
        table: the element.
        words: gives the text of a cell.
    """
    rows: list[list[str]] = []
    head: Sequence[str] | None = None
    below: dict[int, tuple[int, str]] = {}
    for line in table.find_all("tr"):
        tags = line.find_all(["td", "th"], recursive=False)
        cells = list(_cells(tags, below, words))
        is_head = bool(tags) and all(cell.name == "th" for cell in tags)
        if is_head and head is None and not rows and sum(map(bool, cells)) > 1:
            head = [" ".join(cell.split()) for cell in cells]
        else:
            rows.append(cells)
    return head, rows


def _cells(
    tags: Sequence[Tag], below: dict[int, tuple[int, str]], words: Callable[[Tag], str]
) -> Iterator[str]:
    """Yield the cells of a row, with those of rows above that reach into it."""
    column = 0
    for tag in tags:
        while column in below:
            yield _reaching(below, column)
            column += 1
        text = words(tag).strip()
        wide, high = _span(tag, "colspan"), _span(tag, "rowspan")
        for place in range(wide):
            if column >= MAX_COLUMNS:
                return
            if high > 1:
                below[column] = (high - 1, text if place == 0 else "")
            yield text if place == 0 else ""
            column += 1
    while column in below:
        yield _reaching(below, column)
        column += 1


def _reaching(below: dict[int, tuple[int, str]], column: int) -> str:
    left, text = below.pop(column)
    if left > 1:
        below[column] = (left - 1, text)
    return text


def _span(tag: Tag, name: str) -> int:
    said = str(tag.get(name) or "1").strip()
    return min(max(int(said), 1), MAX_SPAN) if said.isascii() and said.isdigit() and len(said) < 10 else 1
