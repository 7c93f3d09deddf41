"""`memu history`: what happened to a record."""

import json
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from memu_py.cli.console import out, print_json
from memu_py.cli.options import LOCAL_USER, Agent, Config, Json, Session, User
from memu_py.cli.plain import plain
from memu_py.cli.run import settings_of, with_service
from memu_py.records.change import Change
from memu_py.records.scope import Scope
from memu_py.service.service import MemoryService


def history(
    record_id: Annotated[str, typer.Argument(help="Id of an item, a category or a resource.", metavar="ID")],
    config: Config = None,
    user: User = LOCAL_USER,
    agent: Agent = None,
    session: Session = None,
    json_: Json = False,
) -> None:
    """Show what happened to a record, the oldest first."""

    async def fetch(service: MemoryService) -> list[Change]:
        return await service.history(record_id)

    changes = with_service(settings_of(config), Scope(user=user, agent=agent, session=session), fetch)
    if json_:
        print_json(plain(changes))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("when", "who", "what", "before", "after"):
        table.add_column(column, ratio=1 if column in ("before", "after") else None)
    for change in changes:
        when = f"{change.at:%Y-%m-%d %H:%M:%S}"
        table.add_row(when, escape(change.actor), change.op, _show(change.before), _show(change.after))
    out.print(table)


def _show(values: object) -> str:
    return escape(json.dumps(plain(values), ensure_ascii=False)) if values else ""
