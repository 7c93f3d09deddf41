"""Edits of a workflow. Pure: each gives a new plan, which is then checked as a whole."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from memu_py.errors import WorkflowError
from memu_py.nearest import unknown
from memu_py.workflow.check import report
from memu_py.workflow.entry import Entry, Plan
from memu_py.workflow.place import RUNTIME, Fault, in_config
from memu_py.workflow.reading import Reading, Stage, read_stages

NewStep = str | Mapping[str, Any]
"""A step as in a workflow's YAML: its key, or a mapping with `use` or `parallel`."""

SETTINGS = ("when", "timeout_s", "retry", "on_error")
"""What `configure` may change beside the step's own configuration."""


def insert(plan: Plan, anchor: str, new: NewStep, *, after: bool) -> Plan:
    """Put a step before or behind another; beside a parallel group, not into it.

    Args:
        plan: the workflow.
        anchor: name of the other step.
        new: the step.
        after: whether behind.

    Raises:
        WorkflowError: there is no such anchor, or the new step cannot be read.
    """
    stage, _ = _find(plan, anchor)
    place = stage + 1 if after else stage
    entries = _read(plan, new).entries
    return _with_stages(plan, [*plan.stages[:place], entries, *plan.stages[place:]])


def replace(plan: Plan, name: str, new: NewStep) -> Plan:
    """Put a step in the place of another. It is as required as that one was; nothing else is taken over.

    Args:
        plan: the workflow.
        name: of the step that goes.
        new: the step.

    Raises:
        WorkflowError: there is no such step, or the new one is a group or cannot be read.
    """
    number, old = _find(plan, name)
    read = _read(plan, new)
    if read.grouped:
        raise _refusal(plan, name, "a step is replaced by one step, not by a group")
    (entry,) = read.entries
    stage = tuple(old.replaced(entry) if one is old else one for one in plan.stages[number])
    return _with_stages(plan, [*plan.stages[:number], stage, *plan.stages[number + 1 :]])


def remove(plan: Plan, name: str) -> Plan:
    """Take a step out.

    Args:
        plan: the workflow.
        name: of the step.

    Raises:
        WorkflowError: there is no such step, or it is required.
    """
    number, old = _find(plan, name)
    if old.spec.required:
        raise _refusal(plan, name, "it is required; it can be configured or replaced, not removed")
    stage = tuple(one for one in plan.stages[number] if one is not old)
    return _with_stages(plan, [*plan.stages[:number], stage, *plan.stages[number + 1 :]])


def configure(plan: Plan, name: str, config: Mapping[str, Any], settings: Mapping[str, Any]) -> Plan:
    """Change a step's configuration key by key, and what the workflow says about it.

    Args:
        plan: the workflow.
        name: of the step.
        config: keys of its own configuration.
        settings: any of `SETTINGS`; None takes one back to nothing.

    Raises:
        WorkflowError: there is no such step or setting, or a value cannot be read.
    """
    number, old = _find(plan, name)
    for key in settings:
        if key not in SETTINGS:
            raise _refusal(plan, name, unknown("setting", key, SETTINGS))
    written = {"use": old.spec.use, "name": old.label, **settings}
    (change,) = _read(plan, {**written, "with": dict(config)} if config else written).entries
    stage = tuple(old.configured(change) if one is old else one for one in plan.stages[number])
    return _with_stages(plan, [*plan.stages[:number], stage, *plan.stages[number + 1 :]])


def _find(plan: Plan, name: str) -> tuple[int, Entry]:
    for number, stage in enumerate(plan.stages):
        for entry in stage:
            if entry.label == name:
                return number, entry
    raise WorkflowError(
        f"workflow `{plan.name}`: {unknown('step', name, [one.label for one in plan.entries])}"
    )


def _read(plan: Plan, new: NewStep) -> Stage:
    reading: Reading = read_stages(in_config([new], None), "runtime")
    if reading.faults:
        raise report(plan.name, reading.faults)
    return reading.stages[0]


def _refusal(plan: Plan, name: str, message: str) -> WorkflowError:
    return report(plan.name, [Fault(where=RUNTIME, step=name, message=message)])


def _with_stages(plan: Plan, stages: Sequence[tuple[Entry, ...]]) -> Plan:
    return dataclasses.replace(plan, stages=tuple(stage for stage in stages if stage), where=RUNTIME)
