"""Rules that hold for every list of steps in the configuration."""

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from merge_kit import MEMORIZE, RETRIEVE, simple

from memu_py.workflow.load import load_workflow
from memu_py.workflow.merge import merge_list
from memu_py.workflow.pipeline import Pipeline
from memu_py.workflow.registry import Registry


def _ranks(pipeline: Pipeline) -> dict[str, int]:
    return {one.name: number for number, stage in enumerate(pipeline.stages) for one in stage}


def _lenient(text: str) -> Pipeline:
    """Return a packaged workflow of the same names whose steps need nothing, so that any order loads."""
    found = Registry()
    for name in (
        "ingest",
        "preprocess",
        "assess",
        "extract",
        "dedupe",
        "classify",
        "embed",
        "persist",
        "update",
    ):
        found.add_step(simple(name, "", ""))
    for name in (
        "build_memorize",
        "recall_dense",
        "recall_keyword",
        "recall_entity",
        "fuse",
        "rank",
        "expand",
    ):
        found.add_step(simple(name, "", ""))
    for name in ("hit_categories", "hit_resources", "build_retrieve", "own_a", "own_b", "own_c"):
        found.add_step(simple(name, "", ""))
    return load_workflow(text, file="packaged.yaml", registry=found, inputs={})


LENIENT = [_lenient(MEMORIZE.replace("{size: 7, mode: deep}", "{}")), _lenient(RETRIEVE)]
OWN = ["own_a", "own_b", "own_c"]


@st.composite
def lists(draw: st.DrawFn, *, grouped: bool = False) -> tuple[Pipeline, list[Any]]:
    """Return a packaged workflow and a list for it: any steps in any order, one replaced, two grouped perhaps."""
    base = draw(st.sampled_from(LENIENT))
    names = draw(st.permutations([*(one.name for one in base.steps), *OWN]))
    chosen: list[Any] = names[: draw(st.integers(0, len(names)))]
    if draw(st.booleans()) and "own_a" not in chosen and chosen and chosen[0] not in OWN:
        chosen[0] = {"use": "own_a", "replaces": chosen[0]}
    if grouped and len(chosen) > 1:
        place = draw(st.integers(0, len(chosen) - 2))
        pair = chosen[place : place + 2]
        required = {one.name for one in base.steps if one.required}
        if sum(replaced(one) in required for one in pair) < 2:
            chosen[place : place + 2] = [{"parallel": pair}]
    return base, chosen


def flat(steps: list[Any]) -> list[Any]:
    """Return the members of a list, those of groups among the others."""
    return [one for step in steps for one in members(step)]


def members(step: Any) -> list[Any]:
    if isinstance(step, dict) and "parallel" in step:
        return list(step["parallel"])
    return [step]


def label(one: Any) -> str:
    return str(one if isinstance(one, str) else one["use"])


def replaced(one: Any) -> str:
    """Return the packaged name that a member of a list has or takes."""
    return str(one if isinstance(one, str) else one["replaces"])


@settings(deadline=None)
@given(lists(grouped=True))
def test_required_steps_are_always_there_in_the_packaged_order(case: tuple[Pipeline, list[Any]]) -> None:
    base, steps = case
    packaged_stage = {one.slot: one.stage for one in base.steps if one.required}
    found = [one for one in merge_list(base, steps).steps if one.required]
    assert {one.slot for one in found} == set(packaged_stage)
    for earlier, later in itertools.combinations(found, 2):
        before, behind = packaged_stage[earlier.slot], packaged_stage[later.slot]
        assert before <= behind
        assert before == behind or earlier.stage < later.stage


@settings(deadline=None)
@given(lists(grouped=True))
def test_nothing_listed_is_lost_and_nothing_else_comes_but_what_is_required(
    case: tuple[Pipeline, list[Any]],
) -> None:
    base, steps = case
    gone = {replaced(one) for one in flat(steps) if not isinstance(one, str)}
    required = {one.name for one in base.steps if one.required}
    wanted = {label(one) for one in flat(steps)} | (required - gone)
    assert {one.name for one in merge_list(base, steps).steps} == wanted


@settings(deadline=None)
@given(lists(grouped=True))
def test_what_the_list_groups_runs_together(case: tuple[Pipeline, list[Any]]) -> None:
    base, steps = case
    places = _ranks(merge_list(base, steps))
    for step in steps:
        assert len({places[label(one)] for one in members(step)}) == 1


@settings(deadline=None)
@given(lists())
def test_the_order_of_the_list_is_kept_unless_required_steps_contradict_it(
    case: tuple[Pipeline, list[Any]],
) -> None:
    base, steps = case
    stage = {one.name: one.stage for one in base.steps}
    required = {one.name for one in base.steps if one.required}
    names = [replaced(one) for one in steps]
    in_order = [stage[name] for name in names if name in required]
    if in_order != sorted(in_order):
        return
    labels = [label(one) for one in steps]
    places = _ranks(merge_list(base, steps))
    found = [places[name] for name in labels]
    assert found == sorted(found)


@settings(deadline=None)
@given(lists())
def test_an_own_step_stands_directly_behind_the_step_it_follows(case: tuple[Pipeline, list[Any]]) -> None:
    base, steps = case
    labels = [label(one) for one in steps]
    replaces = any(not isinstance(one, str) for one in steps)
    places = _ranks(merge_list(base, steps))
    for before, after in itertools.pairwise(labels):
        if after in OWN and not (replaces and after == "own_a"):
            assert places[after] == places[before] + 1
