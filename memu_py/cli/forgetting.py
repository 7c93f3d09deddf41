"""`memu maintain` and `memu restore`: what nobody needs any more is put away, and brought back."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.forgotten import Fading, Maintained
    from memu_py.records.item import Item
    from memu_py.service.service import MemoryService

COLUMNS = columns("id", "why", "memory", wide="memory", whole="id")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhdw])", text.strip())
    if found is None:
        msg = f"{text!r} is no length of time such as 30m, 12h or 1d"
        raise typer.BadParameter(msg)
    return float(found[1]) * UNITS[found[2]]


def maintain(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be put away.")] = False,
    every: Annotated[
        str | None, typer.Option("--every", help="Go on, once in this time, such as 1d or 12h.")
    ] = None,
    json_: Json = False,
) -> None:
    """Put away what has expired, and what has faded: neither active nor important any more."""
    pause = None if every is None else _seconds(every)

    async def work(service: MemoryService) -> None:
        while True:
            _show(await service.maintain(dry_run=dry_run), as_json=json_)
            if pause is None:
                return
            await asyncio.sleep(pause)

    settings = settings_of(config)
    with_service(settings, scope_of(settings, user, agent, session), work)


def restore(
    item_id: Annotated[str, typer.Argument(help="Id of the item.", metavar="ID")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    json_: Json = False,
) -> None:
    """Bring an item back that was put away."""

    async def work(service: MemoryService) -> Item:
        return await service.restore(item_id)

    settings = settings_of(config)
    item = with_service(settings, scope_of(settings, user, agent, session), work)
    if json_:
        print_json(plain(item))
        return
    print_text(f"Found again: {item.text}")


def _show(done: Maintained, *, as_json: bool) -> None:
    if as_json:
        print_json(plain(done))
        return
    if not done.archived:
        err.print("Nothing has expired or faded.", soft_wrap=True)
        return
    print_table(COLUMNS, map(_row, done.archived))
    for one in done.compressed:
        print_text(f"{len(one.of)} of them leave this behind: {one.item.text}")
    written = "Would be put away" if done.dry_run else "Put away"
    more = "; there is more" if done.more else ""
    err.print(f"{written}: {len(done.archived)}{more}.", soft_wrap=True)


def _row(one: Fading) -> list[str]:
    return [one.item.id, str(one), escape(one.item.text)]
