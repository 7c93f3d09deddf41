"""A plug-in whose steps stop, break or fall as a test says."""

import asyncio
import os
import signal
from typing import Any

from pydantic import BaseModel, ConfigDict
from service_kit import config as base

from memu_py.config.settings import Settings
from memu_py.embedding.embedder import Embedder
from memu_py.errors import ModelError
from memu_py.records.batch import Committed
from memu_py.records.resource import Segment
from memu_py.steps.resources import MemoryResources
from memu_py.testing.embedder import HashingEmbedder
from memu_py.workflow.context import StepContext
from memu_py.workflow.registry import Registry
from memu_py.workflow.step import step


class Gate:
    """Where runs wait until the test lets them on."""

    def __init__(self) -> None:
        self.here: asyncio.Queue[str] = asyncio.Queue()
        self.open = asyncio.Event()
        self.broken = 0

    async def passed(self, run_id: str) -> None:
        self.here.put_nowait(run_id)
        await self.open.wait()
        if self.broken:
            self.broken -= 1
            raise ModelError("the model is away")


GATES: dict[str, Gate] = {}


def gate(name: str) -> Gate:
    """Return a new gate of this name."""
    GATES[name] = Gate()
    return GATES[name]


class HoldConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    gate: str


@step("hold", produces={"segments": list[Segment]})
async def hold(
    segments: list[Segment], *, ctx: StepContext[MemoryResources], config: HoldConfig
) -> list[Segment]:
    """Waits at a gate before anything is written."""
    await GATES[config.gate].passed(ctx.run_id)
    return segments


@step("hold_written", produces={"committed": Committed})
async def hold_written(
    committed: Committed, *, ctx: StepContext[MemoryResources], config: HoldConfig
) -> Committed:
    """Waits at a gate after everything is written."""
    await GATES[config.gate].passed(ctx.run_id)
    return committed


class FallConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")


@step("fall", produces={"segments": list[Segment]})
async def fall(
    segments: list[Segment], *, ctx: StepContext[MemoryResources], config: FallConfig
) -> list[Segment]:
    """Takes the whole process down."""
    os.kill(os.getpid(), signal.SIGKILL)
    return segments


@step("fall_written", produces={"committed": Committed})
async def fall_written(
    committed: Committed, *, ctx: StepContext[MemoryResources], config: FallConfig
) -> Committed:
    """Takes the whole process down once everything is written."""
    os.kill(os.getpid(), signal.SIGKILL)
    return committed


def hashing(settings: Settings) -> Embedder:
    return HashingEmbedder(dimension=128)


def register(registry: Registry) -> None:
    registry.add("embedder", "words", hashing)
    for one in (hold, hold_written, fall, fall_written):
        registry.add_step(one)


def config(path: Any = None, *steps: Any, **jobs: Any) -> dict[str, Any]:
    """Return a configuration with the quick embedder, these steps of its own, and these settings of jobs."""
    listed = ["assess_value", *steps, "extract_entities", "update_categories"]
    return base(
        path,
        plugins=["service_kit", "jobs_kit"],
        workflows={"memorize": {"steps": listed}},
        jobs={"poll_s": 0.05, "backoff_s": 0, **jobs},
    )
