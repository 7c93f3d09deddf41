"""The flow of state keys through a workflow: who gives what, who reads it, and whether that fits."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from memu_py.nearest import nearest
from memu_py.workflow import conditions, typeform
from memu_py.workflow.binding import Binding
from memu_py.workflow.conditions import describe
from memu_py.workflow.contract import Contract
from memu_py.workflow.place import Fault
from memu_py.workflow.step import Parameter, StepDefinition

INPUT = "the caller"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """A state key at one point of a workflow.

    Attributes:
        type: as first declared.
        source: who declared it first.
        sure: whether it is there in every run.
        unsure: when it is not there, in words.
        given: whether it is an input.
    """

    type: Any
    source: str
    sure: bool
    unsure: str = ""
    given: bool = False


class Flow:
    """Follows a workflow stage by stage and collects the faults.

    Args:
        contract: inputs, outputs and the steps there are.
        bindings: all steps of the workflow, for messages.
        complete: whether `bindings` are all of them; if not, what seems missing may be given by one left out.
    """

    def __init__(self, contract: Contract, bindings: Sequence[Binding], *, complete: bool) -> None:
        self.faults: list[Fault] = []
        self._contract = contract
        self._bindings = bindings
        self._complete = complete
        self._keys = {
            name: _input_key(spec.type, sure=spec.required) for name, spec in contract.inputs.items()
        }

    def stage(self, members: Sequence[Binding]) -> None:
        """Follow the steps of one stage: all read first, then all write."""
        known = {name: key.type for name, key in self._keys.items()}
        for binding in members:
            for key, message in conditions.faults(binding.entry.spec.when or {}, known):
                self.faults.append(binding.entry.fault(message, "when", key))
            for parameter in binding.definition.reads if binding.definition else ():
                self._read(binding, parameter, members)
        self._clashes(members)
        for binding in members:
            self._complete = self._complete and binding.definition is not None
            if binding.definition is not None:
                self._write(binding, binding.definition)

    def finish(self, where: str) -> None:
        """Look whether all wanted outputs are there.

        Args:
            where: the place of faults.
        """
        for name, wanted in self._contract.outputs.items():
            if message := self._output_fault(name, wanted):
                self.faults.append(Fault(where=where, message=message))

    def _output_fault(self, name: str, wanted: Any) -> str | None:
        key = self._keys.get(name)
        if key is None:
            missing = self._complete and not typeform.is_optional(wanted)
            would = self._would_give(name)
            return f"no step gives the output `{name}` ({typeform.show(wanted)}){would}" if missing else None
        if not typeform.reads(wanted, key.type):
            clash = f"the program wants {typeform.show(wanted)}, {key.source} gives {typeform.show(key.type)}"
            return f"the output `{name}` has the wrong type: {clash}"
        if not key.sure and not typeform.is_optional(wanted):
            return f"the output `{name}` may be missing: {key.unsure}"
        return None

    def _read(self, binding: Binding, parameter: Parameter, members: Sequence[Binding]) -> None:
        key = self._keys.get(parameter.name)
        message = None
        if key is None:
            if parameter.required and self._complete:
                message = self._missing(binding, parameter, members)
        elif not typeform.reads(parameter.type, key.type):
            message = (
                f"it reads `{parameter.name}` as {typeform.show(parameter.type)}, "
                f"but {key.source} gives {typeform.show(key.type)}"
            )
        elif not key.sure and parameter.required and not (key.given and typeform.is_optional(parameter.type)):
            message = f"it needs `{parameter.name}`, which may be missing: {key.unsure}; a default would do"
        if message:
            self.faults.append(binding.entry.fault(message))

    def _missing(self, binding: Binding, parameter: Parameter, members: Sequence[Binding]) -> str:
        name = parameter.name
        beside = [one.label for one in members if one is not binding and _gives(one, name)]
        later = [one.label for one in self._bindings if one not in members and _gives(one, name)]
        text = f"it needs `{name}` ({typeform.show(parameter.type)}), which nothing before it gives"
        if beside:
            text += f"; {_list(beside)} would, but beside it in parallel"
        elif later:
            text += f"; {_list(later)} would, but later"
        else:
            text += self._would_give(name, but=binding.entry.spec.use)
        guess = nearest(name, self._keys)
        near = f"did you mean `{guess}`? " if guess else ""
        return f"{text}; {near}before it there are {', '.join(sorted(self._keys)) or 'no keys'}"

    def _would_give(self, name: str, but: str | None = None) -> str:
        writers = [writer for writer in self._contract.writers(name) if writer != but]
        return (
            f"; steps that give it: {', '.join(writers)}"
            if writers
            else "; no step that is installed gives it"
        )

    def _clashes(self, members: Sequence[Binding]) -> None:
        first: dict[str, Binding] = {}
        for binding in members:
            definition = binding.definition
            for name in definition.writes if definition else ():
                other = first.setdefault(name, binding)
                if other is not binding and not (_appends(other, name) and _appends(binding, name)):
                    self.faults.append(binding.entry.fault(_clash(name, other)))

    def _write(self, binding: Binding, definition: StepDefinition) -> None:
        for name, form in definition.writes.items():
            key = self._keys.get(name)
            if key is not None and not typeform.same(form, key.type):
                message = (
                    f"it gives `{name}` as {typeform.show(form)}, "
                    f"but {key.source} gives it as {typeform.show(key.type)}; a key has one type"
                )
                self.faults.append(binding.entry.fault(message))
                continue
            self._keys[name] = _written(key, binding, form, appended=name in definition.appends)


def _input_key(form: Any, *, sure: bool) -> Key:
    return Key(type=form, source=INPUT, sure=sure, unsure=f"{INPUT} need not give it", given=True)


def _written(key: Key | None, binding: Binding, form: Any, *, appended: bool) -> Key:
    # An appended key starts as an empty list, whether or not the step runs.
    sure = appended or not binding.conditional
    if key is None:
        return Key(type=form, source=f"`{binding.label}`", sure=sure, unsure=_unsure(binding))
    if sure:
        return dataclasses.replace(key, sure=True)
    unsure = key.unsure if key.sure else f"{key.unsure}, and {_unsure(binding)}"
    return dataclasses.replace(key, unsure=unsure)


def _unsure(binding: Binding) -> str:
    when = binding.entry.spec.when
    if when:
        return f"`{binding.label}` gives it only when {describe(when)}"
    return f"`{binding.label}` is skipped when it fails"


def _clash(name: str, other: Binding) -> str:
    return (
        f"it writes `{name}`, and so does `{other.label}` beside it in parallel; "
        "only a key that both append to can be shared"
    )


def _gives(binding: Binding, name: str) -> bool:
    return binding.definition is not None and name in binding.definition.writes


def _appends(binding: Binding, name: str) -> bool:
    return binding.definition is not None and name in binding.definition.appends


def _list(labels: Sequence[str]) -> str:
    return ", ".join(f"`{label}`" for label in labels)


def keys_after(contract: Contract, definitions: Sequence[StepDefinition]) -> Mapping[str, Any]:
    """Return the keys that exist after some steps, with their types."""
    keys = {name: spec.type for name, spec in contract.inputs.items()}
    for definition in definitions:
        keys |= definition.writes
    return keys
