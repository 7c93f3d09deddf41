"""Traces as a collector gets them: by OTLP over HTTP, on a real socket."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from server_kit import served

from memu_py.server.traces import tracing_of

SECRET = "zanzibar"
STEPS = ("ingest_resource", "persist", "build_response")


class Collector(HTTPServer):
    """Keeps the spans that it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.paths: set[str] = set()
        self.services: set[str] = set()
        self.spans: list[Span] = []


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        sent = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.add(self.path)
        for resource in sent.resource_spans:
            named = {one.key: one.value.string_value for one in resource.resource.attributes}
            self.server.services.add(named["service.name"])
            self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


@pytest.mark.parametrize("name", [None, "my-memory"])
async def test_one_span_of_every_step_arrives(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
        if name is not None:
            monkeypatch.setenv("OTEL_SERVICE_NAME", name)
        tracing = tracing_of()
        assert tracing is not None
        async with served(tracing=tracing) as server, server.http() as http:
            taken = await http.post("/v1/memorize", json={"text": f"Ann says {SECRET}.", "user": SECRET})

    steps = [one["step"] for one in taken.json()["trace"]["steps"]]
    names = sorted(span.name for span in collector.spans)
    by_id = {span.span_id: span for span in collector.spans}
    (run,) = [span for span in collector.spans if span.name == "run memorize"]

    assert (collector.paths, collector.services) == ({"/v1/traces"}, {name or "memu"})
    assert set(STEPS) <= set(steps)
    assert names == sorted(["POST memorize", "run memorize", *(f"step {one}" for one in steps)])
    assert {by_id[span.parent_span_id].name for span in collector.spans if span.name.startswith("step ")} == {
        "run memorize"
    }
    assert by_id[run.parent_span_id].name == "POST memorize"
    assert len({span.trace_id for span in collector.spans}) == 1
    assert SECRET not in str(collector.spans)
