"""Figures for Prometheus. Labels are names of routes, workflows and steps, never anybody's id or text."""

import os
import time
from collections.abc import Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from memu_py.records.usage import UsageRow
from memu_py.workflow.interceptor import Call

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which several processes count together."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
OTHER = "other"


class Metrics:
    """What is counted, in a registry of its own.

    It is also an interceptor, for runs and steps.
    """

    def __init__(self) -> None:
        self.registry = own = CollectorRegistry()
        self._requests = Counter("memu_requests", "Requests.", ("route", "status"), registry=own)
        self._seconds = Histogram(
            "memu_request_seconds", "How long requests took.", ("route",), registry=own, buckets=SECONDS
        )
        self._runs = Counter("memu_runs", "Runs of workflows.", ("workflow", "status"), registry=own)
        self._steps = Histogram(
            "memu_step_seconds",
            "How long steps took.",
            ("workflow", "step", "status"),
            registry=own,
            buckets=SECONDS,
        )
        self._tokens = Counter(
            "memu_model_tokens", "Tokens of chat models.", ("profile", "direction"), registry=own
        )
        self._jobs = Gauge(
            "memu_jobs", "Jobs there are.", ("status",), registry=own, multiprocess_mode="mostrecent"
        )
        self._began: dict[int, float] = {}

    def served(self, route: str | None, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            route: the name of its route; None for an address that there is not.
            status: of the response.
            seconds: how long it took.
        """
        name = route or OTHER
        self._requests.labels(name, str(status)).inc()
        self._seconds.labels(name).observe(seconds)

    def spent(self, rows: Sequence[UsageRow]) -> None:
        """Count the tokens of chat models, those of answers that were of no use too."""
        for row in rows:
            self._tokens.labels(row.profile, "in").inc(row.usage.prompt_tokens)
            self._tokens.labels(row.profile, "out").inc(row.usage.completion_tokens)

    def page(self, jobs: Mapping[str, int]) -> bytes:
        """Return the figures as text.

        Args:
            jobs: how many there are, by status.
        """
        for status in ("queued", "running", "done", "failed", "cancelled"):
            self._jobs.labels(status).set(jobs.get(status, 0))
        if SHARED not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        multiprocess.MultiProcessCollector(together)  # type: ignore[no-untyped-call] # it has no types
        return generate_latest(together)

    async def before(self, call: Call) -> None:
        """Note when it began."""
        self._began[id(call)] = time.perf_counter()

    async def after(self, call: Call, result: object) -> None:
        """Count it as done."""
        self._count(call, "ok")

    async def on_error(self, call: Call, error: BaseException) -> None:
        """Count it as failed."""
        self._count(call, "failed")

    def _count(self, call: Call, status: str) -> None:
        seconds = time.perf_counter() - self._began.pop(id(call))
        if call.kind == "run":
            self._runs.labels(call.name, status).inc()
        elif call.kind == "step":
            self._steps.labels(call.labels["workflow"], call.name, status).observe(seconds)
