"""A step as it stands in a workflow, before it is checked; and a workflow made of such."""

import dataclasses
from typing import Literal

from memu_py.workflow.place import Fault, Place
from memu_py.workflow.spec import StepSpec

Origin = Literal["packaged", "config", "runtime"]
"""Who wrote a step as it is: the packaged workflow, the configuration, or an edit of the running program."""

NAMING = {"use", "name"}


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Entry:
    """A step as it is written.

    Attributes:
        spec: what is written.
        origin: who wrote it, or changed it last.
        places: where, the latest first, when one place overrides another.
        slot: name of the packaged step that it is or whose place it takes; None for one of the user's own.
    """

    spec: StepSpec
    origin: Origin
    places: tuple[Place, ...]
    slot: str | None = None

    @property
    def label(self) -> str:
        """Its name in the workflow."""
        return self.spec.label

    def where(self, *path: str | int) -> str:
        """Return `file:line` of a part of it, from the latest place that has this part."""
        place = next((one for one in self.places if one.has(path)), self.places[0])
        return place.locate(path)

    def fault(self, message: str, *path: str | int) -> Fault:
        """Return a fault of this step, at a part of it."""
        return Fault(where=self.where(*path), step=self.label, message=message)

    def configured(self, change: "Entry") -> "Entry":
        """Return this step with what a change says about it; `with` is overridden key by key.

        Args:
            change: its `use` and `name` do not count.
        """
        places = (*change.places, *self.places)
        said = change.spec.model_fields_set - NAMING
        if not said:
            return dataclasses.replace(self, places=places)
        update = {name: getattr(change.spec, name) for name in said}
        update["with_"] = {**self.spec.with_, **change.spec.with_}
        update["required"] = self.spec.required or change.spec.required
        spec = self.spec.model_copy(update=update)
        return dataclasses.replace(self, spec=spec, origin=change.origin, places=places)

    def replaced(self, successor: "Entry") -> "Entry":
        """Return a successor in this step's place: as required as this one, nothing else is taken over."""
        required = self.spec.required or successor.spec.required
        spec = successor.spec.model_copy(update={"required": required})
        return dataclasses.replace(successor, spec=spec, slot=self.slot)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Plan:
    """A workflow as it is written.

    Attributes:
        name: its name.
        stages: one after another; the entries of one stage run in parallel.
        where: `file:line` of its steps.
        description: what it is for.
        complete: false when some of it could not be read.
    """

    name: str
    stages: tuple[tuple[Entry, ...], ...]
    where: str
    description: str = ""
    complete: bool = True

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All steps in order."""
        return tuple(entry for stage in self.stages for entry in stage)
