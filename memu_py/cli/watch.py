"""`memu watch`: follow a conversation, and tell what is likely to be wanted next."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import err, flush, out, print_json, print_text
from memu_py.cli.following import follow_file, follow_lines, standard_input
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.errors import InvalidInput, NotFound
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.service.service import MemoryService
    from memu_py.service.watch import Watched

STDIN = "-"
POLL_S = 1.0


def watch(
    path: Annotated[
        str, typer.Argument(help="A conversation that grows; `-` reads messages from standard input.")
    ],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    conversation: Annotated[
        str | None,
        typer.Option(help="Name under which standard input is kept; a new one by default."),
    ] = None,
    modality: Annotated[str | None, typer.Option(help="What the file is; by default its bytes tell.")] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that carry none.")] = None,
    needs: Annotated[int, typer.Option("--needs", "-n", min=1, max=20, help="Predictions at a time.")] = 3,
    once: Annotated[bool, typer.Option("--once", help="Stop at the end of the file.")] = False,
    json_: Json = False,
) -> None:
    """Take in a conversation while it goes on, and tell after each piece what is likely to be wanted next."""
    file = None if path == STDIN else _file(path)
    settings = settings_of(config, allow=[] if file is None else [file])
    scope = scope_of(settings, user, agent, session)
    if file is None and modality is not None:
        msg = "standard input is read line by line, as messages: `--modality` is for files"
        raise InvalidInput(msg)

    async def follow(service: MemoryService) -> None:
        turns: AsyncIterator[Any]
        if file is None:
            from memu_py.language.zones import zone  # noqa: PLC0415 - slow to load, and help needs none of it

            local = zone(timezone or settings.timezone_of(scope.user))
            turns = follow_lines(standard_input(), local)
        else:
            turns = follow_file(file, poll_s=POLL_S, once=once)
        err.print("Watching; Ctrl-C stops.", soft_wrap=True)
        watched = service.watch(
            turns,
            conversation=conversation or _name(file),
            modality=modality,
            timezone=timezone,
            top_k=needs,
        )
        async for one in watched:
            _show(one, as_json=json_)

    with_service(settings, scope, follow)


def _file(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.is_file():
        msg = f"there is no file {name}"
        raise NotFound(msg)
    return path.resolve()


def _name(file: Path | None) -> str:
    from memu_py.records.ids import new_id  # noqa: PLC0415 - slow to load, and help needs none of it

    return f"watch-{new_id()}" if file is None else file.as_uri()


def _show(one: Watched, *, as_json: bool) -> None:
    intent = one.intent
    if as_json:
        memorized = one.memorized
        counts = {"turns": memorized.resource.segment_count, "added": len(memorized.added)}
        print_json({"resource_id": memorized.resource.id, **counts, "intent": plain(intent)}, indent=None)
    elif not intent:
        err.print("Nothing can be told yet.", soft_wrap=True)
    else:
        print_text(str(intent))
        for need in intent:
            out.print(f"  {need.confidence:.2f}  {escape(need.text)}", highlight=False, soft_wrap=True)
    flush()
