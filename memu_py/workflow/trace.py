"""How a run went: which steps ran, how long, how often, and what they noted."""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

Status = Literal["ok", "skipped", "failed", "cancelled"]
"""`skipped`: its `when` did not hold, or it failed and the workflow says `on_error: skip`."""

MS = 1000.0
_ATTRIBUTE = "__workflow_trace__"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class StepTrace:
    """One step of a run.

    Attributes:
        step: its name in the workflow.
        use: its key in the registry.
        status: how it ended.
        ms: how long it took, all attempts and the pauses between them included.
        started_ms: when it began, counted from the start of the run.
        attempts: how often it was tried; 0 when its `when` did not hold.
        notes: what the last attempt noted by `ctx.note`.
        reason: why it was skipped, failed or cancelled; empty when it did its work.
    """

    step: str
    use: str
    status: Status
    ms: float
    started_ms: float = 0.0
    attempts: int = 1
    notes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    reason: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One run. Steps that were not reached are not in it.

    Attributes:
        run_id: the run.
        workflow: the workflow's name.
        revision: the revision that ran.
        status: `ok`, `failed` or `cancelled`.
        started_at: UTC.
        ms: how long it took.
        steps: in the order of the workflow.
    """

    run_id: str
    workflow: str
    revision: int
    status: Status
    started_at: datetime
    ms: float
    steps: tuple[StepTrace, ...]

    def step(self, name: str) -> StepTrace | None:
        """Return the trace of one step, the first of its name; None when it was not reached."""
        return next((one for one in self.steps if one.step == name), None)

    def followed_by(self, other: "Trace") -> "Trace":
        """Return this run and one that went on where it ended, as one run of the other's workflow."""
        later = [dataclasses.replace(step, started_ms=self.ms + step.started_ms) for step in other.steps]
        return dataclasses.replace(
            other, started_at=self.started_at, ms=self.ms + other.ms, steps=(*self.steps, *later)
        )


class Recorder:
    """Collects the traces of the steps of one run.

    Args:
        run_id: the run.
        workflow: the workflow's name.
        revision: the revision that runs.
        started_at: now, UTC.
        timer: seconds that only grow, such as `time.perf_counter`.
    """

    def __init__(
        self, *, run_id: str, workflow: str, revision: int, started_at: datetime, timer: Callable[[], float]
    ) -> None:
        self._run_id = run_id
        self._workflow = workflow
        self._revision = revision
        self._started_at = started_at
        self._timer = timer
        self._zero = timer()
        self._steps: list[tuple[int, StepTrace]] = []

    def now(self) -> float:
        """Return milliseconds since the start of the run."""
        return (self._timer() - self._zero) * MS

    def add(self, place: int, step: StepTrace) -> None:
        """Add a step that has ended.

        Args:
            place: its position in the workflow, by which the steps of the trace are ordered.
            step: how it went.
        """
        self._steps.append((place, step))

    def trace(self, status: Status) -> Trace:
        """Return what was collected so far."""
        return Trace(
            run_id=self._run_id,
            workflow=self._workflow,
            revision=self._revision,
            status=status,
            started_at=self._started_at,
            ms=self.now(),
            steps=tuple(step for _, step in sorted(self._steps, key=lambda pair: pair[0])),
        )


def frozen_notes(notes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a copy of a step's notes that nobody can change any more."""
    return MappingProxyType(dict(notes))


def attach_trace(error: BaseException, trace: Trace) -> None:
    """Hang a run's trace on the exception that ends it."""
    setattr(error, _ATTRIBUTE, trace)


def trace_of(error: BaseException) -> Trace | None:
    """Return the trace of the run that ended with this exception.

    Args:
        error: what `Runner.run` raised, `asyncio.CancelledError` included.

    Returns:
        The trace with all steps that were reached; None when the run had not begun.
    """
    trace = getattr(error, _ATTRIBUTE, None)
    return trace if isinstance(trace, Trace) else None
