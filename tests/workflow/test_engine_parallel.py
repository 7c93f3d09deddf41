"""Parallel steps, threads and cancellation."""

import asyncio
import threading
from typing import Any

import pytest
from workflow_kit import Desk, Flaky, Listener, flaky_step, load, run, traced, workflow

from memu_py.errors import (
    Cancelled,
    StepTimeout,
    StoreBusy,
)
from memu_py.workflow.cancellation import Cancellation
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step

# Threads


async def test_a_plain_function_runs_beside_the_event_loop() -> None:
    here = threading.get_ident()
    threads: list[int] = []
    listener = Listener()

    @step("work", produces={"result": int})
    def work(*, ctx: StepContext[Desk]) -> int:
        threads.append(threading.get_ident())
        ctx.progress(1, 2, "half")
        ctx.note(done=True)
        return 1

    def callback(event: Any) -> None:
        threads.append(threading.get_ident())
        listener(event)

    result = await run(load(workflow("  - work"), work), progress=callback)
    assert threads[0] == here  # `started`
    assert threads[1] != here
    assert set(threads[2:]) == {here}
    assert listener.kinds() == [("work", "started"), ("work", "progress"), ("work", "finished")]
    assert result.trace.steps[0].notes == {"done": True}


async def test_a_thread_whose_time_is_up_stops_at_its_next_check_and_is_not_heard_any_more() -> None:
    over = threading.Event()
    stopped: list[str] = []
    listener = Listener()

    @step("stubborn")
    def stubborn(*, ctx: StepContext[Desk]) -> None:
        assert over.wait(timeout=10)
        ctx.progress(1)
        try:
            ctx.cancel.check()
        except Cancelled as error:
            stopped.append(str(error))

    pipeline = load(workflow("  - use: stubborn", "    timeout_s: 0.01"), stubborn)
    with pytest.raises(StepTimeout):
        await run(pipeline, progress=listener)
    over.set()
    await asyncio.get_running_loop().shutdown_default_executor()
    await asyncio.sleep(0)
    assert stopped == ["The run was cancelled: the step is over"]
    assert listener.kinds() == [("stubborn", "started"), ("stubborn", "failed")]


def test_a_thread_left_behind_may_outlive_the_loop() -> None:
    begun, over, ended = threading.Event(), threading.Event(), threading.Event()

    @step("stubborn")
    def stubborn(*, ctx: StepContext[Desk]) -> None:
        begun.set()
        assert over.wait(timeout=10)
        ctx.progress(1)
        ended.set()

    pipeline = load(workflow("  - use: stubborn", "    timeout_s: 0.01"), stubborn)
    loop = asyncio.new_event_loop()
    with pytest.raises(StepTimeout):
        loop.run_until_complete(run(pipeline, progress=Listener()))
    loop.close()  # waits for no thread
    over.set()
    assert ended.wait(timeout=10)


# Parallel steps


async def test_parallel_steps_run_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    @step("one", appends={"found": list[str]})
    async def one() -> list[str]:
        await both.wait()
        return ["one"]

    @step("two", appends={"found": list[str]})
    async def two() -> list[str]:
        await both.wait()
        return ["two"]

    result = await run(load(workflow("  - parallel: [two, one]"), one, two))
    assert result.state["found"] == ["two", "one"]
    assert [trace.step for trace in result.trace.steps] == ["two", "one"]


async def test_the_first_failure_ends_the_others_and_comes_out_as_it_is() -> None:
    waiting = asyncio.Event()

    @step("waits")
    async def waits() -> None:
        waiting.set()
        await asyncio.Event().wait()

    @step("fails")
    async def fails() -> None:
        await waiting.wait()
        raise StoreBusy("locked")

    listener = Listener()
    with pytest.raises(StoreBusy, match="locked") as caught:
        await run(
            load(workflow("  - parallel: [waits, fails]", "  - split"), waits, fails), progress=listener
        )
    trace = traced(caught.value)
    assert [(one.step, one.status) for one in trace.steps] == [("waits", "cancelled"), ("fails", "failed")]
    assert caught.value.__context__ is None
    assert listener.kinds()[2:] == [("fails", "failed"), ("waits", "failed")]


async def test_a_parallel_step_that_may_be_skipped_leaves_the_others_alone() -> None:
    pipeline = load(
        workflow("  - split", "  - parallel: [{use: flaky, on_error: skip}, find_long]", "  - count"),
        flaky_step(Flaky(ValueError("no"))),
    )
    result = await run(pipeline, "long1 x")
    assert result.state["total"] == 1
    assert [one.status for one in result.trace.steps] == ["ok", "skipped", "ok", "ok"]


# Cancellation


async def test_a_run_stops_between_two_steps() -> None:
    cancel = Cancellation()

    @step("stop")
    async def stop() -> None:
        cancel.request("enough")

    with pytest.raises(Cancelled, match="enough") as caught:
        await run(load(workflow("  - stop", "  - split"), stop), cancel=cancel)
    trace = traced(caught.value)
    assert trace.status == "cancelled"
    assert [(one.step, one.status) for one in trace.steps] == [("stop", "ok")]


async def test_a_step_stops_where_it_looks_and_skip_does_not_hide_it() -> None:
    cancel = Cancellation()

    @step("long")
    async def long(*, ctx: StepContext[Desk]) -> None:
        cancel.request()
        ctx.cancel.check()

    text = workflow("  - use: long", "    on_error: skip", "    retry: {attempts: 3}", "  - split")
    with pytest.raises(Cancelled) as caught:
        await run(load(text, long), cancel=cancel)
    trace = traced(caught.value)
    assert [(one.step, one.status, one.attempts) for one in trace.steps] == [("long", "cancelled", 1)]


@pytest.mark.parametrize("lines", [["  - waits"], ["  - parallel: [waits, greet]"]])
async def test_cancelling_the_task_ends_the_run_with_its_trace(lines: list[str]) -> None:
    waiting = asyncio.Event()

    @step("waits")
    async def waits() -> None:
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(run(load(workflow(*lines), waits)))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    trace = traced(caught.value)
    assert trace.status == "cancelled"
    assert (trace.steps[0].step, trace.steps[0].status) == ("waits", "cancelled")
