"""`memu memorize`: take files in."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from memu_py.cli.console import err, print_json
from memu_py.cli.jobs import job_json, require_lasting
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.plain import plain
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.table import Column, columns, print_table
from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.records.job import Job
from memu_py.records.resource import OutcomeStatus

if TYPE_CHECKING:
    from memu_py.service.results import MemorizeResult
    from memu_py.service.service import MemoryService
    from memu_py.workflow.context import ProgressEvent

    Outcomes = list[tuple[str, MemorizeResult | Job | MemuError]]

STDIN = "-"
COUNTS = ("segments", "new", "again", "skipped", "failed")
STATUSES: tuple[OutcomeStatus, ...] = ("stored", "reinforced", "skipped", "failed")
COLUMNS = [
    Column(name="resource", wide=True),
    *(Column(name=name, justify="right") for name in COUNTS),
    *columns("result"),
]


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
        with _Bar(len(files)) as bar:
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
    if any(_fault(result) for _, result in results):
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
        self._task = self._add("")

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def start(self, name: str) -> None:
        self._started += 1
        self._bar.remove_task(self._task)
        label = f"[{self._started}/{self._files}] {name}"
        self._task = self._add(escape(label))

    def _add(self, label: str) -> TaskID:
        return self._bar.add_task(label, total=None, step="")

    def show(self, event: ProgressEvent) -> None:
        if event.kind == "progress":
            self._bar.update(self._task, completed=event.done, total=event.total, step=event.message)
        elif event.kind == "started":
            self._bar.update(self._task, step=event.step.replace("_", " "))


def _report(results: Outcomes, *, as_json: bool) -> None:
    if as_json:
        print_json([{"path": name, **_json(result)} for name, result in results])
        return
    taken = [(name, result) for name, result in results if not isinstance(result, Job)]
    waiting = [(name, result) for name, result in results if isinstance(result, Job)]
    if taken or not waiting:
        print_table(COLUMNS, (_row(name, result) for name, result in taken))
    if waiting:
        print_table(JOB_COLUMNS, ([escape(name), job.id, job.status] for name, job in waiting))
        err.print("`memu worker` does them; `memu jobs list` shows how they go.", soft_wrap=True)
    for name, result in results:
        fault = _fault(result)
        if fault is not None:
            line = f"[bold red]Error:[/] {escape(name)}: {escape(fault)}"
            err.print(line, highlight=False, soft_wrap=True)


def _fault(result: MemorizeResult | Job | MemuError) -> str | None:
    """Return what went wrong with a file; None when nothing did."""
    if isinstance(result, MemuError):
        return str(result)
    failed = [] if isinstance(result, Job) else [one for one in result.outcomes if one.status == "failed"]
    if not failed:
        return None
    return f"parts that could not be read: {len(failed)}; memorize it again to try again: {failed[0].reason}"


def _json(result: MemorizeResult | Job | MemuError) -> dict[str, object]:
    if isinstance(result, MemuError):
        return {"error": str(result)}
    if isinstance(result, Job):
        return {"job": job_json(result)}
    found: dict[str, object] = plain(result)
    return found


def _row(name: str, result: MemorizeResult | MemuError) -> list[str]:
    label = escape(name)
    if isinstance(result, MemuError):
        return [label, *("" for _ in COUNTS), "[red]failed[/]"]
    counts = Counter(outcome.status for outcome in result.outcomes)
    made = (counts[status] for status in STATUSES)
    stored = "stored" if result.resource.status == "complete" else result.resource.status
    verdict = "unchanged" if result.unchanged else stored
    return [label, *map(str, (result.resource.segment_count, *made)), verdict]
