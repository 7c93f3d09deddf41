"""What a run tells of itself: interceptors, progress, context."""

import random
import time
from typing import Any

import pytest
from workflow_kit import (
    INPUTS,
    NOON,
    RETRIED,
    Desk,
    Flaky,
    Listener,
    Pauses,
    Request,
    flaky_step,
    load,
    run,
    traced,
    workflow,
)

from memu_py.errors import (
    StepError,
)
from memu_py.workflow.context import StepContext
from memu_py.workflow.interceptor import Call
from memu_py.workflow.runner import LocalRunner, Runner, RunResult
from memu_py.workflow.step import step

# Interceptors


class Ledger:
    """Counts calls and may refuse them."""

    def __init__(self, name: str, book: list[str], refuses: str | None = None) -> None:
        self.name = name
        self.book = book
        self.refuses = refuses

    async def before(self, call: Call) -> None:
        self.book.append(
            f"{self.name} {call.kind} {call.name} {sorted(call.payload)} {call.labels['run_id']}"
        )
        if call.name == self.refuses:
            raise PermissionError("over budget")

    async def after(self, call: Call, result: Any) -> None:
        self.book.append(f"{self.name} after {call.name} {result}")

    async def on_error(self, call: Call, error: BaseException) -> None:
        self.book.append(f"{self.name} error {call.name} {error}")


async def test_interceptors_see_each_step_those_of_the_runner_outermost() -> None:
    book: list[str] = []
    runner: LocalRunner[Desk] = LocalRunner(interceptors=[Ledger("outer", book)])
    pipeline = load(workflow("  - split", "  - {use: translate, when: {request.depth: 5}}"))
    await run(pipeline, "a b", runner=runner, interceptors=[Ledger("inner", book)], run_id="r")
    assert book == [
        "outer step split ['text'] r",
        "inner step split ['text'] r",
        "inner after split {'words': ['a', 'b']}",
        "outer after split {'words': ['a', 'b']}",
    ]


async def test_interceptors_see_one_call_for_all_attempts_and_the_final_error() -> None:
    book: list[str] = []
    flaky = Flaky(*(ValueError(str(number)) for number in range(3)))
    runner: LocalRunner[Desk] = LocalRunner(sleep=Pauses())
    with pytest.raises(StepError):
        await run(
            load(RETRIED, flaky_step(flaky)), runner=runner, interceptors=[Ledger("l", book)], run_id="r"
        )
    assert book == ["l step flaky [] r", "l error flaky step `flaky` failed: ValueError: 2"]


async def test_an_interceptor_may_refuse_a_step() -> None:
    with pytest.raises(StepError, match="PermissionError: over budget") as caught:
        await run(load(workflow("  - split", "  - lower")), interceptors=[Ledger("l", [], refuses="lower")])
    assert [(one.step, one.status, one.attempts) for one in traced(caught.value).steps] == [
        ("split", "ok", 1),
        ("lower", "failed", 0),
    ]


# Progress, ids, protocol


async def test_a_broken_progress_callback_does_not_end_the_run(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: Any) -> None:
        raise ValueError(event.kind)

    result = await run(load(workflow("  - split")), progress=broken)
    assert result.state["words"] == ["b", "A", "c"]
    assert [record.getMessage() for record in caplog.records] == ["the progress callback failed"] * 2


async def test_progress_of_an_async_step_comes_between_its_start_and_end() -> None:
    @step("pages")
    async def pages(*, ctx: StepContext[Desk]) -> None:
        ctx.progress(1, 2, "first")
        ctx.progress(2, 2)

    listener = Listener()
    await run(load(workflow("  - pages"), pages), progress=listener, run_id="r")
    assert [(one.kind, one.done, one.total, one.message) for one in listener.events] == [
        ("started", 0, None, ""),
        ("progress", 1, 2, "first"),
        ("progress", 2, 2, ""),
        ("finished", 0, None, ""),
    ]
    assert {(one.run_id, one.workflow) for one in listener.events} == {("r", "w")}


async def test_the_context_of_a_step_is_that_of_its_run() -> None:
    seen: list[StepContext[Desk]] = []

    @step("look")
    async def look(*, ctx: StepContext[Desk]) -> None:
        seen.append(ctx)

    desk = Desk()
    pipeline = load(workflow("  - use: look", "    name: eyes"), look)
    await run(pipeline, desk=desk, run_id="mine", clock=lambda: NOON)
    (ctx,) = seen
    assert (ctx.run_id, ctx.workflow, ctx.step, ctx.clock()) == ("mine", "w", "eyes", NOON)
    assert ctx.resources is desk


async def test_a_run_without_an_id_gets_one_from_the_injected_chance() -> None:
    async def first_id(seed: int) -> str:
        runner: LocalRunner[Desk] = LocalRunner(rng=random.Random(seed))
        return (await run(load(workflow("  - split")), runner=runner)).trace.run_id

    assert await first_id(1) == await first_id(1)
    assert await first_id(1) != await first_id(2)


async def test_the_local_runner_is_a_runner() -> None:
    async def use(runner: Runner[Desk]) -> RunResult:
        state = {"text": "a", "request": Request()}
        return await runner.run(load(workflow("  - split"), inputs=INPUTS), state, Desk())

    before = time.perf_counter()
    result = await use(LocalRunner())
    assert 0 <= result.trace.ms <= (time.perf_counter() - before) * 1000
