"""One question, and the runs that it takes: one, or more where a model wants to look again."""

import functools
from collections.abc import Mapping
from typing import Any

from memu_py.errors import InvalidInput
from memu_py.records.request import RetrieveRequest
from memu_py.records.scope import Scope
from memu_py.service.results import RetrieveResult
from memu_py.service.runtime import Progress, Runtime
from memu_py.steps.resources import MemoryResources
from memu_py.workflow.trace import Trace

FOLLOW_UP = "follow_up"
"""The key of the state in which a step asks for one more search."""


class Search:
    """Runs workflows for one question; all of them see the same index, and what was searched is not searched again.

    Args:
        runtime: has the workflows.
        request: what is asked.
        scope: whose memory.
        resources: of all runs.
        progress: told of every step.

    Attributes:
        state: at the end of the last run.
    """

    def __init__(
        self,
        runtime: Runtime,
        request: RetrieveRequest,
        scope: Scope,
        resources: MemoryResources,
        progress: Progress | None,
    ) -> None:
        self.state: Mapping[str, Any] = {}
        self._runtime = runtime
        self._request = request
        self._scope = scope
        self._resources = resources
        self._progress = progress
        self._traces: list[Trace] = []

    async def run(self, workflow: str) -> None:
        """Run a workflow, and once more where one of its steps asks for that.

        Args:
            workflow: its name.

        Raises:
            InvalidInput: the request asks for a recall that the workflow has not.
        """
        found = await self._run(workflow, self._request)
        follow_up: RetrieveRequest | None = found.get(FOLLOW_UP)
        if follow_up is not None:
            found = {**await self._run(workflow, follow_up), "rewritten": found.get("rewritten")}
        self.state = found

    def result(self) -> RetrieveResult:
        """Return what the last run found, with what all of them did and cost; one must have been run."""
        state = self.state
        return RetrieveResult(
            items=tuple(state["found_items"]),
            categories=tuple(state["found_categories"]),
            resources=tuple(state["found_resources"]),
            passages=tuple(state["found_passages"]),
            context=state["context"],
            answer=state.get("answer"),
            needs_retrieval=state.get("needs_retrieval", True),
            rewritten_query=state.get("rewritten"),
            trace=functools.reduce(Trace.followed_by, self._traces),
            usage=self._resources.usage(),
        )

    async def _run(self, workflow: str, request: RetrieveRequest) -> Mapping[str, Any]:
        run = await self._runtime.run(
            workflow,
            {"request": request, "scope": self._scope},
            self._resources,
            run_id=self._traces[0].run_id if self._traces else None,
            progress=self._progress,
        )
        unasked = sorted(set(request.recall or ()) - set(run.state.get("sources", ())))
        if unasked:
            raise InvalidInput(f"no recall of the workflow answers to {', '.join(unasked)}")
        self._traces.append(run.trace)
        return run.state
