"""Edits of a running program: each makes a revision, checked as a whole; runs under way finish on theirs."""

import asyncio
from typing import Any

import pytest
from workflow_kit import SplitConfig, load, make_registry, run, workflow

from memu_py.errors import InvalidInput, NotFound, WorkflowError
from memu_py.workflow.book import Workflow, WorkflowBook
from memu_py.workflow.load import load_workflow
from memu_py.workflow.spec import RetrySpec
from memu_py.workflow.step import step

BASE = workflow(
    "  - {use: split, required: true, with: {limit: 5}}",
    "  - lower",
    "  - parallel: [find_long, {use: find_prefix, with: {prefix: a}}]",
    "  - {use: count, required: true}",
    "  - answer",
)


def new_book(*more: Any) -> WorkflowBook:
    book = WorkflowBook()
    book.register(load(BASE, *more, outputs={"total": int}))
    return book


def names(flow: Workflow) -> str:
    stages = [[one.name for one in stage] for stage in flow.pipeline.stages]
    return " ".join(stage[0] if len(stage) == 1 else f"[{' '.join(stage)}]" for stage in stages)


def test_a_book_is_a_mapping_of_workflows_by_name() -> None:
    book = new_book()
    assert list(book) == ["w"]
    assert len(book) == 1
    assert "w" in book
    assert "x" not in book
    assert book["w"].name == "w"
    assert book["w"].revision == 1
    with pytest.raises(NotFound, match="no workflow `ww`; did you mean `w`\\? there are w"):
        book["ww"]
    with pytest.raises(KeyError):
        book["ww"]


def test_the_steps_are_listed_as_they_will_run() -> None:
    flow = new_book()["w"]
    assert [(one.name, one.stage, one.required, one.origin) for one in flow.steps] == [
        ("split", 0, True, "packaged"),
        ("lower", 1, False, "packaged"),
        ("find_long", 2, False, "packaged"),
        ("find_prefix", 2, False, "packaged"),
        ("count", 3, True, "packaged"),
        ("answer", 4, False, "packaged"),
    ]
    assert flow.steps[0].config == SplitConfig(limit=5)
    assert flow.pipeline.step("split").definition.key == "split"
    with pytest.raises(WorkflowError, match="workflow `w`: no step `splitt`; did you mean `split`"):
        flow.pipeline.step("splitt")


def test_a_step_goes_before_and_behind_another_and_beside_a_group() -> None:
    flow = new_book()["w"]
    flow.insert_before("lower", "sort")
    flow.insert_after("lower", {"use": "sort", "name": "again"})
    flow.insert_before("find_prefix", {"use": "translate", "on_error": "skip"})
    flow.insert_after("find_long", {"parallel": ["halve", "greet"]})
    assert names(flow) == (
        "split sort lower again translate [find_long find_prefix] [halve greet] count answer"
    )
    assert {one.origin for one in flow.steps if one.name in ("sort", "again", "translate", "halve")} == {
        "runtime"
    }


def test_configuring_changes_what_is_named_and_leaves_the_rest() -> None:
    flow = new_book()["w"]
    flow.config_step("split", {"separator": "-"}, timeout_s=3, retry={"attempts": 2})
    split = flow.steps[0]
    assert split.config == SplitConfig(separator="-", limit=5)
    assert (split.timeout_s, split.retry, split.required, split.origin) == (
        3,
        RetrySpec(attempts=2),
        True,
        "runtime",
    )
    flow.config_step("split", retry=None)
    assert (flow.steps[0].timeout_s, flow.steps[0].retry) == (3, None)
    assert flow.steps[0].config == SplitConfig(separator="-", limit=5)


def test_a_required_step_can_be_replaced_and_the_successor_is_required() -> None:
    @step("my_split", produces={"words": list[str]})
    async def my_split(text: str) -> list[str]:
        return [text]

    flow = new_book(my_split)["w"]
    flow.replace_step("split", "my_split")
    mine = flow.steps[0]
    assert (mine.name, mine.required, mine.slot, mine.origin) == ("my_split", True, "split", "runtime")
    with pytest.raises(WorkflowError, match="runtime edit: step `my_split`: it is required"):
        flow.remove_step("my_split")


def test_a_step_of_a_group_can_be_replaced_and_removed() -> None:
    flow = new_book()["w"]
    flow.replace_step("find_prefix", {"use": "find_prefix", "name": "bs", "with": {"prefix": "b"}})
    assert names(flow) == "split lower [find_long bs] count answer"
    flow.remove_step("find_long")
    assert names(flow) == "split lower bs count answer"
    flow.remove_step("lower")
    assert names(flow) == "split bs count answer"


@pytest.mark.parametrize(
    ("edit", "report"),
    [
        (
            lambda flow: flow.remove_step("count"),
            "E: step `count`: it is required; it can be configured or replaced",
        ),
        (lambda flow: flow.remove_step("cuont"), "W: no step `cuont`; did you mean `count`?"),
        (lambda flow: flow.insert_before("x", "sort"), "W: no step `x`; there are answer"),
        (lambda flow: flow.insert_after("x", "sort"), "W: no step `x`; there are answer"),
        (lambda flow: flow.replace_step("x", "sort"), "W: no step `x`; there are answer"),
        (lambda flow: flow.config_step("x"), "W: no step `x`; there are answer"),
        (
            lambda flow: flow.insert_after("lower", "sortt"),
            "E: step `sortt`: no step `sortt`; did you mean `sort`?",
        ),
        (
            lambda flow: flow.insert_after("lower", {"use": "sort", "whn": {}}),
            "E: step `sort`: no key `whn`; did you mean `when`?",
        ),
        (
            lambda flow: flow.insert_after("lower", {"use": "lower"}),
            "E: step `lower`: there is a step of this name at w.yaml:4",
        ),
        (
            lambda flow: flow.insert_before("split", "sort"),
            "E: step `sort`: it needs `words` (list[str]), which nothing before it gives; `split`, `lower` would",
        ),
        (
            lambda flow: flow.replace_step("count", "greet"),
            "E: no step gives the output `total` (int); steps that",
        ),
        (
            lambda flow: flow.replace_step("count", {"parallel": ["count"]}),
            "E: step `count`: a step is replaced by one step, not by a group",
        ),
        (
            lambda flow: flow.config_step("split", {"limt": 3}),
            "E: step `split`: no key `limt`; did you mean `limit`?",
        ),
        (
            lambda flow: flow.config_step("split", {"limit": 0}),
            "E: step `split`: `limit`: input should be greater than or equal to 1",
        ),
        (
            lambda flow: flow.config_step("split", timeout=3),
            "E: step `split`: no setting `timeout`; did you mean `timeout_s`?",
        ),
        (lambda flow: flow.config_step("split", required=False), "E: step `split`: no setting `required`; "),
        (
            lambda flow: flow.config_step("split", on_error="skip"),
            "E: step `split`: a required step cannot have `on_error: skip`",
        ),
    ],
)
def test_a_faulty_edit_is_refused_and_changes_nothing(edit: Any, report: str) -> None:
    flow = new_book()["w"]
    with pytest.raises(WorkflowError) as caught:
        edit(flow)
    told = caught.value.faults[0] if caught.value.faults else str(caught.value)
    assert told.startswith(report.replace("E: ", "runtime edit: ").replace("W: ", "workflow `w`: "))
    assert (flow.revision, names(flow)) == (1, "split lower [find_long find_prefix] count answer")


def test_each_edit_is_a_revision_that_says_what_made_it() -> None:
    book = new_book()
    book.config_step("w", "split", {"limit": 2})
    book.insert_before("w", "lower", "sort")
    book.insert_after("w", "lower", "halve")
    book.replace_step("w", "sort", "translate")
    book.remove_step("w", "translate")
    assert [(one.revision, one.change) for one in book.revisions("w")] == [
        (1, "loaded"),
        (2, "config_step split"),
        (3, "insert_before lower"),
        (4, "insert_after lower"),
        (5, "replace_step sort"),
        (6, "remove_step translate"),
    ]
    assert names(book["w"]) == "split lower halve [find_long find_prefix] count answer"


def test_a_rollback_is_a_revision_of_its_own() -> None:
    book = new_book()
    book.remove_step("w", "lower")
    book.remove_step("w", "answer")
    back = book.rollback("w", 2)
    assert (back.revision, back.change) == (4, "rollback to 2")
    assert names(book["w"]) == "split [find_long find_prefix] count answer"
    assert [len(one.steps) for one in book.revisions("w")] == [6, 5, 4, 5]
    book.insert_before("w", "count", "sort")
    assert book["w"].revision == 5
    for number in (0, 6, -1):
        with pytest.raises(InvalidInput, match=f"workflow `w` has no revision {number}; there are 1 to 5"):
            book.rollback("w", number)


def test_registering_a_name_again_makes_a_revision() -> None:
    book = new_book()
    flow = book["w"]
    other = load_workflow(
        workflow("  - split", "  - find_long", "  - {use: count, required: true}"),
        file="other.yaml",
        registry=make_registry(),
        inputs={"text": str},
        packaged=flow.pipeline,
    )
    assert book.register(other) is flow
    assert (flow.revision, flow.pipeline.change, names(flow)) == (2, "registered", "split find_long count")
    with pytest.raises(WorkflowError) as caught:
        book.register(load(workflow("  - split"), file="less.yaml"))
    assert caught.value.faults == (
        "less.yaml:2: step `count`: it is required and missing; name it, or put another in its place by "
        "`replaces: count`",
    )
    assert flow.revision == 2


async def test_a_run_under_way_finishes_on_its_revision() -> None:
    at_work, go_on = asyncio.Event(), asyncio.Event()

    @step("wait")
    async def wait() -> None:
        at_work.set()
        await go_on.wait()

    book = WorkflowBook()
    flow = book.register(load(workflow("  - split", "  - wait", "  - lower"), wait))
    old = asyncio.create_task(run(flow.pipeline, "B A"))
    await at_work.wait()
    flow.replace_step("lower", "sort")
    flow.config_step("split", {"limit": 1})
    go_on.set()
    finished = await old
    assert finished.trace.revision == 1
    assert finished.state["words"] == ["b", "a"]
    later = await run(flow.pipeline, "B A")
    assert later.trace.revision == 3
    assert later.state["words"] == ["B"]


def test_edits_of_many_threads_are_all_kept() -> None:
    flow = new_book()["w"]

    async def edit(number: int) -> None:
        await asyncio.to_thread(flow.insert_after, "lower", {"use": "sort", "name": f"s{number}"})

    async def all_edits() -> None:
        await asyncio.gather(*(edit(number) for number in range(20)))

    asyncio.run(all_edits())
    assert flow.revision == 21
    assert len(flow.steps) == 26
