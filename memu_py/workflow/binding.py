"""From an entry to the step that it names and the configuration that it gives."""

import dataclasses
from typing import Any

from pydantic import BaseModel, ValidationError

from memu_py.errors import ConfigError
from memu_py.nearest import nearest, unknown
from memu_py.workflow.contract import Contract
from memu_py.workflow.entry import Entry
from memu_py.workflow.place import Fault
from memu_py.workflow.registry import STEP, Registry
from memu_py.workflow.spec import explain
from memu_py.workflow.step import StepDefinition

WITH = "with"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Binding:
    """An entry with its step.

    Attributes:
        entry: as written.
        definition: the step; for an unknown key the one of the nearest name, so that its neighbours can be
            checked; None when nothing is near.
        config: filled and checked; None for a step without, or when it is wrong.
    """

    entry: Entry
    definition: StepDefinition | None
    config: BaseModel | None

    @property
    def label(self) -> str:
        """The step's name in the workflow."""
        return self.entry.label

    @property
    def conditional(self) -> bool:
        """Whether a run may go on without this step having done its work."""
        return bool(self.entry.spec.when) or self.entry.spec.on_error == "skip"


def bind(entry: Entry, contract: Contract) -> tuple[Binding, list[Fault]]:
    """Find an entry's step and fill its configuration.

    Args:
        entry: as written.
        contract: the steps there are, and what they may not need.

    Returns:
        What was found, and what is wrong.
    """
    faults, registry = [], contract.registry
    if entry.spec.required and entry.spec.on_error == "skip":
        faults.append(entry.fault("a required step cannot have `on_error: skip`", "on_error"))
    if entry.spec.use not in registry.names(STEP):
        faults.append(_unknown_step(entry, registry))
        return Binding(entry=entry, definition=_stand_in(entry, registry), config=None), faults
    definition = registry.step(entry.spec.use)
    faults += [entry.fault(contract.lacks[need]) for need in definition.needs if need in contract.lacks]
    config, wrong = _configure(entry, definition)
    return Binding(entry=entry, definition=definition, config=config), faults + wrong


def _unknown_step(entry: Entry, registry: Registry) -> Fault:
    return Fault(
        where=entry.where("use"),
        step=entry.label,
        message=unknown(STEP, entry.spec.use, registry.names(STEP)),
    )


def _stand_in(entry: Entry, registry: Registry) -> StepDefinition | None:
    guess = nearest(entry.spec.use, registry.names(STEP))
    return registry.step(guess) if guess else None


def _configure(entry: Entry, definition: StepDefinition) -> tuple[BaseModel | None, list[Fault]]:
    values: dict[str, Any] = entry.spec.with_
    model = definition.config
    if model is None:
        return None, [entry.fault("it takes no `with`", WITH)] if values else []
    try:
        return model.model_validate(values), []
    except ValidationError as error:
        return None, [
            entry.fault(message, WITH, *_written(entry, path)) for path, message in explain(error, model)
        ]
    except ConfigError as error:
        return None, [entry.fault(str(error), WITH)]


def _written(entry: Entry, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    lengths = range(len(path), 0, -1)
    written = (
        path[:length] for length in lengths if any(one.has((WITH, *path[:length])) for one in entry.places)
    )
    return next(written, ())
