"""A step in its place in a workflow: bound to its configuration, made and warmed up once for all runs."""

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from memu_py.workflow.context import StepContext
from memu_py.workflow.step import StepDefinition


class StepInstance:
    """Calls a step, whatever its kind.

    Args:
        definition: the step.
        config: its configuration, if it has one.
    """

    def __init__(self, definition: StepDefinition, config: BaseModel | None) -> None:
        self.definition = definition
        self.config = config
        self._lock = asyncio.Lock()
        self._made: Any = None
        self._warm = False

    async def warm_up(self) -> None:
        """Make the object of a class and warm it up, once; a failure is tried again by the next run."""
        if not self._warm:
            async with self._lock:
                await self._begin()

    async def close(self) -> None:
        """Let go of what the object of a class holds. A later run warms up again."""
        async with self._lock:
            made, self._made, self._warm = self._made, None, False
            if hasattr(made, "close"):
                await made.close()

    async def call(self, inputs: Mapping[str, Any], ctx: StepContext[Any]) -> Any:
        """Run the step once.

        Args:
            inputs: values of the keys it reads; those left out keep their defaults.
            ctx: of this attempt.

        Returns:
            What it returned, unchecked.
        """
        taken = self.definition.run_arguments
        extra = {"ctx": ctx, "config": self.config}
        arguments = {**inputs, **{name: value for name, value in extra.items() if name in taken}}
        if self.definition.kind == "thread":
            return await asyncio.to_thread(self.definition.target, **arguments)
        run = self._made.run if self.definition.kind == "class" else self.definition.target
        return await run(**arguments)

    async def _begin(self) -> None:
        if self._warm:  # another run was faster
            return
        if self.definition.kind == "class":
            made = self.definition.target(**({"config": self.config} if self.definition.configured else {}))
            if hasattr(made, "warm_up"):
                await made.warm_up()
            self._made = made
        self._warm = True
