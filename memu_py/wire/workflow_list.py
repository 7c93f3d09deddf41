"""What the server tells of its workflows."""

import dataclasses

from memu_py.records.record import Record
from memu_py.service.service import MemoryService


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class StepInfo(Record):
    """One step of a workflow.

    Attributes:
        name: its name in the workflow.
        use: its key in the registry.
        required: whether it cannot be left out.
    """

    name: str
    use: str
    required: bool


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class WorkflowInfo(Record):
    """One workflow.

    Attributes:
        name: its name.
        revision: number of the one that runs, from 1.
        steps: as they run.
    """

    name: str
    revision: int
    steps: tuple[StepInfo, ...]


async def list_workflows(service: MemoryService) -> list[WorkflowInfo]:
    """Return the workflows, with the steps as they run."""
    return [
        WorkflowInfo(
            name=one.name,
            revision=one.revision,
            steps=tuple(StepInfo(name=step.name, use=step.use, required=step.required) for step in one.steps),
        )
        for one in service.workflows.values()
    ]
