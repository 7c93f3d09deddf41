"""Put together what a memorize did."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from memu_py.records.batch import Committed
from memu_py.records.category import Category
from memu_py.records.outcome import Outcome
from memu_py.records.resource import Segment
from memu_py.steps.memorize.intake import Intake
from memu_py.steps.memorize.outcomes import outcomes
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.step import step


class BuildMemorizeResponseConfig(BaseModel):
    """Nothing to set yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Memorized(NamedTuple):
    """What the run did.

    Attributes:
        unchanged: everything was known and nothing was written.
        report: what became of each segment of this run.
        touched: categories whose summary was brought up to date.
        warnings: what could not be read as it was probably meant.
    """

    unchanged: bool
    report: list[Outcome]
    touched: list[Category]
    warnings: list[str]


@step(
    "build_memorize_response",
    produces={
        "unchanged": bool,
        "report": list[Outcome],
        "touched": list[Category],
        "warnings": list[str],
    },
)
async def build_memorize_response(
    intake: Intake,
    committed: Committed,
    settled: list[Segment],
    repeated: bool = False,
    categories: list[Category] | None = None,
    *,
    ctx: StepContext[MemoryResources],
    config: BuildMemorizeResponseConfig,
) -> Memorized:
    """Tell what became of each segment."""
    return Memorized(
        unchanged=intake.unchanged or repeated,
        report=list(outcomes(settled, committed)),
        touched=categories or [],
        warnings=list(intake.warnings),
    )
