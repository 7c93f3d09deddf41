"""A plug-in for a server in a process of its own: a step that waits for a word, and says so."""

import logging
from pathlib import Path

from memu_py.records.resource import Segment
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.context import StepContext
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import step

GO = Path("go")
LOGGER = logging.getLogger("memu_py.hold")


@step("hold", produces={"segments": list[Segment]})
def hold(segments: list[Segment], *, ctx: StepContext[MemoryResources]) -> list[Segment]:
    """Holds a memorize until somebody writes to the pipe `go` in the working directory."""
    LOGGER.info("holding")
    GO.read_bytes()
    return segments


def register(registry: Registry) -> None:
    registry.add_step(hold)
