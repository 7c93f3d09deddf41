"""When a step fails: errors, retries, time limits."""

import asyncio
import itertools
import logging
import random

import pytest
from workflow_kit import (
    NOON,
    RETRIED,
    Desk,
    Flaky,
    Listener,
    Pauses,
    flaky_step,
    load,
    run,
    traced,
    workflow,
)

from memu_py.errors import (
    AccessDenied,
    Cancelled,
    ConfigError,
    InvalidInput,
    MemuError,
    NotFound,
    StepError,
    StepTimeout,
    StoreBusy,
)
from memu_py.workflow.attempts import FINAL
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.runner import LocalRunner
from memu_py.workflow.step import step

# Errors


async def test_an_error_of_this_package_passes_through_with_a_note() -> None:
    error = StoreBusy("locked")
    with pytest.raises(StoreBusy) as caught:
        await run(load(workflow("  - flaky"), flaky_step(Flaky(error))))
    assert caught.value is error
    assert error.__notes__ == ["in step `flaky` of workflow `w`"]


async def test_any_other_error_becomes_a_step_error_with_its_cause() -> None:
    cause = ZeroDivisionError("by zero")
    with pytest.raises(StepError) as caught:
        await run(load(workflow("  - flaky"), flaky_step(Flaky(cause))))
    assert str(caught.value) == "step `flaky` failed: ZeroDivisionError: by zero"
    assert caught.value.__cause__ is cause
    assert caught.value.step == "flaky"


async def test_a_step_that_may_be_skipped_does_not_end_the_run() -> None:
    listener = Listener()
    pipeline = load(
        workflow("  - use: flaky", "    on_error: skip", "  - split"), flaky_step(Flaky(ValueError("no")))
    )
    result = await run(pipeline, "a", progress=listener)
    assert "result" not in result.state
    assert result.state["words"] == ["a"]
    assert result.trace.status == "ok"
    first = result.trace.steps[0]
    assert (first.status, first.attempts, first.reason, first.notes) == (
        "skipped",
        1,
        "step `flaky` failed: ValueError: no",
        {"call": 1},
    )
    assert listener.events[1].kind == "skipped"
    assert listener.events[1].message == "step `flaky` failed: ValueError: no"


async def test_the_trace_is_whole_when_a_run_fails() -> None:
    pipeline = load(workflow("  - split", "  - flaky", "  - lower"), flaky_step(Flaky(ValueError("no"))))
    ticks = itertools.count()
    runner: LocalRunner[Desk] = LocalRunner(timer=lambda: next(ticks) / 1000)
    with pytest.raises(StepError) as caught:
        await run(pipeline, runner=runner, run_id="r1", clock=lambda: NOON)
    trace = traced(caught.value)
    assert (trace.run_id, trace.workflow, trace.revision, trace.status) == ("r1", "w", 1, "failed")
    assert trace.started_at == NOON
    assert [(one.step, one.status) for one in trace.steps] == [("split", "ok"), ("flaky", "failed")]
    assert trace.step("lower") is None
    split, flaky = trace.steps
    assert (split.started_ms, split.ms) == (1.0, 1.0)
    assert (flaky.started_ms, flaky.ms) == (3.0, 1.0)
    assert trace.ms == 5.0
    assert flaky.reason == "step `flaky` failed: ValueError: no"


async def test_notes_of_a_trace_cannot_be_changed() -> None:
    result = await run(load(workflow("  - flaky"), flaky_step(Flaky())))
    with pytest.raises(TypeError):
        result.trace.steps[0].notes["call"] = 2  # type: ignore[index]


# Retries


async def test_a_step_is_tried_again_after_growing_pauses(caplog: pytest.LogCaptureFixture) -> None:
    pauses = Pauses()
    flaky = Flaky(ValueError("one"), StoreBusy("two"))
    runner: LocalRunner[Desk] = LocalRunner(sleep=pauses, rng=random.Random(7))
    with caplog.at_level(logging.WARNING):
        result = await run(load(RETRIED, flaky_step(flaky)), runner=runner, run_id="r")
    assert result.state["result"] == 3
    chance = random.Random(7)
    assert pauses.seconds == [1 * (0.75 + 0.5 * chance.random()), 2 * (0.75 + 0.5 * chance.random())]
    assert result.trace.steps[0].attempts == 3
    assert result.trace.steps[0].notes == {"call": 3}  # of the last attempt
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == [
        "attempt 1 failed",
        "attempt 2 failed",
    ]


async def test_the_last_error_comes_out_when_the_attempts_are_used_up() -> None:
    flaky = Flaky(ValueError("one"), ValueError("two"), ValueError("three"), ValueError("four"))
    runner: LocalRunner[Desk] = LocalRunner(sleep=Pauses())
    with pytest.raises(StepError, match="three") as caught:
        await run(load(RETRIED, flaky_step(flaky)), runner=runner)
    assert flaky.calls == 3
    assert traced(caught.value).steps[0].attempts == 3


@pytest.mark.parametrize(
    "error", [ConfigError("x"), InvalidInput("x"), AccessDenied("x"), NotFound("x"), Cancelled("x")]
)
async def test_an_error_that_will_not_pass_is_not_tried_again(error: MemuError) -> None:
    flaky = Flaky(error)
    with pytest.raises(type(error)):
        await run(load(RETRIED, flaky_step(flaky)), runner=LocalRunner(sleep=Pauses()))
    assert flaky.calls == 1
    assert type(error) in FINAL


async def test_cancelling_during_a_pause_ends_the_run() -> None:
    cancel = Cancellation()
    flaky = Flaky(ValueError("one"))
    runner: LocalRunner[Desk] = LocalRunner(sleep=Pauses(then=cancel.request))
    with pytest.raises(Cancelled):
        await run(load(RETRIED, flaky_step(flaky)), runner=runner, cancel=cancel)
    assert flaky.calls == 1


# Time limits


async def test_a_step_that_takes_too_long_is_ended() -> None:
    ended: list[str] = []

    @step("slow")
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    with pytest.raises(StepTimeout) as caught:
        await run(load(workflow("  - use: slow", "    timeout_s: 0.01"), slow))
    assert str(caught.value) == "step `slow` took longer than its 0.01 s (raise its `timeout_s`)"
    assert ended == ["slow"]
    assert traced(caught.value).steps[0].status == "failed"


async def test_the_limit_is_for_one_attempt_and_a_timeout_is_tried_again() -> None:
    calls = itertools.count(1)

    @step("slow", produces={"result": int})
    async def slow() -> int:
        call = next(calls)
        if call == 1:
            await asyncio.Event().wait()
        return call

    text = workflow("  - use: slow", "    timeout_s: 0.01", "    retry: {attempts: 2}")
    result = await run(load(text, slow), runner=LocalRunner(sleep=Pauses()))
    assert result.state["result"] == 2


async def test_a_timeout_of_the_step_itself_is_its_own_error() -> None:
    pipeline = load(workflow("  - use: flaky", "    timeout_s: 5"), flaky_step(Flaky(TimeoutError("socket"))))
    with pytest.raises(StepError, match="TimeoutError: socket") as caught:
        await run(pipeline)
    assert not isinstance(caught.value, StepTimeout)
