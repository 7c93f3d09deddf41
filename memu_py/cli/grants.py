"""`memu grants`: what agents may see and change of one another's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Agent, Config, Json, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.grant import Grant
    from memu_py.service.service import MemoryService

app = typer.Typer(help="What agents may see and change of one another's memory.", no_args_is_help=True)

COLUMNS = columns("from", "to", "rights", "given", "by", wide="by", whole="rights")
From = Annotated[str, typer.Argument(metavar="FROM", help="The agent whose memory it is.")]
To = Annotated[str, typer.Argument(metavar="TO", help="The agent that sees it.")]


@app.command("list")
def list_(config: Config = None, user: User = None, agent: Agent = None, json_: Json = False) -> None:
    """List the grants between a user's agents, or those that one agent gave or got."""

    async def fetch(service: MemoryService) -> tuple[Grant, ...]:
        return await service.grants.list(of=agent)

    settings = settings_of(config)
    found = with_service(settings, scope_of(settings, user).owner, fetch)
    if json_:
        print_json([plain(one) for one in found])
    elif found:
        print_table(COLUMNS, map(_row, found))
    else:
        err.print("No grants. `memu grants give FROM TO` makes one.", soft_wrap=True)


@app.command()
def give(
    from_agent: From,
    to_agent: To,
    config: Config = None,
    user: User = None,
    write: Annotated[
        bool, typer.Option("--write", help="Let it update, correct, link and delete too.")
    ] = False,
    json_: Json = False,
) -> None:
    """Let agent TO see what agent FROM wrote, and writes from now on."""

    async def grant(service: MemoryService) -> Grant:
        rights = ("read", "write") if write else ("read",)
        return await service.grants.give(from_agent, to_agent, rights=rights)

    settings = settings_of(config)
    given = with_service(settings, scope_of(settings, user).owner, grant)
    if json_:
        print_json(plain(given))
    else:
        print_table(COLUMNS, [_row(given)])


@app.command()
def revoke(from_agent: From, to_agent: To, config: Config = None, user: User = None) -> None:
    """Take a grant back."""

    async def take_back(service: MemoryService) -> Grant:
        return await service.grants.revoke(from_agent, to_agent)

    settings = settings_of(config)
    with_service(settings, scope_of(settings, user).owner, take_back)
    print_text(f"Agent {to_agent} no longer sees the memory of agent {from_agent}.")


def _row(grant: Grant) -> list[str]:
    return [
        escape(grant.from_agent),
        escape(grant.to_agent),
        ", ".join(grant.rights),
        f"{grant.given_at:%Y-%m-%d %H:%M}",
        escape(grant.given_by),
    ]
