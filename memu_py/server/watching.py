"""Around every request: an id, a line in the log, figures, a span."""

import logging
import time
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memu_py.server.metrics import Metrics
from memu_py.server.problems import request_id
from memu_py.server.traces import Tracing

LOGGER = logging.getLogger("memu_py.server.access")
QUIET = ("health", "ready", "metrics")
"""Routes that are asked so often that the log is better off without them."""


class Watching:
    """A layer of the application.

    Args:
        app: the layers inside.
        metrics: counts.
        tracing: makes spans, if anybody wants them.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, tracing: Tracing | None) -> None:
        self._app = app
        self._metrics = metrics
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif self._tracing is None:
            await self._serve(scope, receive, send)
        else:
            with self._tracing.request(scope["method"]) as span:
                status = await self._serve(scope, receive, send)
                self._tracing.name(span, scope["method"], route_of(scope), status)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> int:
        began, status = time.perf_counter(), 500
        name = request_id(Request(scope))

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", name.encode())]
            await send(message)

        try:
            await self._app(scope, receive, told)
        finally:
            seconds = time.perf_counter() - began
            route = route_of(scope)
            self._metrics.served(route, status, seconds)
            if route not in QUIET:
                LOGGER.info("%s %s %d %.0f ms %s", scope["method"], route, status, seconds * 1000, name)
        return status


def route_of(scope: Scope) -> str | None:
    """Return the name of the route that took a request; None when none did."""
    route: Any = scope.get("route")
    return getattr(route, "operation_id", None) or getattr(route, "name", None)
