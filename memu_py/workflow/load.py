"""Reading a workflow file."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from memu_py.marked_yaml import load_yaml
from memu_py.nearest import unknown
from memu_py.workflow.claim import claim, missing
from memu_py.workflow.contract import make_contract
from memu_py.workflow.entry import Entry, Origin, Plan
from memu_py.workflow.pipeline import Pipeline, build
from memu_py.workflow.place import Fault, Place, in_document
from memu_py.workflow.reading import Reading, read_stages
from memu_py.workflow.registry import Registry

KEYS = ("name", "description", "inputs", "steps")


def load_workflow(
    text: str,
    *,
    file: str,
    registry: Registry,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any] | None = None,
    packaged: Pipeline | None = None,
    lacks: Mapping[str, str] | None = None,
) -> Pipeline:
    """Read a workflow and check it.

    Args:
        text: the YAML.
        file: its name, for messages.
        registry: the steps there are.
        inputs: what a run gives: types, or `InputSpec` for one that may be left out, by key.
        outputs: what a run must have given at its end, with types; Optional where it may be missing.
        packaged: the workflow in whose stead this one stands; its required steps must be here too, or others
            in their places. Steps then have the origin `config`.
        lacks: parts that steps may need and the program has not, with what to do about it.

    Raises:
        ConfigError: it is not YAML.
        WorkflowError: it has faults; all of them, with file and line.
    """
    place = in_document(load_yaml(text, file=file))
    contract = make_contract(registry, inputs, outputs, lacks)
    top = place.raw if isinstance(place.raw, Mapping) else {}
    faults = _top_faults(place, file, inputs)
    reading = _read(place, top, origin="config" if packaged else "packaged")
    where = place.locate(("steps",))
    entries = {id(entry): entry for stage in reading.stages for entry in stage.entries}
    for key, entry in entries.items():
        entries[key] = _claimed(entry, packaged, faults)
    if packaged is not None:
        faults += missing(entries.values(), packaged.plan, where)
    plan = Plan(
        name=top["name"] if isinstance(top.get("name"), str) else file,
        stages=tuple(tuple(entries[id(entry)] for entry in stage.entries) for stage in reading.stages),
        where=where,
        description=str(top.get("description") or ""),
        complete=reading.complete,
    )
    return build(plan, contract, faults=[*faults, *reading.faults])


def _read(place: Place, top: Mapping[str, Any], origin: Origin) -> Reading:
    if "steps" in top:
        return read_stages(place.within("steps"), origin)
    return Reading(complete=False)


def _claimed(entry: Entry, packaged: Pipeline | None, faults: list[Fault]) -> Entry:
    if packaged is None:
        if entry.spec.replaces is not None:
            faults.append(entry.fault("`replaces`: there is no packaged workflow here", "replaces"))
        return dataclasses.replace(entry, slot=entry.label)
    found = claim(entry, packaged.plan.entries)
    faults += found.faults
    return found.base.replaced(entry) if found.base is not None else entry


def _top_faults(place: Place, file: str, inputs: Mapping[str, Any]) -> list[Fault]:
    raw = place.raw
    if not isinstance(raw, Mapping):
        return [Fault(where=place.locate(()), message="a workflow is a mapping with `name` and `steps`")]
    faults = [
        Fault(where=place.locate((key,)), message=unknown("key", key, KEYS)) for key in raw if key not in KEYS
    ]
    if not isinstance(raw.get("name"), str) or not raw["name"]:
        faults.append(Fault(where=place.locate(("name",)), message="`name` is missing or no text"))
    if "steps" not in raw:
        faults.append(Fault(where=place.locate(()), message="`steps` is missing"))
    return faults + _input_faults(place, inputs)


def _input_faults(place: Place, inputs: Mapping[str, Any]) -> list[Fault]:
    named = place.raw.get("inputs") or ()
    if not isinstance(named, list | tuple | Mapping):
        message = "`inputs` must list names; their types come from the program"
        return [Fault(where=place.locate(("inputs",)), message=message)]
    return [
        Fault(where=_input_place(place, name, number), message=unknown("input", str(name), inputs))
        for number, name in enumerate(named)
        if name not in inputs
    ]


def _input_place(place: Place, name: Any, number: int) -> str:
    return place.locate(("inputs", name if isinstance(place.raw["inputs"], Mapping) else number))
