"""`memu memorize`: take files in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.jobs import require_lasting
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import columns, print_table
from memu_py.cli.taken import COLUMNS, Bar, report_faults, report_warnings, row
from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.records.job import Job
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.service.results import MemorizeResult
    from memu_py.service.service import MemoryService

    Outcomes = list[tuple[str, MemorizeResult | Job | MemuError]]

STDIN = "-"
JOB_COLUMNS = columns("resource", "job", "status", wide="resource", whole="job")


def memorize(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files or folders to take in; `-` reads standard input.", metavar="PATH…"),
    ],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    modality: Annotated[
        str | None, typer.Option(help="What the files are; by default their bytes tell.")
    ] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that carry none.")] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only write it down as jobs; `memu worker` does them.")
    ] = False,
    json_: Json = False,
) -> None:
    """Take files in. Doing it again adds only what is new."""
    files = _files(paths)
    settings = settings_of(config, allow=[path for path in files if path is not None])
    # Before the event loop, in which Ctrl-C would wait for the end of the input.
    data = sys.stdin.buffer.read() if None in files else b""

    if no_wait:
        require_lasting(settings)

    async def take(service: MemoryService) -> Outcomes:
        results: Outcomes = []
        with Bar(len(files)) as bar:
            for path in files:
                name = _label(path)
                bar.start(name)
                content: dict[str, Any] = {"resource_url": path.as_uri()} if path else {"data": data}
                content |= {"modality": modality, "timezone": timezone}
                how: dict[str, Any] = {"wait": False} if no_wait else {"progress": bar.show}
                try:
                    results.append((name, await service.memorize(**content, **how)))
                except MemuError as error:
                    results.append((name, error))
        return results

    results = with_service(settings, scope_of(settings, user, agent, session), take)
    _report(results, as_json=json_)
    report_warnings(results)
    if report_faults(results):
        raise typer.Exit(1)


def _files(paths: list[str]) -> list[Path | None]:
    files: list[Path | None] = []
    for name in paths:
        path = Path(name).expanduser()
        if name == STDIN:
            files.append(None)
        elif path.is_dir():
            found = sorted(one for one in path.rglob("*") if one.is_file() and not _hidden(one, path))
            if not found:
                msg = f"there is no file in {name}"
                raise InvalidInput(msg)
            files += [one.resolve() for one in found]
        elif path.exists():
            files.append(path.resolve())
        else:
            msg = f"there is no file {name}"
            raise NotFound(msg)
    return list(dict.fromkeys(files))


def _label(path: Path | None) -> str:
    if path is None:
        return "standard input"
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _report(results: Outcomes, *, as_json: bool) -> None:
    if as_json:
        print_json([{"path": name, **_json(result)} for name, result in results])
        return
    taken = [(name, result) for name, result in results if not isinstance(result, Job)]
    waiting = [(name, result) for name, result in results if isinstance(result, Job)]
    if taken or not waiting:
        print_table(COLUMNS, (row(name, result) for name, result in taken))
    if waiting:
        print_table(JOB_COLUMNS, ([escape(name), job.id, job.status] for name, job in waiting))
        err.print("`memu worker` does them; `memu jobs list` shows how they go.", soft_wrap=True)


def _json(result: MemorizeResult | Job | MemuError) -> dict[str, object]:
    if isinstance(result, MemuError):
        return {"error": str(result)}
    if isinstance(result, Job):
        return {"job": plain(result)}
    found: dict[str, object] = plain(result)
    return found
