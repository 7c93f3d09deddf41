"""Running a pipeline."""

import asyncio
import dataclasses
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from memu_py.errors import Cancelled, InvalidInput
from memu_py.nearest import unknown
from memu_py.workflow.attempts import Attempts, Sleep, step_error
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.conditions import describe, holds
from memu_py.workflow.context import (
    LOGGER,
    Clock,
    ProgressCallback,
    ProgressKind,
    StepContext,
    StepLog,
    utc_now,
)
from memu_py.workflow.interceptor import Call, Interceptor, intercept
from memu_py.workflow.pipeline import Pipeline, PipelineStep
from memu_py.workflow.progress import Announcer
from memu_py.workflow.trace import Recorder, Status, StepTrace, Trace, attach_trace, frozen_notes
from memu_py.workflow.typeform import fits, show

R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)

Update = dict[str, Any]

EVENTS: Mapping[Status, ProgressKind] = {
    "ok": "finished",
    "skipped": "skipped",
    "failed": "failed",
    "cancelled": "failed",
}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunResult:
    """What came of a run.

    Attributes:
        state: all keys at its end, inputs included.
        trace: how it went.
    """

    state: Mapping[str, Any]
    trace: Trace


class Runner(Protocol[R_contra]):
    """Runs pipelines somewhere."""

    async def run(
        self,
        pipeline: Pipeline,
        state: Mapping[str, Any],
        resources: R_contra,
        *,
        run_id: str | None = None,
        clock: Clock = utc_now,
        progress: ProgressCallback | None = None,
        cancel: Cancellation | None = None,
        interceptors: Sequence[Interceptor] = (),
    ) -> RunResult:
        """Run a pipeline to its end.

        Args:
            pipeline: the revision to run; later edits of the workflow do not change this run.
            state: values of the workflow's inputs.
            resources: what `ctx.resources` is.
            run_id: handed on to the steps; a new one if None. Whether a known id runs again is for the caller
                and the steps to say.
            clock: the present moment, UTC.
            progress: told of every step, on the thread of the event loop.
            cancel: stops the run before the next step, and in steps that look at `ctx.cancel`.
            interceptors: around every step, outermost first.

        Returns:
            The final state and the trace.

        Raises:
            InvalidInput: an input is missing, unknown or of another type.
            MemuError: what a step raised; for other errors than ours `StepError`, with the cause. Every
                exception that ends a run carries its trace: `trace_of(error)`.
            Cancelled: `cancel` was requested.
        """
        ...


class LocalRunner(Generic[R]):
    """Runs pipelines in this event loop.

    Args:
        interceptors: around every step of every run, outside those of the run.
        sleep: waits between attempts.
        rng: decides the jitter of these pauses, and new run ids.
        timer: seconds that only grow; for the trace.
    """

    def __init__(
        self,
        *,
        interceptors: Sequence[Interceptor] = (),
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._interceptors = tuple(interceptors)
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._timer = timer

    async def run(
        self,
        pipeline: Pipeline,
        state: Mapping[str, Any],
        resources: R,
        *,
        run_id: str | None = None,
        clock: Clock = utc_now,
        progress: ProgressCallback | None = None,
        cancel: Cancellation | None = None,
        interceptors: Sequence[Interceptor] = (),
    ) -> RunResult:
        """Run a pipeline to its end; see `Runner.run`."""
        _check_inputs(pipeline, state)
        run_id = run_id or str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        run = _Run(
            pipeline=pipeline,
            run_id=run_id,
            resources=resources,
            clock=clock,
            cancel=cancel or Cancellation(),
            announcer=Announcer(
                run_id=run_id, workflow=pipeline.name, callback=progress, loop=asyncio.get_running_loop()
            ),
            interceptors=(*self._interceptors, *interceptors),
            recorder=Recorder(
                run_id=run_id,
                workflow=pipeline.name,
                revision=pipeline.revision,
                started_at=clock(),
                timer=self._timer,
            ),
            sleep=self._sleep,
            rng=self._rng,
            state=dict(state),
        )
        return await run.to_end()


@dataclasses.dataclass(kw_only=True, slots=True, eq=False)
class _Run:
    """One run under way."""

    pipeline: Pipeline
    run_id: str
    resources: Any
    clock: Clock
    cancel: Cancellation
    announcer: Announcer
    interceptors: tuple[Interceptor, ...]
    recorder: Recorder
    sleep: Sleep
    rng: random.Random
    state: dict[str, Any]

    async def to_end(self) -> RunResult:
        try:
            for stage in self.pipeline.stages:
                await self._stage(stage)
        except (Exception, asyncio.CancelledError) as error:
            attach_trace(error, self.recorder.trace(_status(error)))
            raise
        return RunResult(state=MappingProxyType(self.state), trace=self.recorder.trace("ok"))

    async def _stage(self, stage: Sequence[PipelineStep]) -> None:
        self.cancel.check()
        if len(stage) == 1:
            updates = [await self._step(stage[0])]
        else:
            updates = await self._parallel(stage)
        for step, update in zip(stage, updates, strict=True):
            self._apply(step, update)

    async def _parallel(self, stage: Sequence[PipelineStep]) -> list[Update]:
        failure: BaseException
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._step(step), name=step.name) for step in stage]
        except BaseExceptionGroup as failures:
            failure = failures.exceptions[0]
        else:
            return [task.result() for task in tasks]
        # Outside the handler, so that the error does not carry the group as its context.
        raise failure

    def _apply(self, step: PipelineStep, update: Update) -> None:
        appended = {key: [*self.state.get(key, ()), *update.get(key, ())] for key in step.definition.appends}
        self.state |= update | appended

    async def _step(self, step: PipelineStep) -> Update:
        self.cancel.check()
        began = self.recorder.now()
        if step.when and not holds(step.when, self.state):
            self._ended(step, began, "skipped", reason=f"only when {describe(step.when)}")
            return {}
        self.announcer.tell(step.name, "started")
        attempts = self._attempts(step)
        try:
            update = await self._call(step, attempts)
        except (Exception, asyncio.CancelledError) as raised:
            error = self._failed(step, began, attempts, raised)
        else:
            self._ended(step, began, "ok", attempts)
            return update
        if error is not None:
            raise error
        return {}

    async def _call(self, step: PipelineStep, attempts: Attempts) -> Update:
        inputs = _arguments(step, self.state)
        if not self.interceptors:
            return await attempts.run(inputs)
        call = Call(
            kind="step",
            name=step.name,
            payload=MappingProxyType(inputs),
            labels={"run_id": self.run_id, "workflow": self.pipeline.name},
        )
        return await intercept(call, self.interceptors, lambda _: attempts.run(inputs))

    def _failed(
        self, step: PipelineStep, began: float, attempts: Attempts, raised: BaseException
    ) -> BaseException | None:
        """Record a failure; return the error that ends the run, or None to go on."""
        if not isinstance(raised, Exception):
            self._ended(step, began, "cancelled", attempts, reason="cancelled")
            return raised
        error = step_error(raised, step.name, self.pipeline.name)
        if step.on_error == "skip" and not isinstance(error, Cancelled):
            self._ended(step, began, "skipped", attempts, reason=str(error))
            return None
        self._ended(step, began, _status(error), attempts, reason=str(error))
        return error

    def _attempts(self, step: PipelineStep) -> Attempts:
        return Attempts(
            step=step,
            workflow=self.pipeline.name,
            cancel=self.cancel,
            context=lambda cancel: self._context(step, cancel),
            sleep=self.sleep,
            rng=self.rng,
        )

    def _context(self, step: PipelineStep, cancel: Cancellation) -> StepContext[Any]:
        labels = {"run_id": self.run_id, "workflow": self.pipeline.name, "step": step.name}
        return StepContext(
            resources=self.resources,
            run_id=self.run_id,
            workflow=self.pipeline.name,
            step=step.name,
            clock=self.clock,
            log=StepLog(LOGGER, labels),
            cancel=cancel,
            observer=self.announcer.forward,
        )

    def _ended(
        self,
        step: PipelineStep,
        began: float,
        status: Status,
        attempts: Attempts | None = None,
        *,
        reason: str = "",
    ) -> None:
        trace = StepTrace(
            step=step.name,
            use=step.use,
            status=status,
            ms=self.recorder.now() - began,
            started_ms=began,
            attempts=attempts.count if attempts else 0,
            notes=frozen_notes(attempts.notes if attempts else {}),
            reason=reason,
        )
        self.recorder.add(step.place, trace)
        self.announcer.tell(step.name, EVENTS[status], reason)


def _status(error: BaseException) -> Status:
    return "cancelled" if isinstance(error, Cancelled | asyncio.CancelledError) else "failed"


def _arguments(step: PipelineStep, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the keys a step reads; one that is missing is left to its default, or is None."""
    reads = step.definition.reads
    return {one.name: state.get(one.name) for one in reads if one.name in state or one.required}


def _check_inputs(pipeline: Pipeline, state: Mapping[str, Any]) -> None:
    inputs = pipeline.contract.inputs
    for name, value in state.items():
        if name not in inputs:
            raise InvalidInput(f"workflow `{pipeline.name}`: {unknown('input', name, inputs)}")
        if not fits(value, inputs[name].type):
            wanted = show(inputs[name].type)
            raise InvalidInput(
                f"workflow `{pipeline.name}`: input `{name}` is a {type(value).__name__}, not {wanted}"
            )
    for name, spec in inputs.items():
        if spec.required and name not in state:
            raise InvalidInput(f"workflow `{pipeline.name}` needs the input `{name}` ({show(spec.type)})")
