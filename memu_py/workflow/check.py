"""Checking a workflow as a whole: every fault at once."""

from collections.abc import Sequence

from memu_py.errors import WorkflowError
from memu_py.workflow.binding import Binding, bind
from memu_py.workflow.contract import Contract
from memu_py.workflow.entry import Entry, Plan
from memu_py.workflow.flow import Flow
from memu_py.workflow.place import Fault

Stages = tuple[tuple[Binding, ...], ...]


def check(plan: Plan, contract: Contract, faults: Sequence[Fault] = ()) -> Stages:
    """Bind every step of a workflow and follow its keys.

    Args:
        plan: the workflow.
        contract: what it is checked against.
        faults: what was found already; they go into the same report.

    Returns:
        The steps with their definitions and configurations.

    Raises:
        WorkflowError: with all faults, in the order of the file.
    """
    found = list(faults)
    if not plan.stages and plan.complete:
        found.append(Fault(where=plan.where, message="the workflow has no steps"))
    found += _duplicates(plan.entries)
    stages = []
    for stage in plan.stages:
        pairs = [bind(entry, contract) for entry in stage]
        stages.append(tuple(binding for binding, _ in pairs))
        found += [fault for _, wrong in pairs for fault in wrong]
    if plan.stages:
        found += _flow_faults(plan, stages, contract)
    if found:
        raise report(plan.name, found)
    return tuple(stages)


def report(name: str, faults: Sequence[Fault]) -> WorkflowError:
    """Return the error that tells all faults of a workflow.

    Args:
        name: of the workflow.
        faults: at least one.
    """
    count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
    lines = list(dict.fromkeys(str(fault) for fault in sorted(faults, key=_by_line)))
    return WorkflowError(f"workflow `{name}` has {count}:", faults=lines)


def _flow_faults(plan: Plan, stages: Sequence[tuple[Binding, ...]], contract: Contract) -> list[Fault]:
    bindings = [binding for stage in stages for binding in stage]
    flow = Flow(contract, bindings, complete=plan.complete)
    for stage in stages:
        flow.stage(stage)
    flow.finish(plan.where)
    return flow.faults


def _duplicates(entries: Sequence[Entry]) -> list[Fault]:
    first: dict[str, Entry] = {}
    return [
        entry.fault(f"there is a step of this name at {first[entry.label].where()}; give one a `name`")
        for entry in entries
        if first.setdefault(entry.label, entry) is not entry
    ]


def _by_line(fault: Fault) -> tuple[str, int]:
    file, _, number = fault.where.rpartition(":")
    return (file, int(number)) if number.isdigit() else (fault.where, 0)
