"""Trying one step: time limit, retries, and which error comes out."""

import asyncio
import dataclasses
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from memu_py.errors import (
    AccessDenied,
    BudgetExceeded,
    Cancelled,
    ConfigError,
    InvalidInput,
    MemuError,
    NotFound,
    StepError,
    StepTimeout,
)
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.context import CURRENT, StepContext
from memu_py.workflow.output import updates
from memu_py.workflow.pipeline import PipelineStep

FINAL = (ConfigError, InvalidInput, AccessDenied, NotFound, Cancelled, BudgetExceeded)
"""Errors that another attempt would not change."""

Sleep = Callable[[float], Awaitable[None]]

MakeContext = Callable[[Cancellation], StepContext[Any]]
"""Makes the context of one attempt."""


@dataclasses.dataclass(slots=True, eq=False)
class Attempts:
    """The attempts of one step in one run.

    Attributes:
        step: what is tried.
        workflow: the workflow's name, for messages.
        cancel: of the run.
        context: makes the context of one attempt.
        sleep: waits some seconds.
        rng: decides the jitter of pauses.
        count: attempts so far.
        last: context of the last attempt, for its notes.
    """

    step: PipelineStep
    workflow: str
    cancel: Cancellation
    context: MakeContext
    sleep: Sleep
    rng: random.Random
    count: int = 0
    last: StepContext[Any] | None = None

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the last attempt noted."""
        return self.last.notes if self.last else {}

    async def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Try the step until it works or another attempt is not allowed.

        Args:
            inputs: values of the keys it reads.

        Returns:
            Values of the keys it writes.

        Raises:
            MemuError: as the step raised it, with a note that names step and workflow.
            StepTimeout: an attempt took longer than `timeout_s`.
            BadStepOutput: it returned something else than it declares.
            StepError: it raised any other error, which is the cause.
        """
        while True:
            self.count += 1
            try:
                return await self._once(inputs)
            except Exception as raised:
                error = step_error(raised, self.step.name, self.workflow)
                if not self._again(error):
                    raise error from error.__cause__
                await self._pause(error)

    def _again(self, error: MemuError) -> bool:
        retry = self.step.retry
        return retry is not None and self.count < retry.attempts and not isinstance(error, FINAL)

    async def _pause(self, error: MemuError) -> None:
        assert self.step.retry is not None and self.last is not None
        seconds = self.step.retry.pause_s(self.count, self.rng.random())
        self.last.log.warning("attempt %d failed, again in %.1f s: %s", self.count, seconds, error)
        self.cancel.check()
        await self.sleep(seconds)
        self.cancel.check()

    async def _once(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        own = Cancellation(self.cancel)
        self.last = self.context(own)
        token = CURRENT.set(self.last)
        try:
            await self.step.instance.warm_up()
            returned = await self._timed(inputs, self.last)
        finally:
            CURRENT.reset(token)
            own.request("the step is over")  # stops a thread that was left behind
        return updates(self.step.definition, returned, step=self.step.name)

    async def _timed(self, inputs: Mapping[str, Any], ctx: StepContext[Any]) -> Any:
        if self.step.timeout_s is None:
            return await self.step.instance.call(inputs, ctx)
        try:
            async with asyncio.timeout(self.step.timeout_s) as limit:
                return await self.step.instance.call(inputs, ctx)
        except TimeoutError as error:
            if not limit.expired():
                raise
            message = f"step `{self.step.name}` took longer than its {self.step.timeout_s:g} s"
            raise StepTimeout(message, step=self.step.name, hint="raise its `timeout_s`") from error


def step_error(error: Exception, step: str, workflow: str) -> MemuError:
    """Return the error to raise for one that came out of a step.

    Args:
        error: an error of this package stays as it is; any other becomes a `StepError` with it as the cause.
        step: the step's name.
        workflow: the workflow's name.

    Returns:
        The error, with a note that names step and workflow.
    """
    if isinstance(error, MemuError):
        found = error
    else:
        found = StepError(f"step `{step}` failed: {type(error).__name__}: {error}", step=step)
        found.__cause__ = error
    note = f"in step `{step}` of workflow `{workflow}`"
    if note not in getattr(found, "__notes__", ()):
        found.add_note(note)
    return found
