"""OpenTelemetry: one span a request, one a run and one a step inside it. Attributes never hold what users say."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any

from memu_py.errors import ConfigError
from memu_py.workflow.interceptor import Call

NAME = "memu_py"
SERVICE = "memu"
"""What the service is called where the environment does not name it."""
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTER = "OTEL_TRACES_EXPORTER"
GROUP = "opentelemetry_traces_exporter"
FORMS: Mapping[str, tuple[str, ...]] = {"otlp": ("otlp", "otlp_proto_http", "otlp_proto_grpc")}
"""What an exporter may be registered as, by the name that the variable gives it."""


class Tracing:
    """Makes spans.

    It is also an interceptor, for runs and steps.

    Args:
        provider: of OpenTelemetry's SDK.
    """

    def __init__(self, provider: Any) -> None:
        from opentelemetry import trace  # noqa: PLC0415 - an extra

        self._trace = trace
        self._provider = provider
        self._tracer = provider.get_tracer(NAME)
        self._open: dict[int, contextlib.ExitStack] = {}

    @contextlib.contextmanager
    def request(self, method: str) -> Iterator[Any]:
        """Give the span of a request, which those of its steps lie in."""
        attributes = {"http.request.method": method}
        kind = self._trace.SpanKind.SERVER
        with self._tracer.start_as_current_span(method, kind=kind, attributes=attributes) as span:
            yield span

    def name(self, span: Any, method: str, route: str | None, status: int) -> None:
        """Say what came of a request."""
        span.update_name(f"{method} {route or 'other'}")
        span.set_attribute("http.response.status_code", status)
        if route:
            span.set_attribute("http.route", route)
        if status >= 500:
            span.set_status(self._trace.StatusCode.ERROR)

    async def before(self, call: Call) -> None:
        """Begin the span of a run or a step."""
        if call.kind not in ("run", "step"):
            return
        attributes = {f"memu.{name}": value for name, value in {**call.labels, "kind": call.kind}.items()}
        opened = contextlib.ExitStack()
        opened.enter_context(
            self._tracer.start_as_current_span(
                f"{call.kind} {call.name}",
                attributes=attributes,
                # An error's message may hold what somebody said.
                record_exception=False,
                set_status_on_exception=False,
            )
        )
        self._open[id(call)] = opened

    async def after(self, call: Call, result: object) -> None:
        """End it."""
        self._end(call)

    async def on_error(self, call: Call, error: BaseException) -> None:
        """End it as failed; of the error it has the class alone."""
        if id(call) in self._open:
            span = self._trace.get_current_span()
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(self._trace.StatusCode.ERROR)
        self._end(call)

    def _end(self, call: Call) -> None:
        opened = self._open.pop(id(call), None)
        if opened is not None:
            opened.close()

    def close(self) -> None:
        """Send what is not sent yet."""
        self._provider.shutdown()


def tracing_of(env: Mapping[str, str] = os.environ) -> Tracing | None:
    """Return what makes spans, as OpenTelemetry's own variables say; None where they say nothing.

    Args:
        env: the environment.

    Raises:
        ConfigError: traces are asked for, and what sends them is not installed.
    """
    wanted = env.get(EXPORTER, "otlp" if any(env.get(name) for name in ENDPOINTS) else "none")
    if wanted == "none":
        return None
    try:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - the same
    except ImportError as error:
        raise _locked_out(wanted) from error
    named = env.get("OTEL_SERVICE_NAME") or "service.name" in env.get("OTEL_RESOURCE_ATTRIBUTES", "")
    provider = TracerProvider(resource=Resource.create({} if named else {"service.name": SERVICE}))
    provider.add_span_processor(BatchSpanProcessor(_exporter(wanted)))
    return Tracing(provider)


def _exporter(name: str) -> Any:
    for form in FORMS.get(name, (name,)):
        for found in entry_points(group=GROUP, name=form):
            with contextlib.suppress(ImportError):
                return found.load()()
    raise _locked_out(name)


def _locked_out(name: str) -> ConfigError:
    msg = f'sending traces by `{name}` needs packages that are not installed: pip install "memu_py[traces]"'
    return ConfigError(msg, hint=f"or set {EXPORTER}=none")
