"""`memu export`, `memu import` and `memu forget`: all that is somebody's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TaskID, TextColumn

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Config, Json, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.errors import InvalidInput
from memu_py.records.plain import plain
from memu_py.records.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from memu_py.config.settings import Settings
    from memu_py.records.audit import AuditLine
    from memu_py.records.exported import Exported, Imported
    from memu_py.service.service import MemoryService

CLI = "cli"
Owner = Annotated[str | None, typer.Option("--agent", help="The memory that this agent owns itself.")]


def export(
    path: Annotated[Path, typer.Argument(help="A new folder, or a path that ends in .zip.", metavar="PATH")],
    config: Config = None,
    user: User = None,
    agent: Owner = None,
    json_: Json = False,
) -> None:
    """Write all that somebody has into files: memories, history, jobs, originals."""
    settings = settings_of(config)

    async def work(service: MemoryService) -> Exported:
        with _shown() as show:
            return await service.export_user(path, progress=show)

    done = with_service(settings, _owner(settings, user, agent), work)
    if json_:
        print_json(plain(done))
        return
    print_text(f"Exported {sum(done.rows.values())} rows and {done.originals} originals to {path}.")
    for digest in done.lost:
        err.print(f"[yellow]The original {digest} is not there any more.[/]", highlight=False, soft_wrap=True)


def import_(
    path: Annotated[Path, typer.Argument(help="What `memu export` wrote.", metavar="PATH")],
    config: Config = None,
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="Who is to have it; else whose it was.")
    ] = None,
    agent: Owner = None,
    json_: Json = False,
) -> None:
    """Read in what `memu export` wrote, all of it or nothing; again, it changes nothing."""
    settings = settings_of(config)
    owner = None if user is None and agent is None else _owner(settings, user, agent)

    async def work(service: MemoryService) -> Imported:
        with _shown() as show:
            return await service.import_user(path, progress=show)

    done = with_service(settings, owner, work)
    if json_:
        print_json(plain(done))
    elif done.known:
        print_text("It is there already; nothing was changed.")
    else:
        print_text(f"Imported {sum(done.rows.values())} rows and {done.originals} originals.")


def forget(
    config: Config = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Who is to be forgotten.")] = None,
    agent: Owner = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json_: Json = False,
) -> None:
    """Erase all that somebody has, for good, and show the line that stays of it."""
    if user is None and agent is None:
        msg = "say who is to be forgotten: --user, or --agent"
        raise InvalidInput(msg)
    settings = settings_of(config)
    owner = _owner(settings, user, agent)
    if not yes:
        typer.confirm(
            f"Erase all memories of {owner.partition_kind} {user or agent!r}, for good?", abort=True, err=True
        )

    async def work(service: MemoryService) -> AuditLine:
        return await service.forget_user(actor=CLI)

    line = with_service(settings, owner, work)
    if json_:
        print_json(plain(line))
        return
    counts = ", ".join(f"{name} {count}" for name, count in line.counts.items())
    print_text(
        f"{line.id}\t{line.at:%Y-%m-%d %H:%M:%S}\t{line.actor}\t{line.op}\t{counts or 'nothing was there'}"
    )


def _owner(settings: Settings, user: str | None, agent: str | None) -> Scope:
    if user is not None and agent is not None:
        msg = "name a user or an agent: a memory is one or the other's"
        raise InvalidInput(msg)
    return Scope(agent=agent) if agent is not None else scope_of(settings, user)


@contextlib.contextmanager
def _shown() -> Iterator[Callable[[str, int], None]]:
    """Show how many rows of each table are done."""
    columns = TextColumn("{task.description}"), TextColumn("{task.completed}")
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=err, transient=True) as bar:

        def show(what: str, done: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=None)
            bar.update(tasks[what], completed=done)

        yield show
