"""`memu history`: what happened to a record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import print_json
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.change import Change
    from memu_py.service.service import MemoryService

COLUMNS = [
    *columns("when", "who", "what", whole="when"),
    Column(name="before", wide=True),
    Column(name="after", wide=True),
    Column(name="why", wide=True),
]


def history(
    record_id: Annotated[str, typer.Argument(help="Id of an item, a category or a resource.", metavar="ID")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    json_: Json = False,
) -> None:
    """Show what happened to a record, the oldest first."""

    async def fetch(service: MemoryService) -> list[Change]:
        return await service.history(record_id)

    settings = settings_of(config)
    changes = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json(plain(changes))
        return
    print_table(COLUMNS, map(_row, changes))


def _row(change: Change) -> list[str]:
    when = f"{change.at:%Y-%m-%d %H:%M:%S}"
    why = escape(change.reason or "")
    return [when, escape(change.actor), change.op, _show(change.before), _show(change.after), why]


def _show(values: object) -> str:
    return escape(json.dumps(plain(values), ensure_ascii=False)) if values else ""
