"""What the engine hands to a step beside its inputs."""

import contextvars
import dataclasses
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeVar

from memu_py.workflow.cancellation import Cancellation

R_co = TypeVar("R_co", covariant=True)

Clock = Callable[[], datetime]
"""Returns the present moment, aware, UTC."""

ProgressKind = Literal["started", "progress", "finished", "failed", "skipped"]

LOGGER = logging.getLogger("memu_py.workflow")


def utc_now() -> datetime:
    """Return the present moment, UTC."""
    return datetime.now(UTC)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class ProgressEvent:
    """One sign of life of a run.

    Attributes:
        run_id: the run.
        workflow: the workflow's name.
        step: the step's name.
        kind: `started`, `finished`, `failed` and `skipped` come once for a step, `progress` any number of
            times between.
        done: how much is done; 0 unless `progress`.
        total: of how much, where the step knows it.
        message: a few words; the error for `failed` and for a step skipped after an error.
    """

    run_id: str
    workflow: str
    step: str
    kind: ProgressKind
    done: int = 0
    total: int | None = None
    message: str = ""


ProgressCallback = Callable[[ProgressEvent], None]


class StepLog(logging.LoggerAdapter[logging.Logger]):
    """A logger whose records carry `run_id`, `workflow` and `step`, beside what a call adds by `extra`."""

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        """Join the fields of the adapter and of the call."""
        return msg, {**kwargs, "extra": {**(self.extra or {}), **(kwargs.get("extra") or {})}}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StepContext(Generic[R_co]):
    """What a step may use beside its inputs. Made anew for every attempt of a step.

    All fields but `resources` have defaults, so that a test of a step can make one.

    Attributes:
        resources: what the steps of this application work with; the engine only passes it on.
        run_id: the run; the same when a run is repeated.
        workflow: the workflow's name.
        step: the step's name.
        clock: the present moment, UTC.
        log: a logger that knows run, workflow and step.
        cancel: call `ctx.cancel.check()` between two pieces of long work; it also stops a step whose time is
            up.
        notes: what `note` has collected.
        observer: where `progress` goes.
    """

    resources: R_co
    run_id: str = ""
    workflow: str = ""
    step: str = ""
    clock: Clock = utc_now
    log: StepLog = dataclasses.field(default_factory=lambda: StepLog(LOGGER, {}))
    cancel: Cancellation = dataclasses.field(default_factory=Cancellation)
    notes: dict[str, Any] = dataclasses.field(default_factory=dict)
    observer: ProgressCallback | None = None

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Tell how far the step is.

        Args:
            done: pieces done.
            total: pieces in all, if known.
            message: a few words for a person.
        """
        if self.observer is None:
            return
        self.observer(
            ProgressEvent(
                run_id=self.run_id,
                workflow=self.workflow,
                step=self.step,
                kind="progress",
                done=done,
                total=total,
                message=message,
            )
        )

    def note(self, **values: Any) -> None:
        """Put plain values into the step's trace: counts, the model used, why something was left out.

        Args:
            **values: by name; a name noted again has its last value.
        """
        self.notes.update(values)


CURRENT: contextvars.ContextVar[StepContext[Any] | None] = contextvars.ContextVar("step", default=None)
"""The attempt that this code works for; None outside of runs. For what is counted by step without being handed a
context; a step itself uses the one that it is given."""
