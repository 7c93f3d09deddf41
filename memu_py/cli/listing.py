"""`memu items` and `memu categories`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.markup import escape

from memu_py.cli.console import print_json
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, columns, day, print_page
from memu_py.language.zones import zone
from memu_py.records.cited import uncited
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.category import Category
    from memu_py.records.item import Item
    from memu_py.records.page import Page
    from memu_py.service.service import MemoryService

Cursor = Annotated[str | None, typer.Option(help="Go on where the page before ended.")]
T = TypeVar("T")

ITEM_COLUMNS = columns("id", "type", "said", "×", "memory", wide="memory", whole="id")
CATEGORY_COLUMNS = columns("id", "name", "items", "summary", wide="summary", whole="id")


def items(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    type_: Annotated[str | None, typer.Option("--type", help="Only items of this type.")] = None,
    superseded: Annotated[bool, typer.Option("--superseded", help="Also what holds no longer.")] = False,
    archived: Annotated[
        bool, typer.Option("--archived", help="Also what is put away, or has expired.")
    ] = False,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """List what is remembered, the newest first."""

    async def fetch(service: MemoryService) -> Page[Item]:
        where = {"type": type_} if type_ else None
        return await service.list_items(
            where=where,
            descending=True,
            limit=limit,
            cursor=cursor,
            superseded=superseded,
            include_archived=archived,
        )

    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    page = with_service(settings, scope, fetch)
    local = zone(settings.timezone_of(scope.user))
    _print(page, ITEM_COLUMNS, lambda item: _item(item, local), as_json=json_)


def categories(
    config: Config = None,
    user: User = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """List topics with their summaries."""

    async def fetch(service: MemoryService) -> Page[Category]:
        return await service.list_categories(limit=limit, cursor=cursor)

    settings = settings_of(config)
    page = with_service(settings, scope_of(settings, user), fetch)
    _print(page, CATEGORY_COLUMNS, _category, as_json=json_)


def _item(item: Item, local: tzinfo) -> list[str]:
    said = day(item.said_at, local)
    speaker = f"{item.speaker}: " if item.speaker else ""
    ended = "[dim](ended)[/] " if item.valid_to else ""
    ended += "[dim](archived)[/] " if item.archived_at else ""
    return [item.id, escape(item.type), said, str(item.mentions), ended + escape(speaker + item.text)]


def _category(category: Category) -> list[str]:
    return [category.id, escape(category.name), str(category.item_count), escape(uncited(category.summary))]


def _print(
    page: Page[T], heads: Sequence[Column], row: Callable[[T], Sequence[str]], *, as_json: bool
) -> None:
    if as_json:
        print_json(plain(page))
        return
    nothing = "Nothing here yet. `memu memorize FILE` takes something in."
    print_page(page, heads, row, nothing=nothing)
