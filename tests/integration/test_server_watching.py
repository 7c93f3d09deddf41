"""Figures and traces: what is counted, and that nobody's text is in it."""

import json
import re

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from server_kit import served

from memu_py.errors import ConfigError
from memu_py.server.traces import Tracing, tracing_of
from memu_py.testing.chat_answers import CHAT, chat
from memu_py.testing.server import ScriptedServer

SECRET = "zanzibar"


def figure(page: str, name: str, **labels: str) -> float:
    """Return a figure of a page."""
    for line in page.splitlines():
        match = re.fullmatch(rf"{name}(?:\{{(.*)\}})? (\S+)", line)
        if match and all(f'{key}="{value}"' in (match[1] or "") for key, value in labels.items()):
            return float(match[2])
    return 0.0


async def test_requests_runs_steps_and_jobs_are_counted() -> None:
    async with served() as server, server.http() as http:
        for text in ("Ann sails.", f"Ann says {SECRET}."):
            await http.post("/v1/memorize", json={"text": text, "user": SECRET})
        await http.post("/v1/retrieve", json={"query": SECRET, "user": SECRET})
        await http.get(f"/v1/items/{SECRET}?user={SECRET}")
        await http.get(f"/{SECRET}")
        job = await http.post("/v1/memorize", json={"text": "Bob.", "user": SECRET, "wait": False})
        await http.get(f"/v1/jobs/{job.json()['id']}/wait", params={"user": SECRET})
        page = (await http.get("/metrics")).text

    assert figure(page, "memu_requests_total", route="memorize", status="200") == 2
    assert figure(page, "memu_requests_total", route="memorize", status="202") == 1
    assert figure(page, "memu_requests_total", route="get_item", status="404") == 1
    assert figure(page, "memu_requests_total", route="other", status="404") == 1
    assert figure(page, "memu_request_seconds_count", route="memorize") == 3
    assert figure(page, "memu_runs_total", workflow="memorize", status="ok") == 3
    assert figure(page, "memu_runs_total", workflow="retrieve_rag", status="ok") == 1
    assert figure(page, "memu_step_seconds_count", workflow="memorize", step="persist", status="ok") == 3
    assert figure(page, "memu_jobs", status="done") == 1
    assert figure(page, "memu_jobs", status="failed") == 0
    assert SECRET not in page


async def test_tokens_of_models_are_counted() -> None:
    async with ScriptedServer() as model:
        model.script(CHAT, chat(json.dumps({"intent": "to sail", "needs": []})))
        llm = {"default": {"model": "scripted", "api_key": "x", "base_url": model.base_url, "max_retries": 0}}
        async with served(llm=llm) as server, server.http() as http:
            await server.service.create_item("Ann sails.", user="ann")
            await http.post("/v1/intent", json={"context": "sails", "user": "ann"})
            page = (await http.get("/metrics")).text

    for direction in ("in", "out"):
        assert figure(page, "memu_model_tokens_total", profile="default", direction=direction) == 10


async def test_tokens_of_answers_that_were_of_no_use_are_counted_too() -> None:
    async with ScriptedServer() as model:
        model.script(CHAT, chat("no JSON at all"), chat("nor is this"))
        llm = {"default": {"model": "scripted", "api_key": "x", "base_url": model.base_url, "max_retries": 0}}
        async with served(llm=llm) as server, server.http() as http:
            await server.service.create_item("Ann sails.", user="ann")
            without = await http.post("/v1/intent", json={"context": "sails", "user": "ann"})
            page = (await http.get("/metrics")).text
            (spent,) = await server.service.usage(user="ann")

    # It does without the model, which was asked once more to repair its answer.
    assert without.status_code == 200 and len(model.requests) == 2
    assert spent.usage.prompt_tokens == 20
    for direction in ("in", "out"):
        assert figure(page, "memu_model_tokens_total", profile="default", direction=direction) == 20


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracing(spans: InMemorySpanExporter) -> Tracing:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return Tracing(provider)


def parent(spans: tuple[ReadableSpan, ...], span: ReadableSpan) -> str | None:
    above = span.parent.span_id if span.parent else None
    return next((one.name for one in spans if one.context and one.context.span_id == above), None)


async def test_every_step_has_a_span_inside_its_run_and_its_request(
    spans: InMemorySpanExporter, tracing: Tracing
) -> None:
    async with served(tracing=tracing) as server, server.http() as http:
        await http.post("/v1/memorize", json={"text": f"Ann says {SECRET}.", "user": SECRET})
        await http.post("/v1/retrieve", json={"query": SECRET, "user": SECRET})
        failed = await http.post(
            "/v1/memorize", json={"resource_url": f"conversation://{SECRET}", "user": SECRET}
        )

    found = spans.get_finished_spans()
    names = [one.name for one in found]
    persist = next(one for one in found if one.name == "step persist")
    run = next(one for one in found if one.name == "run memorize")
    request = next(one for one in found if one.name == "POST memorize")
    lost = next(one for one in found if one.attributes and one.attributes.get("error.type"))

    assert failed.status_code == 404
    assert names.count("POST memorize") == 2 and "POST retrieve" in names
    assert {"step recall_dense", "step fuse", "run retrieve_rag"} <= set(names)
    assert (parent(found, persist), parent(found, run)) == ("run memorize", "POST memorize")
    assert (request.attributes or {})["http.response.status_code"] == 200
    assert (persist.attributes or {})["memu.workflow"] == "memorize"
    assert (lost.attributes or {})["error.type"] == "NotFound"
    assert SECRET not in "".join(one.to_json() for one in found)


def test_traces_are_made_where_the_environment_asks_for_them() -> None:
    assert tracing_of({}) is None
    assert tracing_of({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}) is None
    made = tracing_of({"OTEL_TRACES_EXPORTER": "console"})
    assert made is not None
    made.close()
    with pytest.raises(ConfigError, match="memu_py\\[traces\\]"):
        tracing_of({"OTEL_TRACES_EXPORTER": "nobody"})
