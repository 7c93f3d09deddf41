"""`memu timeline`: what happened when."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.listing import Cursor
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, columns, day, print_page, print_table
from memu_py.errors import InvalidInput
from memu_py.language.zones import zone
from memu_py.records.page import Page
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.item import Item
    from memu_py.records.period import PeriodCount, Recounted
    from memu_py.service.service import MemoryService

ITEMS = columns("id", "when", "type", "memory", wide="memory", whole="id")
COUNTS = [*columns("from", "to"), Column(name="memories", justify="right")]


def timeline(
    question: Annotated[
        str | None, typer.Argument(help="A time in words, such as “in May”.", metavar="QUESTION")
    ] = None,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    from_: Annotated[
        datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="The first day.")
    ] = None,
    to: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day.")] = None,
    by: Annotated[str | None, typer.Option(help="Count by day, week or month.")] = None,
    type_: Annotated[list[str] | None, typer.Option("--type", help="Only items of this type.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """Show what happened when, the earliest first; or count it."""
    if question is not None and (from_ or to or by):
        msg = "give either a time in words, or --from, --to and --by"
        raise InvalidInput(msg)
    settings = settings_of(config)
    scope = scope_of(settings, user, agent, session)
    local = zone(settings.timezone_of(scope.user))
    first, last = from_.date() if from_ else None, to.date() if to else None

    async def look(service: MemoryService) -> Page[Item] | Recounted | list[PeriodCount]:
        if by is not None:
            return await service.timeline.counts(by, first, last, types=type_)  # type: ignore[arg-type]
        if question is not None:
            return await service.timeline.about(question, types=type_, limit=limit, cursor=cursor)
        return await service.timeline.items(first, last, types=type_, limit=limit, cursor=cursor)

    found = with_service(settings, scope, look)
    if json_:
        print_json(plain(found))
    else:
        _show(found, local)


def _show(found: Page[Item] | Recounted | list[PeriodCount], local: tzinfo) -> None:
    if isinstance(found, list):
        rows = [[one.first.isoformat(), one.last.isoformat(), str(one.count)] for one in found]
        print_table(COUNTS, rows)
        return
    if not isinstance(found, Page):
        err.print(f"{day(found.span.start, local)} to {day(found.span.until, local)}", soft_wrap=True)
        found = found.page
    print_page(found, ITEMS, lambda item: _row(item, local), nothing="Nothing is remembered of that time.")


def _row(item: Item, local: tzinfo) -> list[str]:
    when = item.happened.start if item.happened else item.said_at or item.created_at
    speaker = f"{item.speaker}: " if item.speaker else ""
    return [item.id, day(when, local), escape(item.type), escape(speaker + item.text)]
