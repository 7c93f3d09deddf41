"""`memu due`: anniversaries, and plans that become due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.occasion import Due
    from memu_py.service.service import MemoryService

COLUMNS = columns("day", "kind", "years", "memory", wide="memory", whole="day")


def due(
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    within_days: Annotated[
        int | None, typer.Option("--within", min=0, help="Days after today; 0 for today alone.")
    ] = None,
    overdue: Annotated[bool, typer.Option("--overdue", help="Also what was due before today.")] = False,
    told: Annotated[bool, typer.Option("--told", help="Also what was taken before.")] = False,
    take: Annotated[bool, typer.Option("--take", help="Do not show these again.")] = False,
    json_: Json = False,
) -> None:
    """Look for anniversaries and plans of the coming days, and show those that were not taken before."""

    async def fetch(service: MemoryService) -> list[Due]:
        await service.scan()
        return await service.due(within_days=within_days, overdue=overdue, told=told, take=take)

    settings = settings_of(config)
    found = with_service(settings, scope_of(settings, user, agent, session), fetch)
    if json_:
        print_json([plain(one) for one in found])
        return
    if not found:
        err.print("Nothing is due.", soft_wrap=True)
        return
    print_table(COLUMNS, map(_row, found))


def _row(one: Due) -> list[str]:
    occasion = one.occasion
    years = "" if occasion.years is None else str(occasion.years)
    return [occasion.day.isoformat(), occasion.kind, years, escape(one.item.text)]
