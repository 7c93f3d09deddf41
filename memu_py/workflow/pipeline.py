"""A workflow that was checked: one immutable revision, ready to run."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from memu_py.errors import WorkflowError
from memu_py.nearest import unknown
from memu_py.workflow.binding import Binding
from memu_py.workflow.check import check
from memu_py.workflow.contract import Contract
from memu_py.workflow.entry import Origin, Plan
from memu_py.workflow.instance import StepInstance
from memu_py.workflow.place import Fault
from memu_py.workflow.spec import RetrySpec
from memu_py.workflow.step import StepDefinition

LOADED = "loaded"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PipelineStep:
    """A step as it will run.

    Attributes:
        name: its name in the workflow.
        use: its key in the registry.
        config: filled and checked; None for a step that has none.
        origin: who wrote it, or changed it last: `packaged`, `config` or `runtime`.
        required: it can be configured and replaced, not removed.
        when: run only if these keys have these values.
        timeout_s: seconds for one attempt.
        retry: how often it is tried.
        on_error: `skip` goes on without it.
        stage: number of its stage from 0; steps of one stage run in parallel.
        place: its number among all steps of the workflow, from 0.
        slot: name of the packaged step that it is or whose place it takes.
        instance: what is called.
    """

    name: str
    use: str
    config: BaseModel | None
    origin: Origin
    required: bool
    when: Mapping[str, Any] | None
    timeout_s: float | None
    retry: RetrySpec | None
    on_error: Literal["fail", "skip"]
    stage: int
    place: int
    slot: str | None
    instance: StepInstance

    @property
    def definition(self) -> StepDefinition:
        """What it reads and writes."""
        return self.instance.definition


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Pipeline:
    """One revision of a workflow.

    Attributes:
        name: the workflow's name.
        revision: from 1.
        change: what made it, in a few words.
        stages: one after another; the steps of one stage run in parallel.
        plan: what it was made from.
        contract: what it was checked against.
    """

    name: str
    revision: int
    change: str
    stages: tuple[tuple[PipelineStep, ...], ...]
    plan: Plan
    contract: Contract

    @property
    def steps(self) -> tuple[PipelineStep, ...]:
        """All steps in order."""
        return tuple(step for stage in self.stages for step in stage)

    def step(self, name: str) -> PipelineStep:
        """Return a step by its name.

        Raises:
            WorkflowError: there is none; names the nearest.
        """
        by_name = {step.name: step for step in self.steps}
        if name not in by_name:
            raise WorkflowError(f"workflow `{self.name}`: {unknown('step', name, by_name)}")
        return by_name[name]

    async def warm_up(self) -> None:
        """Warm up all steps now, not at the first run."""
        for step in self.steps:
            await step.instance.warm_up()

    async def close(self) -> None:
        """Close all steps; a later run warms them up again."""
        for step in self.steps:
            await step.instance.close()


def build(
    plan: Plan,
    contract: Contract,
    *,
    faults: Sequence[Fault] = (),
    previous: Pipeline | None = None,
    change: str = LOADED,
) -> Pipeline:
    """Check a workflow and make it ready to run.

    Args:
        plan: the workflow.
        contract: what it is checked against.
        faults: what was found already; they go into the same report.
        previous: the revision before; steps that did not change keep their instances, warm as they are.
        change: what makes the new one.

    Raises:
        WorkflowError: with all faults.
    """
    stages = check(plan, contract, faults)
    places = itertools.count()
    known = {step.name: step.instance for step in previous.steps} if previous else {}
    return Pipeline(
        name=plan.name,
        revision=previous.revision + 1 if previous else 1,
        change=change,
        stages=tuple(
            tuple(_step(binding, number, next(places), known) for binding in stage)
            for number, stage in enumerate(stages)
        ),
        plan=plan,
        contract=contract,
    )


def _step(binding: Binding, stage: int, place: int, known: Mapping[str, StepInstance]) -> PipelineStep:
    spec = binding.entry.spec
    return PipelineStep(
        name=spec.label,
        use=spec.use,
        config=binding.config,
        origin=binding.entry.origin,
        required=spec.required,
        when=spec.when,
        timeout_s=spec.timeout_s,
        retry=spec.retry,
        on_error=spec.on_error,
        stage=stage,
        place=place,
        slot=binding.entry.slot,
        instance=_instance(binding, known.get(spec.label)),
    )


def _instance(binding: Binding, known: StepInstance | None) -> StepInstance:
    definition = binding.definition
    assert definition is not None, "a checked step has a definition"
    if known is not None and known.definition is definition and known.config == binding.config:
        return known
    return StepInstance(definition, binding.config)
