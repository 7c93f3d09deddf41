"""What `memu memorize` and `memu retry` show: a bar while they read, and what became of each resource."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from memu_py.cli.console import err
from memu_py.cli.table import Column, columns
from memu_py.errors import MemuError
from memu_py.records.job import Job
from memu_py.records.resource import OutcomeStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memu_py.importers.archive import LeftOut
    from memu_py.service.importing import ImportEvent
    from memu_py.service.results import MemorizeResult
    from memu_py.workflow.context import ProgressEvent

COUNTS = ("segments", "new", "again", "skipped", "failed")
STATUSES: tuple[OutcomeStatus, ...] = ("stored", "reinforced", "skipped", "failed")
COLUMNS = [
    Column(name="resource", wide=True),
    *(Column(name=name, justify="right") for name in COUNTS),
    *columns("result"),
]


class Bar:
    """A progress bar on standard error: one line for the current file."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._started = 0
        self._before = self._after = 0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[step]}"),
            TimeElapsedColumn(),
            console=err,
            transient=True,
        )
        self._task = self._add("")

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def expect(self, after: int) -> None:
        """Tell that the next file may be a folder or an export, which hold many.

        Args:
            after: how many there are behind it.
        """
        self._before, self._after = self._started, after

    def start(self, name: str) -> None:
        """Begin the next file.

        Args:
            name: to show.
        """
        self._started += 1
        self._bar.remove_task(self._task)
        label = f"[{self._started}/{self._files}] {name}"
        self._task = self._add(escape(label))

    def _add(self, label: str) -> TaskID:
        return self._bar.add_task(label, total=None, step="")

    def show_one(self, event: ImportEvent) -> None:
        """Show how far one of the files of a folder or an export is."""
        if event.event is not None:
            self.show(event.event)
        elif event.result is None:
            self._files, self._started = (
                self._before + event.total + self._after,
                self._before + event.place - 1,
            )
            self.start(event.name)

    def show(self, event: ProgressEvent) -> None:
        """Show how far a file is."""
        if event.kind == "progress":
            self._bar.update(self._task, completed=event.done, total=event.total, step=event.message)
        elif event.kind == "started":
            self._bar.update(self._task, step=event.step.replace("_", " "))


def row(name: str, result: MemorizeResult | MemuError) -> list[str]:
    """Return the cells of a resource."""
    label = escape(name)
    if isinstance(result, MemuError):
        return [label, *("" for _ in COUNTS), "[red]failed[/]"]
    counts = Counter(outcome.status for outcome in result.outcomes)
    made = (counts[status] for status in STATUSES)
    return [label, *map(str, (result.resource.segment_count, *made)), _verdict(result, counts)]


def _verdict(result: MemorizeResult, counts: Mapping[OutcomeStatus, int]) -> str:
    if result.unchanged:
        return "unchanged"
    if result.resource.status != "complete":
        return result.resource.status
    return "nothing to remember" if set(counts) == {"skipped"} else "stored"


def report_left_out(left_out: Sequence[LeftOut]) -> None:
    """Say what is in a folder and was not taken in, a line each; it is no failure."""
    for one in left_out:
        err.print(
            f"[dim]Left out:[/] {escape(one.name)}: {escape(one.reason)}", highlight=False, soft_wrap=True
        )


def report_warnings(results: Sequence[tuple[str, MemorizeResult | Job | MemuError]]) -> None:
    """Say what could not be read as it was probably meant, a line each."""
    for name, result in results:
        for what in () if isinstance(result, Job | MemuError) else result.warnings:
            err.print(f"[yellow]Warning:[/] {escape(name)}: {escape(what)}", highlight=False, soft_wrap=True)


def fault(result: MemorizeResult | Job | MemuError) -> str | None:
    """Return what went wrong with a file; None when nothing did."""
    if isinstance(result, MemuError):
        return str(result)
    failed = [] if isinstance(result, Job) else [one for one in result.outcomes if one.status == "failed"]
    if not failed:
        return None
    return f"parts that could not be read: {len(failed)}; `memu retry` tries again: {failed[0].reason}"


def report_faults(results: Sequence[tuple[str, MemorizeResult | Job | MemuError]]) -> bool:
    """Say what went wrong, a line each; return whether anything did."""
    found = [(name, what) for name, result in results if (what := fault(result)) is not None]
    for name, what in found:
        err.print(f"[bold red]Error:[/] {escape(name)}: {escape(what)}", highlight=False, soft_wrap=True)
    return bool(found)
