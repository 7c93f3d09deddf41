"""`memu blocks`: small named texts that stand in every prompt."""

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
    from memu_py.records.block import Block
    from memu_py.service.service import MemoryService

app = typer.Typer(help="Small named texts that stand in every prompt.", no_args_is_help=True)

COLUMNS = columns("name", "agent", "version", "size", "text", wide="text", whole="name")
Name = Annotated[str, typer.Argument(help="Name of a block.")]


@app.command("list")
def list_(config: Config = None, user: User = None, agent: Agent = None, json_: Json = False) -> None:
    """List blocks: those that an agent sees, or all."""

    async def fetch(service: MemoryService) -> tuple[Block, ...]:
        return await service.blocks.list()

    settings = settings_of(config)
    found = with_service(settings, scope_of(settings, user, agent), fetch)
    if json_:
        print_json([plain(one) for one in found])
        return
    if not found:
        err.print("No blocks. `memu blocks set NAME TEXT` makes one.", soft_wrap=True)
        return
    print_table(COLUMNS, map(_row, found))


@app.command()
def get(
    name: Name, config: Config = None, user: User = None, agent: Agent = None, json_: Json = False
) -> None:
    """Print a block."""

    async def fetch(service: MemoryService) -> Block:
        return await service.blocks.get(name)

    settings = settings_of(config)
    block = with_service(settings, scope_of(settings, user, agent), fetch)
    if json_:
        print_json(plain(block))
    else:
        print_text(block.text)


@app.command("set")
def set_(
    name: Name,
    text: Annotated[str, typer.Argument(help="All of its text.")],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    max_chars: Annotated[int | None, typer.Option(min=1, help="How long it may be.")] = None,
    read_only: Annotated[
        bool | None, typer.Option("--read-only/--writable", help="Whether agents can change it.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option("--share", help="An agent that sees and edits it too; may be repeated."),
    ] = None,
    json_: Json = False,
) -> None:
    """Write a block as a person, and make it where there is none."""

    async def write(service: MemoryService) -> Block:
        # The command is a person's, also where it is about an agent's block.
        return await service.blocks.set(
            name,
            text,
            description=description,
            max_chars=max_chars,
            read_only=read_only,
            shared_with=share or None,
            by="person",
            user=scope.user,
            agent=scope.agent,
            session=scope.session,
        )

    settings = settings_of(config)
    scope = scope_of(settings, user, agent)
    block = with_service(settings, scope.owner, write)
    if json_:
        print_json(plain(block))
    else:
        print_table(COLUMNS, [_row(block)])


@app.command()
def delete(name: Name, config: Config = None, user: User = None, agent: Agent = None) -> None:
    """Delete a block; its history stays."""

    async def end(service: MemoryService) -> None:
        await service.blocks.delete(
            name, by="person", user=scope.user, agent=scope.agent, session=scope.session
        )

    settings = settings_of(config)
    scope = scope_of(settings, user, agent)
    with_service(settings, scope.owner, end)
    print_text(f"Deleted block {name}.")


def _row(block: Block) -> list[str]:
    size = f"{len(block.text)}/{block.max_chars}"
    return [escape(block.name), escape(block.agent or ""), str(block.version), size, escape(block.text)]
