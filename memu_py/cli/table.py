"""Tables: fitted to a terminal for people, and tab-separated lines for everything else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Literal, TypeVar

from rich.markup import render
from rich.table import Table

from memu_py.cli.console import err, out, print_text, printable

if TYPE_CHECKING:
    from memu_py.records.page import Page

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: its heading.
        justify: where its cells stand.
        wide: it takes the room that the others leave.
        whole: its cells are never broken into lines, such as ids, which people copy.
        style: of its cells.
    """

    name: str
    justify: Literal["left", "right"] = "left"
    wide: bool = False
    whole: bool = False
    style: str | None = None


def columns(*names: str, wide: str | None = None, whole: str | None = None) -> list[Column]:
    """Return columns of these names, of which one may be wide and one whole."""
    return [Column(name=name, wide=name == wide, whole=name == whole) for name in names]


def day(moment: datetime | None, zone: tzinfo) -> str:
    """Return the day of a moment in a zone; nothing for none."""
    return f"{moment.astimezone(zone):%Y-%m-%d}" if moment else ""


def print_table(heads: Sequence[Column], rows: Iterable[Sequence[str]], *, title: str | None = None) -> None:
    """Print rows.

    On a terminal this is a table that fits it. Elsewhere it is one line a row, cells parted by tabs and never cut or
    wrapped, so that other programs can read it.

    Args:
        heads: the columns.
        rows: cells as markup; text of others must be escaped.
        title: a line above.
    """
    if out.is_terminal:
        out.print(_fitted(heads, rows, title))
        return
    lines = [title] if title else []
    lines += ["\t".join(head.name for head in heads), *("\t".join(map(_plain, row)) for row in rows)]
    print_text("\n".join(lines))


def print_page(
    page: Page[T], heads: Sequence[Column], row: Callable[[T], Sequence[str]], *, nothing: str
) -> None:
    """Print the records of a page, and how to go on.

    Args:
        page: the records.
        heads: the columns.
        row: makes a record's cells.
        nothing: what to say of an empty page.
    """
    if not len(page):
        err.print(nothing, soft_wrap=True)
        return
    print_table(heads, map(row, page))
    if page.next_cursor:
        err.print(f"More: --cursor {page.next_cursor}", highlight=False, soft_wrap=True)


def _fitted(heads: Sequence[Column], rows: Iterable[Sequence[str]], title: str | None) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for head in heads:
        table.add_column(
            head.name,
            justify=head.justify,
            ratio=1 if head.wide else None,
            no_wrap=head.whole,
            style=head.style,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(printable, row))
    return table


def _plain(cell: str) -> str:
    return printable(" ".join(render(cell, emoji=False).plain.split()))
