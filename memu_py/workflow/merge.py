"""A list of steps in the configuration, merged into the packaged workflow."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from memu_py.marked_yaml import Mark
from memu_py.workflow.claim import claim
from memu_py.workflow.contract import Contract
from memu_py.workflow.entry import Entry, Plan
from memu_py.workflow.flow import keys_after
from memu_py.workflow.ordering import Member, Node, arrange
from memu_py.workflow.pipeline import Pipeline, build
from memu_py.workflow.place import Fault, Path, in_config
from memu_py.workflow.reading import Stage, read_stages
from memu_py.workflow.registry import STEP
from memu_py.workflow.step import StepDefinition

CONFIGURED = "steps of the configuration"


def merge_list(packaged: Pipeline, steps: Any, mark: Callable[[Path], Mark] | None = None) -> Pipeline:
    """Make a workflow of a list of steps and of the required steps of the packaged one.

    Each member of the list is a name, a mapping as in a workflow file, or a `parallel` group. One that names
    a packaged step keeps what the packaged workflow says about it, overridden by what the list says. Packaged
    steps that are neither required nor listed are off. The order: `memu_py.workflow.ordering`.

    Args:
        packaged: the packaged workflow.
        steps: the list, as it was read.
        mark: from a path within the list to its mark in the file, for messages.

    Raises:
        WorkflowError: with all faults, those of the list and those of the workflow that comes of it.
    """
    place = in_config(steps, mark)
    reading = read_stages(place, "config")
    stages = _ranked(packaged.plan)
    nodes = [_node(stage, stages, reading.faults) for stage in reading.stages]
    contract = packaged.contract
    order = arrange(nodes, stages, lambda node, before: _ready(node, before, contract))
    plan = dataclasses.replace(
        packaged.plan,
        stages=tuple(node.entries for node in order),
        where=place.locate(()),
        complete=reading.complete,
    )
    return build(plan, contract, faults=reading.faults, change=CONFIGURED)


def _ranked(plan: Plan) -> list[list[Member]]:
    return [[Member(entry=entry, rank=rank) for entry in stage] for rank, stage in enumerate(plan.stages)]


def _node(stage: Stage, packaged: Sequence[Sequence[Member]], faults: list[Fault]) -> Node:
    node = Node(members=[_member(entry, packaged, faults) for entry in stage.entries], grouped=stage.grouped)
    if len(node.required_ranks) > 1:
        names = ", ".join(f"`{one.entry.label}`" for one in node.members if one.entry.spec.required)
        message = f"{names} are required one after another; they cannot run in parallel"
        faults.append(stage.entries[0].fault(message))
    return node


def _member(entry: Entry, packaged: Sequence[Sequence[Member]], faults: list[Fault]) -> Member:
    members = {id(one.entry): one for stage in packaged for one in stage}
    found = claim(entry, [one.entry for one in members.values()])
    faults += found.faults
    if found.base is None:
        return Member(entry=entry)
    settled = found.base.replaced(entry) if found.replaces else found.base.configured(entry)
    return Member(entry=settled, rank=members[id(found.base)].rank)


def _ready(node: Node, before: Sequence[Node], contract: Contract) -> bool:
    """Tell whether all that a node cannot do without is given by the nodes before it."""
    earlier = [entry for one in before for entry in one.entries]
    keys = keys_after(contract, _definitions(earlier, contract))
    needs = _definitions(node.entries, contract)
    return all(one.name in keys for definition in needs for one in definition.reads if one.required)


def _definitions(entries: Sequence[Entry], contract: Contract) -> list[StepDefinition]:
    known = contract.registry.names(STEP)
    return [contract.registry.step(entry.spec.use) for entry in entries if entry.spec.use in known]
