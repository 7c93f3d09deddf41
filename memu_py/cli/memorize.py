"""`memu memorize`: take files in."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from memu_py.cli.console import err, out, print_json
from memu_py.cli.options import LOCAL_USER, Agent, Config, Json, Session, User
from memu_py.cli.plain import plain
from memu_py.cli.run import settings_of, with_service
from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.records.scope import Scope
from memu_py.service.results import MemorizeResult
from memu_py.service.service import MemoryService
from memu_py.workflow.context import ProgressEvent

STDIN = "-"


def memorize(
    paths: Annotated[
        list[str],
        typer.Argument(help="Files or folders to take in; `-` reads standard input.", metavar="PATH…"),
    ],
    config: Config = None,
    user: User = LOCAL_USER,
    agent: Agent = None,
    session: Session = None,
    modality: Annotated[
        str | None, typer.Option(help="What the files are; by default their bytes tell.")
    ] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that carry none.")] = None,
    json_: Json = False,
) -> None:
    """Take files in. Doing it again adds only what is new."""
    files = _files(paths)
    allow = [path for path in files if path is not None]
    settings = settings_of(config, allow=allow)

    async def take(service: MemoryService) -> list[tuple[str, MemorizeResult | MemuError]]:
        results: list[tuple[str, MemorizeResult | MemuError]] = []
        with _Bar(len(files)) as bar:
            for path in files:
                name = str(path) if path else "standard input"
                bar.start(name)
                try:
                    results.append((name, await _take(service, path, modality, timezone, bar)))
                except MemuError as error:
                    results.append((name, error))
        return results

    scope = Scope(user=user, agent=agent, session=session)
    results = with_service(settings, scope, take)
    _report(results, as_json=json_)
    if any(isinstance(result, MemuError) for _, result in results):
        raise typer.Exit(1)


async def _take(
    service: MemoryService, path: Path | None, modality: str | None, timezone: str | None, bar: "_Bar"
) -> MemorizeResult:
    if path is None:
        data = sys.stdin.buffer.read()
        return await service.memorize(data=data, modality=modality, timezone=timezone, progress=bar.show)
    url = path.as_uri()
    return await service.memorize(resource_url=url, modality=modality, timezone=timezone, progress=bar.show)


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
    return files


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


class _Bar:
    """A progress bar on standard error: one line for the current file."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._started = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[step]}"),
            TimeElapsedColumn(),
            console=err,
            transient=True,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def start(self, name: str) -> None:
        self._started += 1
        if self._task is not None:
            self._bar.remove_task(self._task)
        label = f"[{self._started}/{self._files}] {Path(name).name}"
        self._task = self._bar.add_task(escape(label), total=None, step="")

    def show(self, event: ProgressEvent) -> None:
        if self._task is None:
            return
        if event.kind == "progress":
            self._bar.update(self._task, completed=event.done, total=event.total, step=event.message)
        elif event.kind == "started":
            self._bar.update(self._task, step=event.step.replace("_", " "))


def _report(results: list[tuple[str, MemorizeResult | MemuError]], *, as_json: bool) -> None:
    if as_json:
        print_json([{"path": name, **_json(result)} for name, result in results])
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("resource", "segments", "new", "again", "skipped", "result"):
        table.add_column(column, justify="left" if column in ("resource", "result") else "right")
    for name, result in results:
        table.add_row(*_row(name, result))
    out.print(table)
    for name, result in results:
        if isinstance(result, MemuError):
            err.print(
                f"[bold red]Error:[/] {escape(Path(name).name)}: {escape(str(result))}", highlight=False
            )


def _json(result: MemorizeResult | MemuError) -> dict[str, object]:
    if isinstance(result, MemuError):
        return {"error": str(result)}
    found: dict[str, object] = plain(result)
    return found


def _row(name: str, result: MemorizeResult | MemuError) -> list[str]:
    label = escape(Path(name).name)
    if isinstance(result, MemuError):
        return [label, "", "", "", "", "[red]failed[/]"]
    counts = Counter(outcome.status for outcome in result.outcomes)
    verdict = "unchanged" if result.unchanged else "stored"
    numbers = (result.resource.segment_count, counts["stored"], counts["reinforced"], counts["skipped"])
    return [label, *map(str, numbers), verdict]
