"""The workflows of a program, each with its revisions."""

import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memu_py.errors import InvalidInput, NotFound
from memu_py.nearest import unknown
from memu_py.workflow import edit
from memu_py.workflow.check import report
from memu_py.workflow.claim import missing
from memu_py.workflow.edit import NewStep
from memu_py.workflow.entry import Plan
from memu_py.workflow.pipeline import Pipeline, PipelineStep, build

REGISTERED = "registered"


class Workflow:
    """One workflow and its revisions.

    Every edit is checked as a whole; a faulty one raises and changes nothing. A good one becomes the newest
    revision, which later runs take; runs under way finish on the revision with which they began.

    Args:
        first: its first revision.
    """

    def __init__(self, first: Pipeline) -> None:
        self._revisions = [dataclasses.replace(first, revision=1)]
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Its name."""
        return self.pipeline.name

    @property
    def pipeline(self) -> Pipeline:
        """The newest revision."""
        return self._revisions[-1]

    @property
    def revision(self) -> int:
        """Number of the newest revision, from 1."""
        return self.pipeline.revision

    @property
    def steps(self) -> tuple[PipelineStep, ...]:
        """The steps as they will run."""
        return self.pipeline.steps

    def config_step(self, step: str, config: Mapping[str, Any] | None = None, **settings: Any) -> Pipeline:
        """Configure a step; what is not named stays as it is.

        Args:
            step: its name.
            config: keys of its own configuration, as below `with` in the YAML.
            **settings: `when`, `timeout_s`, `retry`, `on_error`, as in the YAML; None takes one back.

        Returns:
            The new revision.

        Raises:
            WorkflowError: there is no such step, or the workflow would have faults.
        """
        return self._edit(
            f"config_step {step}", lambda plan: edit.configure(plan, step, config or {}, settings)
        )

    def insert_before(self, anchor: str, step: NewStep) -> Pipeline:
        """Put a step before another; before the whole group, when that one is in a parallel group.

        Args:
            anchor: name of the other step.
            step: its key, or a mapping as in the YAML.

        Returns:
            The new revision.

        Raises:
            WorkflowError: there is no such anchor, or the workflow would have faults.
        """
        return self._edit(
            f"insert_before {anchor}", lambda plan: edit.insert(plan, anchor, step, after=False)
        )

    def insert_after(self, anchor: str, step: NewStep) -> Pipeline:
        """Put a step behind another; behind the whole group, when that one is in a parallel group.

        Args:
            anchor: name of the other step.
            step: its key, or a mapping as in the YAML.

        Returns:
            The new revision.

        Raises:
            WorkflowError: there is no such anchor, or the workflow would have faults.
        """
        return self._edit(f"insert_after {anchor}", lambda plan: edit.insert(plan, anchor, step, after=True))

    def replace_step(self, name: str, step: NewStep) -> Pipeline:
        """Put a step in the place of another; a required place stays required.

        Args:
            name: of the step that goes.
            step: key of the one that comes, or a mapping as in the YAML.

        Returns:
            The new revision.

        Raises:
            WorkflowError: there is no such step, or the workflow would have faults.
        """
        return self._edit(f"replace_step {name}", lambda plan: edit.replace(plan, name, step))

    def remove_step(self, name: str) -> Pipeline:
        """Take a step out.

        Args:
            name: of the step.

        Returns:
            The new revision.

        Raises:
            WorkflowError: there is no such step, it is required, or the workflow would have faults.
        """
        return self._edit(f"remove_step {name}", lambda plan: edit.remove(plan, name))

    def publish(self, pipeline: Pipeline) -> Pipeline:
        """Make a whole other workflow the newest revision.

        Args:
            pipeline: has the places of all steps that are required now.

        Returns:
            The new revision.

        Raises:
            WorkflowError: a required step is missing.
        """
        with self._lock:
            lost = missing(pipeline.plan.entries, self.pipeline.plan, pipeline.plan.where)
            if lost:
                raise report(self.name, lost)
            return self._add(pipeline, REGISTERED)

    def revisions(self) -> tuple[Pipeline, ...]:
        """Return all revisions, the oldest first; `.change` says what made each."""
        return tuple(self._revisions)

    def rollback(self, to: int) -> Pipeline:
        """Make an earlier revision the newest again. The revisions between stay in the list.

        Args:
            to: its number.

        Returns:
            The new revision, with a number of its own.

        Raises:
            InvalidInput: there is no such revision.
        """
        with self._lock:
            if not 1 <= to <= len(self._revisions):
                raise InvalidInput(
                    f"workflow `{self.name}` has no revision {to}; there are 1 to {len(self._revisions)}"
                )
            return self._add(self._revisions[to - 1], f"rollback to {to}")

    async def close(self) -> None:
        """Close the steps of all revisions."""
        for pipeline in self._revisions:
            await pipeline.close()

    def _edit(self, change: str, work: Callable[[Plan], Plan]) -> Pipeline:
        with self._lock:
            now = self.pipeline
            built = build(work(now.plan), now.contract, previous=now)
            return self._add(built, change)

    def _add(self, pipeline: Pipeline, change: str) -> Pipeline:
        added = dataclasses.replace(pipeline, revision=len(self._revisions) + 1, change=change)
        self._revisions.append(added)
        return added


class WorkflowBook(Mapping[str, Workflow]):
    """All workflows by name. An unknown name is `NotFound`, which is also a KeyError."""

    def __init__(self) -> None:
        self._workflows: dict[str, Workflow] = {}

    def __getitem__(self, name: str) -> Workflow:
        if name not in self._workflows:
            raise NotFound(unknown("workflow", name, self._workflows))
        return self._workflows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._workflows)

    def __len__(self) -> int:
        return len(self._workflows)

    def __contains__(self, name: object) -> bool:
        return name in self._workflows

    def register(self, pipeline: Pipeline) -> Workflow:
        """Add a workflow, or make it the newest revision of the one of this name.

        Args:
            pipeline: checked by loading it.

        Raises:
            WorkflowError: it would take the place of one whose required steps it does not have.
        """
        known = self._workflows.get(pipeline.name)
        if known is None:
            return self._workflows.setdefault(pipeline.name, Workflow(pipeline))
        known.publish(pipeline)
        return known

    def config_step(
        self, workflow: str, step: str, config: Mapping[str, Any] | None = None, **settings: Any
    ) -> Pipeline:
        """Configure a step of a workflow; see `Workflow.config_step`."""
        return self[workflow].config_step(step, config, **settings)

    def insert_before(self, workflow: str, anchor: str, step: NewStep) -> Pipeline:
        """Put a step before another of a workflow; see `Workflow.insert_before`."""
        return self[workflow].insert_before(anchor, step)

    def insert_after(self, workflow: str, anchor: str, step: NewStep) -> Pipeline:
        """Put a step behind another of a workflow; see `Workflow.insert_after`."""
        return self[workflow].insert_after(anchor, step)

    def replace_step(self, workflow: str, name: str, step: NewStep) -> Pipeline:
        """Put a step in the place of another of a workflow; see `Workflow.replace_step`."""
        return self[workflow].replace_step(name, step)

    def remove_step(self, workflow: str, name: str) -> Pipeline:
        """Take a step out of a workflow; see `Workflow.remove_step`."""
        return self[workflow].remove_step(name)

    def revisions(self, workflow: str) -> tuple[Pipeline, ...]:
        """Return all revisions of a workflow, the oldest first."""
        return self[workflow].revisions()

    def rollback(self, workflow: str, to: int) -> Pipeline:
        """Make an earlier revision of a workflow the newest again; see `Workflow.rollback`."""
        return self[workflow].rollback(to)

    async def close(self) -> None:
        """Close the steps of all workflows."""
        for workflow in self._workflows.values():
            await workflow.close()
