"""`memu history`: what happened to a record, or to all of somebody's; and `memu rollback`, which undoes it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.listing import Cursor
from memu_py.cli.options import Agent, Config, Json, Limit, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, columns, print_page, print_table
from memu_py.errors import InvalidInput
from memu_py.language.zones import zone
from memu_py.records.page import Page
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from datetime import tzinfo

    from memu_py.records.change import Change
    from memu_py.records.rollback import Moment, Rollback, Undo
    from memu_py.service.service import MemoryService

COLUMNS = [
    *columns("when", "who", "what", whole="when"),
    Column(name="before", wide=True),
    Column(name="after", wide=True),
    Column(name="why", wide=True),
    Column(name="seq", justify="right"),
]
CHANGES = [*columns("seq", "when", "who", "what", "record", whole="when"), Column(name="after", wide=True)]
UNDONE = [*columns("what", "kind", "record"), Column(name="says", wide=True), Column(name="fields")]
WORDS = {"create": "comes back", "update": "changes", "delete": "goes"}


def history(
    record_id: Annotated[
        str | None,
        typer.Argument(
            help="Id of an item, a category or a resource; without it, recent changes.", metavar="ID"
        ),
    ] = None,
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    json_: Json = False,
) -> None:
    """Show what happened to a record, the oldest first; or what happened of late, the newest first."""

    async def fetch(service: MemoryService) -> Page[Change]:
        if record_id is None:
            return await service.changes(limit=limit, cursor=cursor)
        return Page(records=tuple(await service.history(record_id)))

    settings = settings_of(config)
    page = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json(plain(page.records if record_id is not None else page))
    elif record_id is not None:
        print_table(COLUMNS, map(_row, page.records))
    else:
        print_page(page, CHANGES, _change, nothing="Nothing has happened yet.")


def rollback(
    to: Annotated[
        str, typer.Option("--to", help="A moment, such as 2026-03-01T18:30, or a number of `memu history`.")
    ],
    config: Config = None,
    user: User = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    json_: Json = False,
) -> None:
    """Put a memory back to as it was at a moment; what it does can be undone the same way."""
    settings = settings_of(config)
    scope = scope_of(settings, user)
    moment = _moment(to, zone(settings.timezone_of(scope.user)))

    async def work(service: MemoryService) -> Rollback:
        return await service.rollback(moment, dry_run=dry_run)

    done = with_service(settings, scope, work)
    if json_:
        print_json(plain(done))
        return
    _tell(done)


def _tell(done: Rollback) -> None:
    if done.undone:
        print_table(UNDONE, map(_undo, done.undone))
    else:
        print_text("It is as it was then.")
    for resource_id in done.lost:
        text = f"[yellow]The original {escape(resource_id)} was deleted since, and does not come back.[/]"
        err.print(text, highlight=False, soft_wrap=True)
    if done.undone and not done.dry_run:
        err.print(f"Undo this with: memu rollback --to {done.from_seq}", highlight=False, soft_wrap=True)


def _moment(text: str, local: tzinfo) -> Moment:
    if text.isdecimal():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is neither a moment nor a number"
        raise InvalidInput(
            msg, hint="write 2026-03-01, 2026-03-01T18:30, or a number of `memu history`"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=local)


def _undo(undo: Undo) -> list[str]:
    return [
        WORDS[undo.op],
        undo.kind,
        escape(undo.record_id),
        escape(undo.text),
        escape(", ".join(undo.fields)),
    ]


def _when(change: Change) -> list[str]:
    return [f"{change.at:%Y-%m-%d %H:%M:%S}", escape(change.actor), change.op]


def _row(change: Change) -> list[str]:
    why = escape(change.reason or "")
    return [*_when(change), _show(change.before), _show(change.after), why, str(change.seq)]


def _change(change: Change) -> list[str]:
    what = f"{change.kind} {change.record_id}"
    return [str(change.seq), *_when(change), escape(what), _show(change.after or change.before)]


def _show(values: object) -> str:
    return escape(json.dumps(plain(values), ensure_ascii=False)) if values else ""
