"""Running a pipeline: the state, conditions, and what steps return."""

from typing import Any, NamedTuple

import pytest
from workflow_kit import Desk, Listener, Request, load, run, workflow

from memu_py.errors import (
    BadStepOutput,
    InvalidInput,
)
from memu_py.workflow.contract import InputSpec
from memu_py.workflow.step import step
from memu_py.workflow.trace import trace_of

# State


async def test_each_step_adds_to_the_state_what_it_declares() -> None:
    pipeline = load(
        workflow(
            "  - use: split",
            "    with: {separator: '-'}",
            "  - lower",
            "  - halve",
            "  - {use: find_prefix, with: {prefix: b}}",
            "  - count",
            "  - answer",
            "  - greet",
        ),
        outputs={"reply": str},
    )
    desk = Desk()
    result = await run(pipeline, "B-AX-bc", desk)
    assert result.state["words"] == ["b", "ax", "bc"]
    assert (result.state["head"], result.state["tail"]) == (["b"], ["ax", "bc"])
    assert result.state["found"] == ["b", "bc"]
    assert result.state["reply"] == "b ax bc/2/None"
    assert result.state["text"] == "B-AX-bc"
    assert desk.log == ["greet in w"]


async def test_a_parameter_keeps_its_default_until_a_step_gives_the_key() -> None:
    given = load(workflow("  - split", "  - translate", "  - answer"))
    not_given = load(workflow("  - split", "  - answer"))
    assert (await run(given, "ab")).state["reply"] == "ab/None/ba"
    assert (await run(not_given, "ab")).state["reply"] == "ab/None/None"


async def test_an_optional_input_may_be_left_out() -> None:
    inputs = {"hint": InputSpec(type=str, required=False)}
    pipeline = load(workflow("  - hint_reader"), inputs=inputs)
    assert (await run(pipeline, state={})).state["seen_hint"] == "None"
    assert (await run(pipeline, state={"hint": "x"})).state["seen_hint"] == "'x'"


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"text": "x"}, "workflow `w` needs the input `request` (Request)"),
        (
            {"text": "x", "request": Request(), "texts": 1},
            "workflow `w`: no input `texts`; did you mean `text`? there are request, text",
        ),
        ({"text": 3, "request": Request()}, "workflow `w`: input `text` is a int, not str"),
    ],
)
async def test_wrong_inputs_are_refused_before_anything_runs(state: dict[str, Any], message: str) -> None:
    desk = Desk()
    with pytest.raises(InvalidInput) as caught:
        await run(load(workflow("  - greet")), desk=desk, state=state)
    assert str(caught.value) == message
    assert desk.log == []
    assert trace_of(caught.value) is None


async def test_the_final_state_cannot_be_changed() -> None:
    result = await run(load(workflow("  - split")))
    with pytest.raises(TypeError):
        result.state["words"] = []  # type: ignore[index]


async def test_appending_makes_a_new_list_and_keeps_the_order_of_the_workflow() -> None:
    seen: list[list[str]] = []

    @step("peek")
    async def peek(found: list[str]) -> None:
        seen.append(found)

    pipeline = load(
        workflow(
            "  - split",
            "  - {use: find_prefix, with: {prefix: a}}",
            "  - peek",
            "  - parallel: [find_long, {use: find_prefix, name: second, with: {prefix: b}}]",
            "  - count",
        ),
        peek,
    )
    result = await run(pipeline, "a long1 b long2")
    assert result.state["found"] == ["a", "long1", "long2", "b"]
    assert seen == [["a"]]


# Conditions


async def test_a_step_whose_condition_does_not_hold_is_skipped() -> None:
    pipeline = load(
        workflow("  - split", "  - {use: translate, when: {request.language: [zh]}}", "  - answer")
    )
    english, chinese = Listener(), Listener()
    result = await run(pipeline, "ab", progress=english)
    assert result.state["reply"] == "ab/None/None"
    skipped = result.trace.step("translate")
    assert skipped is not None
    assert (skipped.status, skipped.attempts, skipped.reason) == (
        "skipped",
        0,
        "only when request.language is zh",
    )
    assert [kind for name, kind in english.kinds() if name == "translate"] == ["skipped"]
    state = {"text": "ab", "request": Request(language="zh")}
    assert (await run(pipeline, state=state, progress=chinese)).state["reply"] == "ab/None/ba"
    assert [kind for name, kind in chinese.kinds() if name == "translate"] == ["started", "finished"]


async def test_an_appended_key_is_an_empty_list_when_its_step_was_skipped() -> None:
    pipeline = load(workflow("  - split", "  - {use: find_long, when: {request.depth: 9}}", "  - count"))
    assert (await run(pipeline)).state["total"] == 0


# Outputs


class Two(NamedTuple):
    a: Any
    b: Any


class Other(NamedTuple):
    a: Any
    c: Any


@pytest.mark.parametrize(
    ("produces", "returned", "message"),
    [
        ({}, 3, "step `s` returned a int, but declares nothing"),
        ({"a": list[int]}, None, "step `s` gave `a` as None, but declares list[int]"),
        ({"a": list[int]}, (1, 2), "step `s` gave `a` as a tuple, but declares list[int]"),
        ({"a": int, "b": str}, (1, "x"), "step `s` returned a tuple, but declares a NamedTuple of a, b"),
        (
            {"a": int, "b": str},
            Other(1, "x"),
            "step `s` returned a NamedTuple of a, c, but declares a NamedTuple of a, b",
        ),
        ({"a": int, "b": str}, Two(1, 2), "step `s` gave `b` as a int, but declares str"),
        (
            {"a": int, "b": str},
            {"a": 1, "b": "x"},
            "step `s` returned a dict, but declares a NamedTuple of a, b",
        ),
    ],
)
async def test_what_a_step_returns_is_held_against_its_declaration(
    produces: dict[str, Any], returned: Any, message: str
) -> None:
    @step("s", produces=produces)
    async def wrong() -> Any:
        return returned

    with pytest.raises(BadStepOutput) as caught:
        await run(load(workflow("  - s"), wrong))
    assert str(caught.value) == message
    assert caught.value.step == "s"


async def test_the_fields_of_a_named_tuple_may_come_in_any_order() -> None:
    @step("s", produces={"b": str, "a": int})
    async def right() -> Any:
        return Two(a=1, b="x")

    state = (await run(load(workflow("  - s"), right))).state
    assert (state["a"], state["b"]) == (1, "x")
