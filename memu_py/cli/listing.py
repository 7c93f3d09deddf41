"""`memu items` and `memu categories`."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from memu_py.cli.console import err, out, print_json
from memu_py.cli.options import LOCAL_USER, Agent, Config, Json, Limit, Session, User
from memu_py.cli.plain import plain
from memu_py.cli.run import settings_of, with_service
from memu_py.records.category import Category
from memu_py.records.item import Item
from memu_py.records.page import Page
from memu_py.records.scope import Scope
from memu_py.service.service import MemoryService

Cursor = Annotated[str | None, typer.Option(help="Go on where the page before ended.")]


def items(
    config: Config = None,
    user: User = LOCAL_USER,
    agent: Agent = None,
    session: Session = None,
    type_: Annotated[str | None, typer.Option("--type", help="Only items of this type.")] = None,
    superseded: Annotated[bool, typer.Option("--superseded", help="Also what holds no longer.")] = False,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """List what is remembered, the newest first."""

    async def fetch(service: MemoryService) -> Page[Item]:
        where = {"type": type_} if type_ else None
        return await service.list_items(
            where=where, descending=True, limit=limit, cursor=cursor, superseded=superseded
        )

    page = with_service(settings_of(config), Scope(user=user, agent=agent, session=session), fetch)
    if json_:
        print_json(plain(page))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("id", "type", "said", "×", "memory"):
        table.add_column(column, ratio=1 if column == "memory" else None, no_wrap=column == "id")
    for item in page:
        said = f"{item.said_at:%Y-%m-%d}" if item.said_at else ""
        speaker = f"{item.speaker}: " if item.speaker else ""
        ended = "[dim](ended)[/] " if item.valid_to else ""
        table.add_row(item.id, item.type, said, str(item.mentions), ended + escape(speaker + item.text))
    _print(table, page)


def categories(
    config: Config = None,
    user: User = LOCAL_USER,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """List topics with their summaries."""

    async def fetch(service: MemoryService) -> Page[Category]:
        return await service.list_categories(limit=limit, cursor=cursor)

    page = with_service(settings_of(config), Scope(user=user), fetch)
    if json_:
        print_json(plain(page))
        return
    table = Table(box=None, header_style="bold", pad_edge=False, show_lines=False)
    for column in ("id", "name", "items", "summary"):
        table.add_column(column, ratio=1 if column == "summary" else None, no_wrap=column == "id")
    for category in page:
        table.add_row(category.id, escape(category.name), str(category.item_count), escape(category.summary))
    _print(table, page)


def _print(table: Table, page: Page[Item] | Page[Category]) -> None:
    if not len(page):
        err.print("Nothing here yet. `memu memorize FILE` takes something in.")
        return
    out.print(table)
    if page.next_cursor:
        err.print(f"More: --cursor {page.next_cursor}", highlight=False, soft_wrap=True)
