"""`memu memorize`: take files, folders, exports and web addresses in."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from memu_py.cli.console import err, print_json
from memu_py.cli.jobs import require_lasting
from memu_py.cli.options import Agent, Config, Json, Session, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.cli.surveyed import report_survey
from memu_py.cli.table import columns, print_table
from memu_py.cli.taken import COLUMNS, Bar, report_faults, report_left_out, report_warnings, row
from memu_py.errors import InvalidInput, MemuError, NotFound
from memu_py.records.job import Job
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memu_py.config.settings import Settings
    from memu_py.importers.archive import LeftOut
    from memu_py.importers.survey import Survey
    from memu_py.records.scope import Scope
    from memu_py.service.results import MemorizeResult
    from memu_py.service.service import MemoryService

    Outcomes = list[tuple[str, MemorizeResult | Job | MemuError]]

STDIN = "-"
STDIN_LABEL = "standard input"
WEB = ("http://", "https://")
JOB_COLUMNS = columns("resource", "job", "status", wide="resource", whole="job")


def memorize(
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, zips, exports of other programs or web addresses; `-` reads standard input.",
            metavar="PATH…",
        ),
    ],
    config: Config = None,
    user: User = None,
    agent: Agent = None,
    session: Session = None,
    modality: Annotated[
        str | None, typer.Option(help="What the files are; by default their bytes tell.")
    ] = None,
    importer: Annotated[
        str | None,
        typer.Option(help="Take only exports of this program, such as `chatgpt`; all else is left out."),
    ] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of times that carry none.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be taken in; nothing is stored.")
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only write it down as jobs; `memu worker` does them.")
    ] = False,
    json_: Json = False,
) -> None:
    """Take files, folders and exports in. Doing it again adds only what is new."""
    found = _paths(paths)
    settings = settings_of(config, allow=[path for path in found if isinstance(path, Path)])
    scope = scope_of(settings, user, agent, session)
    how: dict[str, Any] = {"modality": modality, "timezone": timezone}
    if dry_run:
        _tell_only(found, settings, scope, {**how, "importer": importer}, as_json=json_)
        return
    # Before the event loop, in which Ctrl-C would wait for the end of the input.
    data = sys.stdin.buffer.read() if None in found else b""
    if no_wait:
        require_lasting(settings)

    async def take(service: MemoryService) -> Outcomes:
        results: Outcomes = []
        with Bar(len(found)) as bar:
            for place, path in enumerate(found):
                bar.expect(len(found) - place - 1)
                if not isinstance(path, Path):
                    content: dict[str, Any] = {"resource_url": path} if path else {"data": data}
                    name = path or STDIN_LABEL
                    results.append((name, await _take_one(service, name, {**content, **how}, bar, no_wait)))
                    continue
                tell = None if no_wait else bar.show_one
                given = {**how, "importer": importer, "progress": tell, "wait": not no_wait}
                results += await _take_path(service, path, given, left_out)
        return results

    left_out: list[LeftOut] = []
    results = with_service(settings, scope, take)
    _report(results, left_out, as_json=json_)
    report_left_out([] if json_ else left_out)
    report_warnings(results)
    if report_faults(results):
        raise typer.Exit(1)


async def _take_one(
    service: MemoryService, name: str, given: dict[str, Any], bar: Bar, no_wait: bool
) -> MemorizeResult | Job | MemuError:
    """Take in what is no file: standard input, or a web address."""
    bar.start(name)
    more: dict[str, Any] = {"wait": False} if no_wait else {"progress": bar.show}
    try:
        result: MemorizeResult | Job = await service.memorize(**given, **more)
    except MemuError as error:
        return error
    return result


async def _take_path(
    service: MemoryService, path: Path, given: dict[str, Any], left_out: list[LeftOut]
) -> Outcomes:
    label = _label(path)
    try:
        taken = await service.memorize_all(label, **given)
    except MemuError as error:
        return [(label, error)]
    left_out += taken.left_out
    return [(one.name, one.result) for one in taken.results]


def _tell_only(
    paths: list[Path | str | None], settings: Settings, scope: Scope, how: dict[str, Any], *, as_json: bool
) -> None:
    files = [path for path in paths if isinstance(path, Path)]
    if len(files) < len(paths):
        msg = "--dry-run looks at files, not at standard input, which can be read only once, or at web addresses"
        raise InvalidInput(msg)

    async def look(service: MemoryService) -> list[Survey]:
        return [await service.survey(_label(path), **how) for path in files]

    report_survey(with_service(settings, scope, look, opened=False), settings, scope, as_json=as_json)


def _paths(names: list[str]) -> list[Path | str | None]:
    """Return what is named, each once, and nothing that lies in a folder that is named too."""
    paths: list[Path | str | None] = []
    for name in names:
        if name == STDIN:
            paths.append(None)
        elif name.lower().startswith(WEB):
            paths.append(name)
        else:
            paths.append(_path(name))
    once = list(dict.fromkeys(paths))
    return [
        path for path in once if not isinstance(path, Path) or not any(one in once for one in path.parents)
    ]


def _path(name: str) -> Path:
    """Return the path of a file, or of a folder that holds one."""
    if not name.strip():
        msg = "the path is empty"
        raise InvalidInput(msg, hint="is a variable of the shell not set? `.` is the working directory")
    try:
        path = Path(name).expanduser()
        is_there, is_folder = path.exists(), path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        msg = f"{name} is no usable path: {reason}"
        raise InvalidInput(msg, hint="look at how it is written, or name the folder above it") from error
    if not is_there:
        msg = f"there is no file {name}"
        raise NotFound(msg)
    if is_folder and not any(_seen(path)):
        msg = f"there is no file in {name}"
        raise InvalidInput(msg)
    return path.resolve()


def _seen(root: Path) -> Iterator[str]:
    """Yield the files below a folder that are not hidden, and the folders that may not be read."""
    unread: list[OSError] = []
    for _, inner, names in os.walk(root, onerror=unread.append):
        inner[:] = [name for name in inner if not name.startswith(".")]
        yield from (name for name in names if not name.startswith("."))
    yield from (str(error.filename) for error in unread)


def _label(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _report(results: Outcomes, left_out: list[LeftOut], *, as_json: bool) -> None:
    if as_json:
        aside = [{"path": one.name, "left_out": one.reason} for one in left_out]
        print_json([*({"path": name, **_json(result)} for name, result in results), *aside])
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
